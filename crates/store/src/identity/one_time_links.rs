//! One-time links of accounts: at most one for each account and purpose.

use const_format::concatcp;
use domain::identity::one_time_links::{CodeHash, LinkPurpose, OneTimeLink};
use domain::{AccountId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    REPLACE = concatcp!(
        insert!("one_time_links": OneTimeLink),
        " ON CONFLICT (tenant_id, account_id, purpose) DO UPDATE
         SET hash = excluded.hash, created_at = excluded.created_at, expires_at = excluded.expires_at"
    );
    FIND = select!(OneTimeLink, " FROM one_time_links WHERE tenant_id = $1 AND account_id = $2 AND purpose = $3");
    /// Of two requests with the same code, only one deletes the row.
    TAKE = "DELETE FROM one_time_links
        WHERE tenant_id = $1 AND account_id = $2 AND purpose = $3 AND hash = $4 AND expires_at > $5";
    END_OF_PURPOSE = "DELETE FROM one_time_links WHERE tenant_id = $1 AND account_id = $2 AND purpose = $3";
    COUNT_INVITATIONS = "SELECT COUNT(*) FROM one_time_links
        WHERE tenant_id = $1 AND purpose <> 'reset' AND expires_at > $2";
    END_ALL = "DELETE FROM one_time_links WHERE tenant_id = $1 AND account_id = $2";
    SWEEP tenantless "links of the past are swept for all tenants together" =
        "DELETE FROM one_time_links WHERE expires_at < $1";
}

record! { OneTimeLink { account_id, purpose, hash, created_at, expires_at } }

/// Replaces earlier links of the account for the same: a first password by set-up or invitation, or a new password.
pub async fn replace(tx: &mut Tx<'_>, tenant: TenantId, link: &OneTimeLink) -> Result<()> {
    if let Some(other) = link.purpose.alike() {
        end(tx, tenant, link.account_id, other).await?;
    }
    tx.execute(&REPLACE, &Params::for_tenant(tenant).and(link)).await.map(drop)
}

pub async fn end(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId, purpose: LinkPurpose) -> Result<()> {
    tx.execute(&END_OF_PURPOSE, params![tenant, account, purpose.name()]).await.map(drop)
}

pub async fn find(db: &Db, tenant: TenantId, account: AccountId, purpose: LinkPurpose) -> Result<Option<OneTimeLink>> {
    db.row(&FIND, params![tenant, account, purpose.name()], read).await
}

/// Deletes the link. False if it was used, replaced or has expired meanwhile.
pub async fn take(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account: AccountId,
    purpose: LinkPurpose,
    hash: &CodeHash,
    now: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(&TAKE, params![tenant, account, purpose.name(), &hash.0, now]).await? == 1)
}

/// How many set-up links and invitations of a tenant can be used.
pub async fn count_invitations(tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp) -> Result<i64> {
    Ok(tx.row(&COUNT_INVITATIONS, params![tenant, now], read).await?.unwrap_or_default())
}

/// Deletes every link of the account.
pub async fn end_all(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId) -> Result<()> {
    tx.execute(&END_ALL, params![tenant, account]).await.map(drop)
}

pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![now]).await
}
