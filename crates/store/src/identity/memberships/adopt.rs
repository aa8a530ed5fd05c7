//! Makes the accounts of the installation out of those of an earlier version, which had one account for each tenant.
//!
//! Runs at the first start after the migration, and after a restore, if no account has a membership. Of the accounts
//! with one address, the first that is active and has a password becomes the account: its password and its second
//! factors move to tenant 0, under its id. The others become memberships that keep their own password and their own
//! second factors (`Reach::Own`): an administrator of another tenant may have chosen them, so they open their own
//! tenant and nothing else until the owner joins them. Accounts without a password that never logged in are
//! invitations, and stay as they are. Sessions and tokens are not touched.
//!
//! All in one transaction; if two servers start at once, one of them runs it.

use std::collections::BTreeMap;

use domain::identity::accounts::Account;
use domain::identity::memberships::{Membership, NO_INSTALLATION_ROLE, Reach};
use domain::identity::roles::Role;
use domain::{TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::base::epochs;
use crate::identity::{accounts, second_factors};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    ANY = "SELECT member_of FROM memberships WHERE tenant_id = $1 LIMIT 1";
    ACCOUNTS tenantless "accounts of an earlier version are read once, at the first start after the upgrade" = select!(
        EarlierAccount,
        " FROM accounts WHERE tenant_id > 0 AND removed_at IS NULL
         AND (password_hash <> '' OR last_log_in_at IS NOT NULL)"
    );
    LINK = "INSERT INTO memberships (tenant_id, account_id, member_of, membership_id, reach,
            password_by_administrator, created_at, last_used_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
        ON CONFLICT (tenant_id, account_id, member_of) DO NOTHING";
}

const INSTALLATION: TenantId = TenantId::INSTALLATION;

#[derive(Debug)]
struct EarlierAccount {
    tenant: TenantId,
    account: Account,
    password_hash: String,
    last_log_in_at: Option<Timestamp>,
}

columns! { EarlierAccount { tenant: "tenant_id", account: Account, password_hash, last_log_in_at } }

/// Name of the number that is 1 when this was done.
const ADOPTED: &str = "accounts_adopted";

/// Returns the number of accounts that were made.
pub async fn adopt(db: &Db) -> Result<usize> {
    if epochs::value(db, ADOPTED).await? > 0 {
        return Ok(0);
    }
    db.write((), |tx, ()| Box::pin(adopt_all(tx))).await
}

/// Makes the next start look for accounts of an earlier version, after a restore.
pub(crate) async fn require_adoption(tx: &mut Tx<'_>) -> Result<()> {
    epochs::set(tx, ADOPTED, 0).await
}

async fn adopt_all(tx: &mut Tx<'_>) -> Result<usize> {
    if !epochs::claim(tx, ADOPTED).await? || tx.row(&ANY, params![INSTALLATION], |_| Ok(())).await?.is_some() {
        return Ok(0);
    }
    let earlier: Vec<EarlierAccount> = tx.rows(&ACCOUNTS, &[], read).await?;
    let mut by_address: BTreeMap<String, Vec<EarlierAccount>> = BTreeMap::new();
    for one in earlier {
        by_address.entry(one.account.email.clone()).or_default().push(one);
    }
    let mut made = 0;
    for mut same in by_address.into_values() {
        same.sort_by_key(|it| (it.password_hash.is_empty(), it.account.disabled, it.tenant));
        let Some(first) = same.first() else { continue };
        let account = account_of(first);
        if !accounts::insert(tx, INSTALLATION, &account, &first.password_hash).await? {
            continue;
        }
        made += 1;
        for (place, one) in same.iter().enumerate() {
            let joined = place == 0 && !one.password_hash.is_empty();
            link(tx, &account, one, if joined { Reach::Account } else { Reach::Own }).await?;
            if joined {
                accounts::forget_password(tx, one.tenant, one.account.id, one.account.created_at).await?;
                second_factors::move_to_account(tx, one.tenant, one.account.id).await?;
            }
        }
    }
    Ok(made)
}

/// Administrators of the tenant that the first start made become administrators of the installation.
fn account_of(first: &EarlierAccount) -> Account {
    let administers = first.tenant == TenantId::FIRST
        && first.account.role == Role::Administrator
        && first.account.is_active()
        && !first.password_hash.is_empty();
    Account {
        role: if administers { Role::Administrator } else { NO_INSTALLATION_ROLE },
        disabled: false,
        ..first.account.clone()
    }
}

async fn link(tx: &mut Tx<'_>, account: &Account, earlier: &EarlierAccount, reach: Reach) -> Result<()> {
    let membership = Membership {
        account_id: account.id,
        member_of: earlier.tenant,
        membership_id: earlier.account.id,
        reach,
        password_by_administrator: false,
        created_at: earlier.account.created_at,
        last_used_at: earlier.last_log_in_at,
    };
    tx.execute(&LINK, &Params::for_tenant(INSTALLATION).and(&membership)).await.map(drop)
}
