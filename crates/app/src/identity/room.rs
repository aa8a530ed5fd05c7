//! The state of the room.

use std::sync::Arc;

use channels::mail::Mailer;
use channels::transport::Transport;
use domain::base::keys::Keyring;
use domain::identity::plans::Plans;
use domain::identity::scopes::Hierarchy;

use crate::base::Base;
use crate::base::room::room;
use crate::identity::credentials::Lifetimes;
use crate::identity::credentials::last_uses::LastUses;
use crate::identity::credentials::legacy_jwt::LegacyJwtKeys;
use crate::identity::credentials::oidc::log_in::{ProviderConfig, Providers};
use crate::identity::credentials::oidc::{ConfigError, IssuerConfig, OidcVerifier};
use crate::identity::credentials::token_cache::TokenCache;
use crate::identity::log_in::EqualWork;
use crate::identity::log_in::failed_attempts::FailedAttempts;
use crate::identity::log_in::hashing::{Hashing, PasswordCost};

/// Ways to log in besides a password, ways to get a new password, and how long a log-in lasts.
#[derive(Debug, Default)]
pub struct LogInConfig {
    pub lifetimes: Lifetimes,
    pub password_cost: PasswordCost,
    /// Sends one-time links by mail. Without it links are shown to administrators only.
    pub mailer: Option<Mailer>,
    /// OpenID Connect providers; they are called through the guarded transport of `networks`.
    pub providers: Vec<ProviderConfig>,
}

#[derive(Debug)]
pub(crate) struct IdentityConfig {
    pub plans: Plans,
    pub hierarchy: Hierarchy,
    pub issuers: Vec<IssuerConfig>,
    pub failed_attempts_per_minute: u32,
    pub log_in: LogInConfig,
}

room! {
    /// Who may do what. Cheap to clone.
    Identity(IdentityState) {
        pub plans: Plans,
        pub attempts: FailedAttempts,
        pub(crate) hierarchy: Hierarchy,
        pub(crate) lifetimes: Lifetimes,
        pub(crate) mailer: Option<Mailer>,
        pub(crate) legacy_jwt_keys: LegacyJwtKeys,
        pub(crate) oidc: OidcVerifier,
        pub(crate) log_in_providers: Providers,
        pub(crate) hashing: Hashing,
        pub(crate) equal_work: EqualWork,
        pub(crate) token_cache: TokenCache,
        pub(crate) last_uses: LastUses,
    }
}

impl Identity {
    pub(crate) fn new(
        base: Base,
        keyring: &Keyring,
        config: IdentityConfig,
        guarded: Option<&Arc<dyn Transport>>,
    ) -> Result<Self, ConfigError> {
        Ok(Self(Arc::new(IdentityState {
            plans: config.plans,
            attempts: FailedAttempts::new(config.failed_attempts_per_minute),
            hierarchy: config.hierarchy,
            lifetimes: config.log_in.lifetimes,
            mailer: config.log_in.mailer.map(|mailer| mailer.within(base.outgoing().clone())),
            legacy_jwt_keys: LegacyJwtKeys::new(keyring),
            oidc: OidcVerifier::new(config.issuers, base.clock().clone(), base.outgoing())?,
            log_in_providers: Providers::new(config.log_in.providers, guarded, base.outgoing(), base.clock())?,
            hashing: Hashing::new(config.log_in.password_cost),
            equal_work: EqualWork::default(),
            token_cache: TokenCache::default(),
            last_uses: LastUses::default(),
            base,
        })))
    }
}
