//! Accounts as the installation has them: which of them administer it, and which are disabled everywhere. For commands
//! on the server's machine.

use domain::identity::accounts::{Account, normalise_email};
use domain::identity::memberships::NO_INSTALLATION_ROLE;
use domain::identity::roles::Role;
use domain::{AccountId, Field, TenantId, Timestamp};
use store::Tx;

use crate::identity::accounts::Accounts;
use crate::{Actor, Error, Result, Thing};

/// A change of an account in the whole installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstallationChange {
    /// The account administers the installation from now on: it sees settings and nodes.
    Grant,
    Revoke,
    /// The account logs in nowhere, and its tokens, legacy JWTs and sessions end.
    Disable,
    Enable,
}

impl InstallationChange {
    const fn action(self) -> &'static str {
        match self {
            Self::Grant => "account.grant_installation",
            Self::Revoke => "account.revoke_installation",
            Self::Disable => "account.disable_everywhere",
            Self::Enable => "account.enable_everywhere",
        }
    }
}

#[boxed::futures]
impl Accounts<'_> {
    /// The accounts that administer the installation.
    pub async fn installation_administrators(&self) -> Result<Vec<Account>> {
        let mut all = store::identity::accounts::list(self.identity().db(), TenantId::INSTALLATION).await?;
        all.retain(|account| account.role == Role::Administrator);
        Ok(all)
    }

    pub async fn change_in_installation(&self, email: &str, change: InstallationChange) -> Result<Account> {
        let email = normalise_email(email).map_err(|error| Error::invalid(Field::Email, error))?;
        let (installation, db) = (TenantId::INSTALLATION, self.identity().db());
        let found = store::identity::accounts::by_email(db, installation, &email).await?;
        let id = found.ok_or(Error::NotFound(Thing::Account))?.id;
        let input = (id, change, self.identity().now());
        self.identity()
            .write_and_publish_credentials(input, |tx, (id, change, now)| Box::pin(apply(tx, *id, *change, *now)))
            .await?;
        let present = store::identity::accounts::by_id(db, installation, id).await?;
        present.ok_or(Error::NotFound(Thing::Account))
    }
}

async fn apply(tx: &mut Tx<'_>, id: AccountId, change: InstallationChange, now: Timestamp) -> Result<()> {
    let installation = TenantId::INSTALLATION;
    match change {
        InstallationChange::Grant => {
            store::identity::accounts::set_role(tx, installation, id, Role::Administrator, now).await?;
        }
        InstallationChange::Revoke => {
            store::identity::accounts::set_role(tx, installation, id, NO_INSTALLATION_ROLE, now).await?;
        }
        InstallationChange::Disable => {
            store::identity::accounts::set_disabled(tx, installation, id, true, now).await?;
            store::identity::accounts::end_credentials(tx, installation, id, now).await?;
            store::identity::one_time_links::end_all(tx, installation, id).await?;
            for membership in store::identity::memberships::of_account_in(tx, id).await? {
                let (tenant, row) = (membership.member_of, membership.membership_id);
                store::identity::accounts::end_credentials(tx, tenant, row, now).await?;
                store::identity::tokens::revoke_of_account(tx, tenant, row, now).await?;
                store::identity::one_time_links::end_all(tx, tenant, row).await?;
            }
        }
        InstallationChange::Enable => {
            store::identity::accounts::set_disabled(tx, installation, id, false, now).await?;
        }
    }
    let none = serde_json::json!({});
    Actor::command().record(tx, installation, now, change.action(), &id.to_string(), none).await?;
    Ok(store::base::epochs::bump_credentials(tx).await?)
}
