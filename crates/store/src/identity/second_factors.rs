//! Second factors of accounts, enrolments and log-ins that wait for a factor, and whether a tenant requires one.

use const_format::concatcp;
use domain::identity::second_factors::{FactorKind, StoredPasskey, TotpFactor};
use domain::{AccountId, PasskeyId, PendingLogInId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    SAVE_TOTP = concatcp!(
        insert!("totp_factors": TotpFactor),
        " ON CONFLICT (tenant_id, account_id) DO UPDATE
         SET secret = excluded.secret, last_step = excluded.last_step, created_at = excluded.created_at,
         last_used_at = excluded.last_used_at"
    );
    TOTP = select!(TotpFactor, " FROM totp_factors WHERE tenant_id = $1 AND account_id = $2");
    /// Of two log-ins with the same code, one finds an earlier step.
    USE_STEP = "UPDATE totp_factors SET last_step = $3, last_used_at = $4, secret = $5
        WHERE tenant_id = $1 AND account_id = $2 AND last_step < $3";
    REMOVE_TOTP = "DELETE FROM totp_factors WHERE tenant_id = $1 AND account_id = $2";
    INSERT_PASSKEY = insert!("passkeys": StoredPasskey);
    PASSKEYS = select!(StoredPasskey, " FROM passkeys WHERE tenant_id = $1 AND account_id = $2 ORDER BY id");
    USE_PASSKEY =
        "UPDATE passkeys SET credential = $4, last_used_at = $5 WHERE tenant_id = $1 AND id = $2 AND account_id = $3";
    REMOVE_PASSKEY = "DELETE FROM passkeys WHERE tenant_id = $1 AND id = $2 AND account_id = $3";
    REMOVE_PASSKEYS = "DELETE FROM passkeys WHERE tenant_id = $1 AND account_id = $2";
    INSERT_CODE = "INSERT INTO recovery_codes (tenant_id, account_id, hash, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, account_id, hash) DO NOTHING";
    CODES = "SELECT hash, created_at FROM recovery_codes WHERE tenant_id = $1 AND account_id = $2";
    COUNT_CODES = "SELECT COUNT(*) FROM recovery_codes WHERE tenant_id = $1 AND account_id = $2";
    /// Of two log-ins with the same code, one deletes the row.
    TAKE_CODE = "DELETE FROM recovery_codes WHERE tenant_id = $1 AND account_id = $2 AND hash = $3";
    REMOVE_CODES = "DELETE FROM recovery_codes WHERE tenant_id = $1 AND account_id = $2";
    SAVE_ENROLMENT =
        "INSERT INTO factor_enrolments (tenant_id, account_id, kind, state, expires_at) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (tenant_id, account_id, kind)
             DO UPDATE SET state = excluded.state, expires_at = excluded.expires_at";
    ENROLMENT = "SELECT state FROM factor_enrolments
        WHERE tenant_id = $1 AND account_id = $2 AND kind = $3 AND expires_at > $4";
    TAKE_ENROLMENT =
        "DELETE FROM factor_enrolments WHERE tenant_id = $1 AND account_id = $2 AND kind = $3 AND state = $4";
    REMOVE_ENROLMENTS = "DELETE FROM factor_enrolments WHERE tenant_id = $1 AND account_id = $2";
    SWEEP_ENROLMENTS tenantless "enrolments of the past are swept for all tenants together" =
        "DELETE FROM factor_enrolments WHERE expires_at < $1";
    INSERT_PENDING = insert!("pending_log_ins": PendingLogIn);
    PENDING = select!(PendingLogIn, " FROM pending_log_ins WHERE tenant_id = $1 AND id = $2");
    /// Of two requests that finish the same log-in, one deletes the row.
    TAKE_PENDING = "DELETE FROM pending_log_ins WHERE tenant_id = $1 AND id = $2 AND expires_at > $3";
    SET_CHALLENGE = "UPDATE pending_log_ins SET challenge = $3 WHERE tenant_id = $1 AND id = $2";
    /// Of two requests that answer the same challenge, one clears it.
    TAKE_CHALLENGE = "UPDATE pending_log_ins SET challenge = NULL WHERE tenant_id = $1 AND id = $2 AND challenge = $3";
    REMOVE_PENDING = "DELETE FROM pending_log_ins WHERE tenant_id = $1 AND account_id = $2";
    SWEEP_PENDING tenantless "log-ins of the past are swept for all tenants together" =
        "DELETE FROM pending_log_ins WHERE expires_at < $1";
    REQUIRED = "SELECT second_factor_required FROM security_settings WHERE tenant_id = $1";
    SET_REQUIRED = "INSERT INTO security_settings (tenant_id, second_factor_required, updated_at) VALUES ($1, $2, $3)
        ON CONFLICT (tenant_id) DO UPDATE
        SET second_factor_required = excluded.second_factor_required, updated_at = excluded.updated_at";
}

record! { TotpFactor { account_id, secret, last_step, created_at, last_used_at } }
record! { StoredPasskey { id, account_id, host, name, credential, created_at, last_used_at } }

/// A log-in with the right password that waits for its second factor.
#[derive(Debug, Clone)]
pub struct PendingLogIn {
    pub id: PendingLogInId,
    pub account_id: AccountId,
    /// Keyed hash of the value in the browser's cookie.
    pub hash: [u8; 32],
    pub credential_version: i64,
    pub expires_at: Timestamp,
    /// Sealed: what a passkey is to sign.
    pub challenge: Option<Vec<u8>>,
}

record! { PendingLogIn { id, account_id, hash, credential_version, expires_at, challenge } }

pub async fn save_totp(tx: &mut Tx<'_>, tenant: TenantId, factor: &TotpFactor) -> Result<()> {
    tx.execute(&SAVE_TOTP, &Params::for_tenant(tenant).and(factor)).await.map(drop)
}

pub async fn totp(db: &Db, tenant: TenantId, account: AccountId) -> Result<Option<TotpFactor>> {
    db.row(&TOTP, params![tenant, account], read).await
}

pub async fn totp_in(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId) -> Result<Option<TotpFactor>> {
    tx.row(&TOTP, params![tenant, account], read).await
}

/// Marks a step and all before it as used, and replaces the sealed secret. False if it was used before.
pub async fn use_step(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account: AccountId,
    step: i64,
    sealed: &[u8],
    now: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(&USE_STEP, params![tenant, account, step, now, sealed]).await? == 1)
}

/// False if there is none.
pub async fn remove_totp(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId) -> Result<bool> {
    Ok(tx.execute(&REMOVE_TOTP, params![tenant, account]).await? == 1)
}

pub async fn insert_passkey(tx: &mut Tx<'_>, tenant: TenantId, new: &StoredPasskey) -> Result<()> {
    tx.execute(&INSERT_PASSKEY, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

/// Oldest first.
pub async fn passkeys(db: &Db, tenant: TenantId, account: AccountId) -> Result<Vec<StoredPasskey>> {
    db.rows(&PASSKEYS, params![tenant, account], read).await
}

pub async fn passkeys_in(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId) -> Result<Vec<StoredPasskey>> {
    tx.rows(&PASSKEYS, params![tenant, account], read).await
}

/// False if the passkey was removed meanwhile.
pub async fn use_passkey(tx: &mut Tx<'_>, tenant: TenantId, used: &StoredPasskey, now: Timestamp) -> Result<bool> {
    let row = params![tenant, used.id, used.account_id, &used.credential, now];
    Ok(tx.execute(&USE_PASSKEY, row).await? == 1)
}

/// False if the account has no such passkey.
pub async fn remove_passkey(tx: &mut Tx<'_>, tenant: TenantId, id: PasskeyId, account: AccountId) -> Result<bool> {
    Ok(tx.execute(&REMOVE_PASSKEY, params![tenant, id, account]).await? == 1)
}

/// Replaces all recovery codes of the account.
pub async fn replace_recovery_codes(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account: AccountId,
    hashes: &[[u8; 32]],
    now: Timestamp,
) -> Result<()> {
    tx.execute(&REMOVE_CODES, params![tenant, account]).await?;
    let rows = hashes.iter().map(|hash| Params::for_tenant(tenant).with(account).with(hash).with(now));
    tx.execute_many(&INSERT_CODE, rows).await.map(drop)
}

pub async fn recovery_codes_left(db: &Db, tenant: TenantId, account: AccountId) -> Result<i64> {
    Ok(db.row(&COUNT_CODES, params![tenant, account], read).await?.unwrap_or_default())
}

pub async fn recovery_codes_left_in(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId) -> Result<i64> {
    Ok(tx.row(&COUNT_CODES, params![tenant, account], read).await?.unwrap_or_default())
}

/// False if the account has no such code, or it was used.
pub async fn take_recovery_code(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account: AccountId,
    hash: &[u8; 32],
) -> Result<bool> {
    Ok(tx.execute(&TAKE_CODE, params![tenant, account, hash]).await? == 1)
}

pub async fn remove_recovery_codes(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId) -> Result<()> {
    tx.execute(&REMOVE_CODES, params![tenant, account]).await.map(drop)
}

/// Removes all factors of the account, with its recovery codes and what has begun. Returns how many factors it had.
pub async fn remove_all(tx: &mut Tx<'_>, tenant: TenantId, account: AccountId) -> Result<u64> {
    let removed = tx.execute(&REMOVE_TOTP, params![tenant, account]).await?
        + tx.execute(&REMOVE_PASSKEYS, params![tenant, account]).await?;
    for rest in [&REMOVE_CODES, &REMOVE_ENROLMENTS, &REMOVE_PENDING] {
        tx.execute(rest, params![tenant, account]).await?;
    }
    Ok(removed)
}

/// Moves the factors and recovery codes of an account in a tenant to the account of the installation with the same id.
pub(crate) async fn move_to_account(tx: &mut Tx<'_>, tenant: TenantId, id: AccountId) -> Result<()> {
    let installation = TenantId::INSTALLATION;
    if let Some(totp) = totp_in(tx, tenant, id).await? {
        save_totp(tx, installation, &totp).await?;
    }
    for passkey in passkeys_in(tx, tenant, id).await? {
        insert_passkey(tx, installation, &passkey).await?;
    }
    let codes: Vec<([u8; 32], Timestamp)> = tx.rows(&CODES, params![tenant, id], read).await?;
    let rows = codes.iter().map(|(hash, at)| Params::for_tenant(installation).with(id).with(hash).with(*at));
    tx.execute_many(&INSERT_CODE, rows).await?;
    remove_all(tx, tenant, id).await.map(drop)
}

/// Replaces an enrolment of the same kind.
pub async fn save_enrolment(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account: AccountId,
    kind: FactorKind,
    state: &[u8],
    expires_at: Timestamp,
) -> Result<()> {
    tx.execute(&SAVE_ENROLMENT, params![tenant, account, kind.name(), state, expires_at]).await.map(drop)
}

/// The sealed state of an enrolment that has not expired.
pub async fn enrolment(
    db: &Db,
    tenant: TenantId,
    account: AccountId,
    kind: FactorKind,
    now: Timestamp,
) -> Result<Option<Vec<u8>>> {
    db.row(&ENROLMENT, params![tenant, account, kind.name(), now], read).await
}

/// False if it was finished or replaced meanwhile.
pub async fn take_enrolment(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account: AccountId,
    kind: FactorKind,
    state: &[u8],
) -> Result<bool> {
    Ok(tx.execute(&TAKE_ENROLMENT, params![tenant, account, kind.name(), state]).await? == 1)
}

pub async fn insert_pending(tx: &mut Tx<'_>, tenant: TenantId, new: &PendingLogIn) -> Result<()> {
    tx.execute(&INSERT_PENDING, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

pub async fn pending(db: &Db, tenant: TenantId, id: PendingLogInId) -> Result<Option<PendingLogIn>> {
    db.row(&PENDING, params![tenant, id], read).await
}

/// False if the log-in was finished or has expired.
pub async fn take_pending(tx: &mut Tx<'_>, tenant: TenantId, id: PendingLogInId, now: Timestamp) -> Result<bool> {
    Ok(tx.execute(&TAKE_PENDING, params![tenant, id, now]).await? == 1)
}

pub async fn set_challenge(tx: &mut Tx<'_>, tenant: TenantId, id: PendingLogInId, challenge: &[u8]) -> Result<()> {
    tx.execute(&SET_CHALLENGE, params![tenant, id, challenge]).await.map(drop)
}

/// False if the challenge was answered or replaced.
pub async fn take_challenge(tx: &mut Tx<'_>, tenant: TenantId, id: PendingLogInId, challenge: &[u8]) -> Result<bool> {
    Ok(tx.execute(&TAKE_CHALLENGE, params![tenant, id, challenge]).await? == 1)
}

/// Deletes log-ins and enrolments that have expired.
pub async fn sweep(tx: &mut Tx<'_>, now: Timestamp) -> Result<u64> {
    Ok(tx.execute(&SWEEP_PENDING, params![now]).await? + tx.execute(&SWEEP_ENROLMENTS, params![now]).await?)
}

pub async fn is_required(db: &Db, tenant: TenantId) -> Result<bool> {
    Ok(db.row(&REQUIRED, params![tenant], read).await?.unwrap_or_default())
}

pub async fn is_required_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<bool> {
    Ok(tx.row(&REQUIRED, params![tenant], read).await?.unwrap_or_default())
}

pub async fn set_required(tx: &mut Tx<'_>, tenant: TenantId, required: bool, now: Timestamp) -> Result<()> {
    tx.execute(&SET_REQUIRED, params![tenant, required, now]).await.map(drop)
}
