//! The factors of one account.

use domain::identity::second_factors::{LogInMethod, StoredPasskey, TotpFactor};

/// What an account has to finish a log-in with.
#[derive(Debug, Default)]
pub struct AccountFactors {
    pub totp: Option<TotpFactor>,
    pub passkeys: Vec<StoredPasskey>,
    pub recovery_codes: i64,
}

impl AccountFactors {
    /// Recovery codes alone are no factor: they stand in for one.
    pub const fn has_any(&self) -> bool {
        self.totp.is_some() || !self.passkeys.is_empty()
    }

    /// How a log-in at this host can be finished.
    pub(super) fn methods(&self, host: Option<&str>) -> Vec<LogInMethod> {
        let mut methods = Vec::new();
        if self.passkeys.iter().any(|passkey| Some(passkey.host.as_str()) == host) {
            methods.push(LogInMethod::Passkey);
        }
        if self.totp.is_some() {
            methods.push(LogInMethod::Totp);
        }
        if self.recovery_codes > 0 {
            methods.push(LogInMethod::RecoveryCode);
        }
        methods
    }
}
