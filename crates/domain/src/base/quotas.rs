//! How many segments, webhooks, templates and the like a tenant may have. The settings of the installation give the
//! numbers.

/// A kind of thing that is bounded for each tenant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quota {
    Segments,
    /// The conditions of all segments together.
    Conditions,
    Webhooks,
    Templates,
    /// Imports that have not ended.
    Imports,
    /// API tokens that are not revoked.
    Tokens,
    Teams,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quotas {
    pub segments: u64,
    pub conditions: u64,
    pub webhooks: u64,
    pub templates: u64,
    pub imports: u64,
    pub tokens: u64,
    pub teams: u64,
    /// Bytes of the files that the tenant uploads; received ones have a quota of their own.
    pub media_bytes: u64,
    /// Hits of one tracked link that get rows; further ones are counted.
    pub rows_per_link: u64,
}

impl Default for Quotas {
    fn default() -> Self {
        Self {
            segments: 200,
            conditions: 2_000,
            webhooks: 100,
            templates: 2_000,
            imports: 10,
            tokens: 500,
            teams: 500,
            media_bytes: 20 << 30,
            rows_per_link: 1_000,
        }
    }
}

impl Quota {
    /// The name of the quota in errors.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Segments => "segments",
            Self::Conditions => "conditions",
            Self::Webhooks => "webhooks",
            Self::Templates => "templates",
            Self::Imports => "imports",
            Self::Tokens => "tokens",
            Self::Teams => "teams",
        }
    }
}

impl Quotas {
    pub const fn max(&self, quota: Quota) -> u64 {
        match quota {
            Quota::Segments => self.segments,
            Quota::Conditions => self.conditions,
            Quota::Webhooks => self.webhooks,
            Quota::Templates => self.templates,
            Quota::Imports => self.imports,
            Quota::Tokens => self.tokens,
            Quota::Teams => self.teams,
        }
    }
}
