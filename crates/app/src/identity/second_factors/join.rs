//! Joining a membership that has a separate log-in to the account with the same address.
//!
//! Such memberships come from versions in which each tenant had its own accounts, from administrators who gave a
//! colleague a password, and from log-ins at a provider. Any of them may have been made by another person than the
//! account's owner. So both sides are proven: one by the session, the other by its password and its second factor.

use domain::identity::memberships::{Holder, Membership, Reach};
use domain::identity::second_factors::LogInMethod;
use domain::{Field, SessionId, Timestamp};
use store::Tx;

use super::checks::failed;
use super::log_in::{FactorUse, UsedFactor, use_up};
use super::{FactorAnswer, SecondFactors};
use crate::identity::log_in::LogInSource;
use crate::identity::log_in::tries::TryKeys;
use crate::identity::memberships::join;
use crate::identity::sessions::session_id;
use crate::{ActsFor, Cause, Error, Result, Thing};

/// What the person shows in addition to the session.
#[derive(Debug)]
pub struct JoinProof {
    pub password: String,
    /// A code or a recovery code, where the other log-in has a second factor.
    pub factor: Option<FactorAnswer>,
}

#[derive(Debug)]
struct Joining {
    membership: Membership,
    /// The caller's session, which has proven both sides. Another session of the membership has not.
    session: SessionId,
    /// None where the other side has no factor.
    factor: Option<FactorUse>,
    at: Timestamp,
}

#[boxed::futures]
impl SecondFactors<'_> {
    /// Joins the caller's membership, or another one of the caller's account, depending on which of them the session is
    /// for. The proof is that of the other side. A wrong password counts like a failed log-in.
    pub async fn join(&self, caller: &dyn ActsFor, proof: JoinProof, source: &LogInSource) -> Result<()> {
        let own = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let session = self.session(caller).await?;
        let present = store::identity::memberships::of_row(self.0.db(), caller.tenant(), own).await?;
        let present = present.ok_or(Error::NotFound(Thing::Account))?;
        let JoinProof { password, factor } = proof;
        let (membership, other, keys) = match present.reach {
            Reach::Own => {
                let account = Holder::account(present.account_id);
                let tried = self.0.accounts().try_password_of(account, password, source).await?;
                (present, account, tried.ok_or_else(not_the_password)?)
            }
            Reach::Account if session.log_in_method == Some(LogInMethod::Provider) => {
                return Err(Error::conflict(Field::Session, "log in with your account's password first"));
            }
            Reach::Account => {
                let (found, keys) = self.own_membership(&present, &password, source).await?;
                let holder = found.holder();
                (found, holder, keys)
            }
        };
        let joined = self.prove_and_join(caller, membership, other, factor).await;
        // The right password must not buy further tries of the factor.
        if let Err(Error::Refused { cause: Cause::SecondFactorFailed, .. }) = &joined {
            self.0.accounts().record_failure_of(keys, other, "second_factor", source).await?;
        } else {
            self.0.accounts().released(keys).await?;
        }
        joined
    }

    async fn prove_and_join(
        &self,
        caller: &dyn ActsFor,
        membership: Membership,
        other: Holder,
        factor: Option<FactorAnswer>,
    ) -> Result<()> {
        let row = caller.account().ok_or(Error::NotFound(Thing::Account))?.id;
        let used = self.used_factor(other, factor).await?;
        let (actor, tenant, at) = (caller.audit_actor(), caller.tenant(), self.0.now());
        let factor = used.map(|used| FactorUse { actor, tenant, row, holder: other, used, now: at });
        let joining = Joining { membership, session: session_id(caller)?, factor, at };
        self.0.write_and_publish_credentials(joining, |tx, joining| Box::pin(write(tx, joining))).await
    }

    /// The membership of the same account whose own password this is, and the try.
    async fn own_membership(
        &self,
        present: &Membership,
        password: &str,
        source: &LogInSource,
    ) -> Result<(Membership, TryKeys)> {
        let mut all = store::identity::memberships::of_account(self.0.db(), present.account_id).await?;
        all.retain(|it| it.reach == Reach::Own);
        for membership in all {
            let tried = self.0.accounts().try_password_of(membership.holder(), password.to_owned(), source).await?;
            if let Some(keys) = tried {
                return Ok((membership, keys));
            }
        }
        Err(not_the_password())
    }

    async fn used_factor(&self, holder: Holder, answer: Option<FactorAnswer>) -> Result<Option<UsedFactor>> {
        if !self.of_holder(holder).await?.has_any() {
            return Ok(None);
        }
        match answer {
            Some(FactorAnswer::Code(code)) => self.check_code(holder, &code).await.map(Some),
            Some(FactorAnswer::RecoveryCode(code)) => self.recovery_code(holder, &code).await.map(Some),
            Some(FactorAnswer::Passkey(_)) | None => {
                Err(failed(Field::Code, "the other log-in has a second factor: enter its code or a recovery code"))
            }
        }
    }
}

fn not_the_password() -> Error {
    Error::invalid(Field::Password, "no other log-in with your e-mail address has this password")
}

async fn write(tx: &mut Tx<'_>, joining: &Joining) -> Result<()> {
    let Joining { membership, session, factor, at } = joining;
    if let Some(factor) = factor {
        use_up(tx, factor).await?;
    }
    join(tx, membership, Some(*session), *at).await?;
    Ok(store::base::epochs::bump_credentials(tx).await?)
}
