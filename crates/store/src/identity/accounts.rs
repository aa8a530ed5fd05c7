//! Accounts and their password hashes: accounts of the installation, as rows of tenant 0, and their rows in tenants.

use const_format::concatcp;
use domain::identity::accounts::{Account, AccountDetails};
use domain::identity::roles::Role;
use domain::{AccountId, TenantId, Timestamp};

use crate::base::columns::{Columns, columns, insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(insert!("accounts": Account, "password_hash, updated_at"), " ON CONFLICT DO NOTHING");
    REVIVE = concatcp!(
        "UPDATE accounts SET name = $3, role = $4, password_hash = $5, password_version = password_version + 1,
         credential_version = credential_version + 1,
         disabled = $7, removed_at = NULL, updated_at = $6
         WHERE tenant_id = $1 AND email = $2 AND removed_at IS NOT NULL
         RETURNING ",
        Account::COLUMNS
    );
    BY_ID = select!(Account, " FROM accounts WHERE tenant_id = $1 AND id = $2");
    BY_EMAIL = select!(Account, " FROM accounts WHERE tenant_id = $1 AND email = $2");
    LIST = select!(Account, " FROM accounts WHERE tenant_id = $1 AND removed_at IS NULL");
    LIST_DETAILS = select!(AccountDetails, " FROM accounts WHERE tenant_id = $1 AND removed_at IS NULL");
    DETAILS = select!(AccountDetails, " FROM accounts WHERE tenant_id = $1 AND id = $2");
    NAMES = "SELECT a.email, a.name
        FROM {sqlite json_each($2) listed CROSS
            JOIN accounts a ON a.tenant_id = $1 AND a.email = listed.value AND a.removed_at IS NULL}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
            JOIN accounts a ON a.tenant_id = $1 AND a.email = listed.value AND a.removed_at IS NULL}";
    NAMES_BY_ID = "SELECT a.id, a.name, a.email
        FROM {sqlite json_each($2) listed CROSS JOIN accounts a ON a.tenant_id = $1 AND a.id = unhex(listed.value)}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
            JOIN accounts a ON a.tenant_id = $1 AND a.id = decode(listed.value, 'hex')}";
    /// Locks the administrators in the order of their ids. When two administrators remove each other at the same time,
    /// the second transaction waits and then sees the change of the first.
    ADMINISTRATORS = select!(
        Account,
        " FROM accounts WHERE tenant_id = $1 AND role = 'ADMINISTRATOR' AND removed_at IS NULL ORDER BY id {for_update}"
    );
    LOCK = "SELECT id FROM accounts WHERE tenant_id = $1 AND id = $2 {for_update}";
    LOG_IN_BY_ID = select!(LogInCandidate, " FROM accounts WHERE tenant_id = $1 AND id = $2");
    LOG_IN_BY_EMAIL = select!(LogInCandidate, " FROM accounts WHERE tenant_id = $1 AND email = $2");
    COUNT = "SELECT COUNT(*) FROM accounts WHERE tenant_id = $1 AND removed_at IS NULL";
    /// Setting the first password of an account ends no token and no session; replacing one ends both.
    SET_PASSWORD = "UPDATE accounts SET password_hash = $3, updated_at = $4,
        password_version = password_version + CASE WHEN password_hash = '' THEN 0 ELSE 1 END,
        credential_version = credential_version + CASE WHEN password_hash = '' THEN 0 ELSE 1 END
        WHERE tenant_id = $1 AND id = $2";
    RECORD_LOG_IN = "UPDATE accounts SET last_log_in_at = $3 WHERE tenant_id = $1 AND id = $2";
    SET_NAME = "UPDATE accounts SET name = $3, updated_at = $4 WHERE tenant_id = $1 AND id = $2";
    SET_ROLE = "UPDATE accounts SET role = $3, updated_at = $4 WHERE tenant_id = $1 AND id = $2";
    SET_DISABLED =
        "UPDATE accounts SET disabled = $3, updated_at = $4 WHERE tenant_id = $1 AND id = $2 AND disabled <> $3";
    REMOVE = "UPDATE accounts SET removed_at = $3, credential_version = credential_version + 1, updated_at = $3
        WHERE tenant_id = $1 AND id = $2";
    DELETE = "DELETE FROM accounts WHERE tenant_id = $1 AND id = $2";
    /// The account's password was replaced: ends what was issued to its membership.
    END_WITH_PASSWORD = "UPDATE accounts SET password_version = password_version + 1,
        credential_version = credential_version + 1, updated_at = $3 WHERE tenant_id = $1 AND id = $2";
    FORGET_PASSWORD = "UPDATE accounts SET password_hash = '', updated_at = $3 WHERE tenant_id = $1 AND id = $2";
    END_CREDENTIALS = "UPDATE accounts SET credential_version = credential_version + 1, updated_at = $3
        WHERE tenant_id = $1 AND id = $2";
}

record! {
    Account {
        id,
        email,
        name,
        role,
        disabled,
        removed_at,
        password_version,
        credential_version,
        created_at,
    }
}

columns! {
    AccountDetails {
        account: Account,
        has_password: "password_hash <> ''",
        has_second_factor: "(EXISTS (SELECT 1 FROM totp_factors f WHERE f.tenant_id = $1 AND f.account_id = accounts.id)
            OR EXISTS (SELECT 1 FROM passkeys f WHERE f.tenant_id = $1 AND f.account_id = accounts.id))",
        last_log_in_at,
    }
}

/// An account with what its password is compared with, removed and disabled ones included.
#[derive(Debug, Clone)]
pub struct LogInCandidate {
    pub tenant: TenantId,
    pub account: Account,
    pub password_hash: String,
}

columns! { LogInCandidate { account: Account, tenant: "tenant_id", password_hash } }

/// False if the tenant has an account with this address, also a removed one.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Account, password_hash: &str) -> Result<bool> {
    let row = Params::for_tenant(tenant).and(new).with(password_hash).with(new.created_at);
    Ok(tx.execute(&INSERT, &row).await? == 1)
}

/// Restores a removed account under its old id when its address is created again, with the new name, role and password.
/// Its old tokens, sessions and JWTs stay ended. None if there is no removed account with this address.
pub async fn revive(tx: &mut Tx<'_>, tenant: TenantId, new: &Account, password_hash: &str) -> Result<Option<Account>> {
    let row = params![tenant, &new.email, &new.name, new.role.name(), password_hash, new.created_at, new.disabled];
    tx.row(&REVIVE, row, read).await
}

pub async fn by_id(db: &Db, tenant: TenantId, id: AccountId) -> Result<Option<Account>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

pub async fn by_email(db: &Db, tenant: TenantId, email: &str) -> Result<Option<Account>> {
    db.row(&BY_EMAIL, params![tenant, email], read).await
}

pub async fn by_id_in(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId) -> Result<Option<Account>> {
    tx.row(&BY_ID, params![tenant, id], read).await
}

pub async fn by_email_in(tx: &mut Tx<'_>, tenant: TenantId, email: &str) -> Result<Option<Account>> {
    tx.row(&BY_EMAIL, params![tenant, email], read).await
}

/// Addresses and names of the accounts with these addresses, without removed ones.
pub async fn names(tx: &mut Tx<'_>, tenant: TenantId, emails: &[&str]) -> Result<Vec<(String, String)>> {
    let listed = domain::to_json(emails);
    tx.rows(&NAMES, params![tenant, &listed], read).await
}

/// Ids, names and addresses of these accounts, removed ones included.
pub async fn names_by_id(db: &Db, tenant: TenantId, ids: &[AccountId]) -> Result<Vec<(AccountId, String, String)>> {
    let listed = domain::to_json(ids);
    db.rows(&NAMES_BY_ID, params![tenant, &listed], read).await
}

pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Account>> {
    let mut all: Vec<Account> = db.rows(&LIST, params![tenant], read).await?;
    // Sorted here, since PostgreSQL may sort text by locale.
    all.sort_by(|a, b| a.email.cmp(&b.email));
    Ok(all)
}

pub async fn list_details(db: &Db, tenant: TenantId) -> Result<Vec<AccountDetails>> {
    let mut all: Vec<AccountDetails> = db.rows(&LIST_DETAILS, params![tenant], read).await?;
    all.sort_by(|a, b| a.account.email.cmp(&b.account.email));
    Ok(all)
}

pub async fn details(db: &Db, tenant: TenantId, id: AccountId) -> Result<Option<AccountDetails>> {
    db.row(&DETAILS, params![tenant, id], read).await
}

/// The administrators of a tenant that are not removed, disabled ones included, locked until the transaction ends.
pub async fn administrators(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Account>> {
    tx.rows(&ADMINISTRATORS, params![tenant], read).await
}

/// Makes transactions that count what an account has, before they add to it, wait for each other.
pub async fn lock(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId) -> Result<()> {
    tx.row::<AccountId>(&LOCK, params![tenant, id], read).await.map(drop)
}

/// An account with its password hash.
pub async fn for_log_in(db: &Db, tenant: TenantId, id: AccountId) -> Result<Option<LogInCandidate>> {
    db.row(&LOG_IN_BY_ID, params![tenant, id], read).await
}

pub async fn for_log_in_by_email(db: &Db, tenant: TenantId, email: &str) -> Result<Option<LogInCandidate>> {
    db.row(&LOG_IN_BY_EMAIL, params![tenant, email], read).await
}

pub async fn for_log_in_by_id_in(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId) -> Result<Option<LogInCandidate>> {
    tx.row(&LOG_IN_BY_ID, params![tenant, id], read).await
}

/// How many accounts a tenant has, without removed ones.
pub async fn count(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    Ok(tx.row(&COUNT, params![tenant], read).await?.unwrap_or_default())
}

/// Sets the password hash. Unless it is the account's first, also ends its tokens and sessions.
pub async fn set_password(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, hash: &str, now: Timestamp) -> Result<()> {
    tx.execute(&SET_PASSWORD, params![tenant, id, hash, now]).await.map(drop)
}

pub async fn record_log_in(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, now: Timestamp) -> Result<()> {
    tx.execute(&RECORD_LOG_IN, params![tenant, id, now]).await.map(drop)
}

pub async fn set_name(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, name: &str, now: Timestamp) -> Result<()> {
    tx.execute(&SET_NAME, params![tenant, id, name, now]).await.map(drop)
}

pub async fn set_role(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, role: Role, now: Timestamp) -> Result<()> {
    tx.execute(&SET_ROLE, params![tenant, id, role.name(), now]).await.map(drop)
}

/// Returns false if the account has this value already or does not exist.
pub async fn set_disabled(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: AccountId,
    disabled: bool,
    now: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(&SET_DISABLED, params![tenant, id, disabled, now]).await? == 1)
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, now: Timestamp) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id, now]).await.map(drop)
}

pub async fn delete(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId) -> Result<()> {
    tx.execute(&DELETE, params![tenant, id]).await.map(drop)
}

/// Ends the API tokens, sessions and legacy JWTs of a membership, because the password of its account was replaced.
pub async fn end_with_password(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, now: Timestamp) -> Result<()> {
    tx.execute(&END_WITH_PASSWORD, params![tenant, id, now]).await.map(drop)
}

/// Removes the password of a membership's own. Ends nothing.
pub async fn forget_password(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, now: Timestamp) -> Result<()> {
    tx.execute(&FORGET_PASSWORD, params![tenant, id, now]).await.map(drop)
}

/// Ends the sessions and legacy JWTs that were issued to the account so far. API tokens stay.
pub async fn end_credentials(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId, now: Timestamp) -> Result<()> {
    tx.execute(&END_CREDENTIALS, params![tenant, id, now]).await.map(drop)
}
