//! A log-in with a password, up to the session or to the second factor that it waits for.

use domain::identity::second_factors::LogInMethod;

use super::{LogInSource, VerifiedPassword};
use crate::Result;
use crate::identity::second_factors::PendingSecondFactor;
use crate::identity::sessions::{FreshSession, SessionDetails, Sessions};

/// What follows the right password.
#[derive(Debug)]
pub enum LogInStep {
    Done(Box<SessionDetails>, FreshSession),
    SecondFactor(PendingSecondFactor),
}

#[boxed::futures]
impl Sessions<'_> {
    /// Logs in with a password. None if no active account has this e-mail address and password. Fails with
    /// `TooManyTries` during the pause after too many failures.
    pub async fn log_in(&self, email: &str, password: &str, source: &LogInSource) -> Result<Option<LogInStep>> {
        let Some(verified) = self.0.accounts().log_in(email, password, source).await? else { return Ok(None) };
        self.after_password(source, verified).await.map(Some)
    }

    /// A session in one of the account's tenants, or the wait for its second factor. The caller has established that
    /// the person owns the account and that it is active, and has read it after any change of its password.
    pub(crate) async fn after_password(&self, source: &LogInSource, verified: VerifiedPassword) -> Result<LogInStep> {
        let VerifiedPassword { holder, account, factors } = verified;
        let (tenant, member) = self.0.memberships().entry(holder, &account, source.address).await?;
        if factors.has_any() {
            let pending = self.0.second_factors().begin_log_in(holder, &account, factors).await?;
            return Ok(LogInStep::SecondFactor(pending));
        }
        let (method, details) = (LogInMethod::Password, serde_json::json!({}));
        let (session, value) = self.begin_by(source, tenant, member, method, details).await?;
        Ok(LogInStep::Done(Box::new(session), value))
    }
}
