//! How long credentials of accounts last, as the installation sets it.

/// How long credentials of accounts last.
#[derive(Debug, Clone, Copy)]
pub struct Lifetimes {
    /// A session of the console that is not used for this long ends. 0: only its lifetime ends it.
    pub session_idle_minutes: u32,
    /// A new legacy JWT ends after this many days. 0: it has no end.
    pub legacy_jwt_days: u32,
}

impl Default for Lifetimes {
    fn default() -> Self {
        Self { session_idle_minutes: 120, legacy_jwt_days: 365 }
    }
}
