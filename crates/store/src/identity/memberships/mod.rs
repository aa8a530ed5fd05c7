//! Memberships of accounts, as rows of tenant 0 beside the accounts themselves.

mod adopt;

use const_format::concatcp;
use domain::identity::memberships::{Membership, Reach};
use domain::{AccountId, TenantId, Timestamp};

use crate::base::columns::{columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

pub use adopt::adopt;
pub(crate) use adopt::require_adoption;

statements! {
    with adopt::statements();

    SAVE = concatcp!(
        insert!("memberships": Membership),
        " ON CONFLICT (tenant_id, account_id, member_of) DO UPDATE
         SET membership_id = excluded.membership_id, reach = excluded.reach,
         password_by_administrator = excluded.password_by_administrator, created_at = excluded.created_at,
         last_used_at = excluded.last_used_at"
    );
    OF_ACCOUNT = select!(Membership, " FROM memberships WHERE tenant_id = $1 AND account_id = $2 ORDER BY member_of");
    OF_ROW = select!(Membership, " FROM memberships WHERE tenant_id = $1 AND member_of = $2 AND membership_id = $3");
    OF_TENANT = select!(Membership, " FROM memberships WHERE tenant_id = $1 AND member_of = $2 LIMIT $3");
    SET_REACH = "UPDATE memberships SET reach = $4 WHERE tenant_id = $1 AND account_id = $2 AND member_of = $3";
    RECORD_USE = "UPDATE memberships SET last_used_at = $4
        WHERE tenant_id = $1 AND member_of = $2 AND membership_id = $3";
    SET_PASSWORD_BY = "UPDATE memberships SET password_by_administrator = $3 WHERE tenant_id = $1 AND account_id = $2";
    REMOVE = "DELETE FROM memberships WHERE tenant_id = $1 AND account_id = $2 AND member_of = $3";
    STANDINGS = select!(
        MemberStanding,
        " FROM memberships m JOIN accounts a ON a.tenant_id = $1 AND a.id = m.account_id
         WHERE m.tenant_id = $1 AND m.member_of = $2 AND m.reach = 'account'"
    );
    MOST_OWN = "SELECT MAX(counted.number) FROM (
        SELECT COUNT(*) AS number FROM memberships WHERE tenant_id = $1 AND reach = 'own' GROUP BY account_id) counted";
}

record! {
    Membership {
        account_id,
        member_of,
        membership_id,
        reach,
        password_by_administrator,
        created_at,
        last_used_at,
    }
}

/// What the account behind a membership has to log in with.
#[derive(Debug, Clone)]
pub struct MemberStanding {
    pub membership_id: AccountId,
    pub has_password: bool,
    pub has_second_factor: bool,
}

columns! {
    MemberStanding {
        membership_id: "m.membership_id",
        has_password: "a.password_hash <> ''",
        has_second_factor: "(EXISTS (SELECT 1 FROM totp_factors f WHERE f.tenant_id = $1 AND f.account_id = a.id)
            OR EXISTS (SELECT 1 FROM passkeys f WHERE f.tenant_id = $1 AND f.account_id = a.id))",
    }
}

const INSTALLATION: TenantId = TenantId::INSTALLATION;

/// Adds the membership, or replaces the account's membership of the same tenant.
pub async fn save(tx: &mut Tx<'_>, membership: &Membership) -> Result<()> {
    tx.execute(&SAVE, &Params::for_tenant(INSTALLATION).and(membership)).await.map(drop)
}

/// The memberships of an account, by tenant.
pub async fn of_account(db: &Db, account: AccountId) -> Result<Vec<Membership>> {
    db.rows(&OF_ACCOUNT, params![INSTALLATION, account], read).await
}

pub async fn of_account_in(tx: &mut Tx<'_>, account: AccountId) -> Result<Vec<Membership>> {
    tx.rows(&OF_ACCOUNT, params![INSTALLATION, account], read).await
}

/// The membership of an account's row in a tenant; none if the invitation was not accepted.
pub async fn of_row(db: &Db, tenant: TenantId, row: AccountId) -> Result<Option<Membership>> {
    db.row(&OF_ROW, params![INSTALLATION, tenant, row], read).await
}

pub async fn of_row_in(tx: &mut Tx<'_>, tenant: TenantId, row: AccountId) -> Result<Option<Membership>> {
    tx.row(&OF_ROW, params![INSTALLATION, tenant, row], read).await
}

/// At most `limit` memberships of a tenant.
pub async fn of_tenant(tx: &mut Tx<'_>, tenant: TenantId, limit: i64) -> Result<Vec<Membership>> {
    tx.rows(&OF_TENANT, params![INSTALLATION, tenant, limit], read).await
}

pub async fn set_reach(tx: &mut Tx<'_>, account: AccountId, tenant: TenantId, reach: Reach) -> Result<()> {
    tx.execute(&SET_REACH, params![INSTALLATION, account, tenant, reach.name()]).await.map(drop)
}

/// The account has a new session in the tenant.
pub async fn record_use(tx: &mut Tx<'_>, tenant: TenantId, row: AccountId, now: Timestamp) -> Result<()> {
    tx.execute(&RECORD_USE, params![INSTALLATION, tenant, row, now]).await.map(drop)
}

/// Notes in all memberships of the account that its owner chose the password, and no administrator knows it.
pub async fn password_is_the_owner_s(tx: &mut Tx<'_>, account: AccountId) -> Result<()> {
    tx.execute(&SET_PASSWORD_BY, params![INSTALLATION, account, false]).await.map(drop)
}

pub async fn remove(tx: &mut Tx<'_>, account: AccountId, tenant: TenantId) -> Result<()> {
    tx.execute(&REMOVE, params![INSTALLATION, account, tenant]).await.map(drop)
}

/// What the members of a tenant log in with, where it is with the account and not with the membership.
pub async fn standings(db: &Db, tenant: TenantId) -> Result<Vec<MemberStanding>> {
    db.rows(&STANDINGS, params![INSTALLATION, tenant], read).await
}

/// The largest number of memberships with a log-in of their own that one account has.
pub async fn most_own(db: &Db) -> Result<i64> {
    let most: Option<Option<i64>> = db.row(&MOST_OWN, params![INSTALLATION], read).await?;
    Ok(most.flatten().unwrap_or_default())
}
