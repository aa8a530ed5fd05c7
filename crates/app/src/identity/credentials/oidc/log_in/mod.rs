//! Log-in to the console at an OpenID Connect provider: the authorization code flow with state, nonce and PKCE.
//!
//! 1. `begin` makes state, nonce and PKCE verifier at random and seals them, with the page to follow, into a cookie of
//!    the browser. The browser goes to the provider with the state, the nonce and the hash of the verifier.
//! 2. The provider sends the browser back with a code and the state. `finish` opens the cookie, compares the state,
//!    marks it as used, and exchanges the code, with the verifier, for an ID token (`exchange.rs`).
//! 3. The ID token is checked: signature, issuer, audience, times, nonce (`identity.rs`). The account of the provider's
//!    tenant with the *verified* e-mail address gets a session. An account is made only where the provider's settings
//!    have rules for it (`Provisioning`). The session is for this tenant alone: another tenant that the person belongs
//!    to does not trust this provider.
//!
//! A state works once, for ten minutes, in the browser that began. Nothing is stored until a browser comes back, so
//! beginning a log-in costs no row. The log-in's data is in the cookie, so another node can finish it; a crash while
//! `finish` runs ends that log-in, and the person begins again. All requests pass the address guard.

mod exchange;
mod failure;
mod identity;
mod provider;
mod state;

use domain::identity::accounts::Account;
use domain::identity::return_page::{DEFAULT_PAGE, is_local_path};
use domain::identity::second_factors::LogInMethod;
use domain::{TenantId, Timestamp};
use store::identity::oidc_states::UsedState;

pub use failure::LogInFailure;
pub use provider::{ProviderConfig, Providers, Provisioning};

use crate::Error;
use crate::identity::Identity;
use crate::identity::log_in::LogInSource;
use crate::identity::sessions::{FreshSession, SessionDetails};
use exchange::VerifiedPerson;
use provider::Provider;
use state::{LogInState, seal};

/// Ten minutes: enough to type a password and a second factor at the provider.
pub const LIFETIME_SECONDS: i64 = 600;

/// A log-in that has begun.
pub struct BegunLogIn {
    /// The URL of the provider to which the browser is sent.
    pub provider_url: String,
    /// The sealed value of the browser's cookie.
    pub cookie: String,
}

/// What the provider sends back with the browser.
#[derive(Debug, Default)]
pub struct ProviderAnswer {
    pub state: Option<String>,
    pub code: Option<String>,
    /// Present instead of a code when the provider refuses.
    pub error: Option<String>,
    /// The issuer's name, if the provider sends it (RFC 9207).
    pub issuer: Option<String>,
}

/// A log-in that succeeded.
pub struct FinishedLogIn {
    pub session: SessionDetails,
    pub value: FreshSession,
    /// The page to show next, a path of this server.
    pub next: String,
}

#[derive(Debug)]
pub struct OidcLogIns<'a>(&'a Identity);

impl Identity {
    pub fn oidc_log_ins(&self) -> OidcLogIns<'_> {
        OidcLogIns(self)
    }
}

#[boxed::futures]
impl OidcLogIns<'_> {
    /// Id and name of every provider.
    pub fn providers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.log_in_providers().iter().map(|provider| (provider.config.id.as_str(), provider.config.name.as_str()))
    }

    /// Id and name of the providers at which people of a tenant log in.
    pub fn providers_of(&self, tenant: TenantId) -> impl Iterator<Item = (&str, &str)> {
        let all = self.0.log_in_providers().iter().filter(move |provider| provider.config.tenant == tenant);
        all.map(|provider| (provider.config.id.as_str(), provider.config.name.as_str()))
    }

    fn provider(&self, id: &str) -> Result<&Provider, LogInFailure> {
        self.0.log_in_providers().find(id).ok_or(LogInFailure::UnknownProvider)
    }

    /// Begins a log-in. A `next` that is not a path of this server is replaced by the default page.
    pub async fn begin(&self, id: &str, next: Option<&str>, public_url: &str) -> Result<BegunLogIn, LogInFailure> {
        let provider = self.provider(id)?;
        let next = next.filter(|next| is_local_path(next)).unwrap_or(DEFAULT_PAGE);
        let log_in = LogInState::new(id, next, self.0.now().plus_seconds(LIFETIME_SECONDS));
        let provider_url = provider.authorization_url(&log_in, public_url).await?;
        Ok(BegunLogIn { provider_url, cookie: seal(self.0.keys(), &log_in)? })
    }

    /// Finishes a log-in with the answer of the provider and the cookie of the browser, and begins a session. Many
    /// failures from one address are answered late.
    pub async fn finish(
        &self,
        id: &str,
        answer: ProviderAnswer,
        cookie: Option<&str>,
        public_url: &str,
        source: &LogInSource,
    ) -> Result<FinishedLogIn, LogInFailure> {
        let provider = self.provider(id)?;
        let finished = self.check_and_log_in(provider, answer, cookie, public_url, source).await;
        if !matches!(finished, Ok(_) | Err(LogInFailure::Unavailable(_) | LogInFailure::Other(_))) {
            self.0.accounts().slow_down(source.address).await;
        }
        finished
    }

    async fn check_and_log_in(
        &self,
        provider: &Provider,
        answer: ProviderAnswer,
        cookie: Option<&str>,
        public_url: &str,
        source: &LogInSource,
    ) -> Result<FinishedLogIn, LogInFailure> {
        let config = &provider.config;
        let log_in = cookie.and_then(|cookie| state::open(self.0.keys(), cookie)).ok_or(LogInFailure::State)?;
        if !log_in.fits(&config.id, answer.state.as_deref(), self.0.now()) {
            return Err(LogInFailure::State);
        }
        self.use_up(config.tenant, &log_in).await?;
        if answer.issuer.is_some_and(|issuer| issuer != config.issuer) {
            return Err(LogInFailure::State);
        }
        let Some(code) = answer.code.filter(|_| answer.error.is_none()) else {
            let error = answer.error.unwrap_or_default();
            tracing::info!(provider = config.id, error = state::shortened(&error), "a provider refused a log-in");
            return Err(LogInFailure::Refused(config.name.clone()));
        };
        let person = provider.verified_person(&code, &log_in, public_url, self.0.now()).await?;
        let account = self.account(config, &person).await?;
        let details = serde_json::json!({ "provider": config.id });
        let (session, value) =
            self.0.sessions().begin_by(source, config.tenant, account, LogInMethod::Provider, details).await?;
        Ok(FinishedLogIn { session, value, next: log_in.into_next() })
    }

    /// The person's account in the provider's tenant. One that was removed is not made again: an administrator invites
    /// the person.
    async fn account(&self, config: &ProviderConfig, person: &VerifiedPerson) -> Result<Account, LogInFailure> {
        let tenant = config.tenant;
        let found = store::identity::accounts::by_email(self.0.db(), tenant, &person.email).await;
        let account = if let Some(account) = found.map_err(Error::from)? {
            Some(account).filter(Account::is_active).ok_or(LogInFailure::NoAccount)?
        } else {
            let role = config.provisioning.role_of(&person.email, &person.claims);
            let role = role.ok_or(LogInFailure::NoAccount)?;
            self.0.accounts().create_for_provider(tenant, &person.email, role).await?
        };
        if !self.0.memberships().link_at_provider(tenant, account.clone()).await? {
            return Err(LogInFailure::NoAccount);
        }
        Ok(account)
    }

    /// Marks the state as used. Fails if it was used before.
    async fn use_up(&self, tenant: TenantId, log_in: &LogInState) -> Result<(), LogInFailure> {
        let used = UsedState { hash: log_in.state_hash(), expires_at: log_in.expires_at() };
        let first = self.0.db().write((tenant, used), |tx, (tenant, used)| {
            Box::pin(store::identity::oidc_states::insert(tx, *tenant, used))
        });
        if first.await.map_err(Error::from)? { Ok(()) } else { Err(LogInFailure::State) }
    }

    /// Deletes used states that have expired. They are not needed any more: a log-in of that age is refused anyway.
    pub async fn sweep(&self) -> crate::Result<()> {
        let now = self.0.now();
        let sweep =
            self.0.db().write(now, |tx, now: &Timestamp| Box::pin(store::identity::oidc_states::sweep(tx, *now)));
        sweep.await?;
        Ok(())
    }
}

impl std::fmt::Debug for BegunLogIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("BegunLogIn(…)")
    }
}

impl std::fmt::Debug for FinishedLogIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FinishedLogIn").field("next", &self.next).finish_non_exhaustive()
    }
}
