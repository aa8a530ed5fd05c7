//! Alerts of tenants, the settings that say where their notifications go, and the addresses that have to be confirmed.
//! At most one alert of each kind and subject is open at a time.

use const_format::concatcp;
use domain::identity::one_time_links::CodeHash;
use domain::platform::alerts::{Alert, AlertRecipient, AlertSettings};
use domain::{TenantId, Timestamp};

use crate::base::columns::{insert, record, select, update};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    SETTINGS = "SELECT doc FROM alert_settings WHERE tenant_id = $1";
    SAVE_SETTINGS = "INSERT INTO alert_settings (tenant_id, doc, updated_at) VALUES ($1, $2, $3)
        ON CONFLICT (tenant_id) DO UPDATE SET doc = excluded.doc, updated_at = excluded.updated_at";
    TENANTS tenantless "reads across tenants: the worker finds tenants with settings" =
        "SELECT tenant_id FROM alert_settings ORDER BY tenant_id";
    INSERT =
        concatcp!(insert!("alerts": Alert), " ON CONFLICT (tenant_id, kind, subject)
            WHERE ended_at IS NULL DO NOTHING");
    UPDATE = update!("alerts": Alert);
    OPEN = select!(Alert, " FROM alerts WHERE tenant_id = $1 AND ended_at IS NULL ORDER BY id");
    PENDING = select!(Alert, " FROM alerts WHERE tenant_id = $1 AND pending IS NOT NULL ORDER BY id LIMIT $2");
    RECENT = select!(Alert, " FROM alerts WHERE tenant_id = $1 ORDER BY id DESC LIMIT $2");
    RECIPIENTS = select!(AlertRecipient, " FROM alert_recipients WHERE tenant_id = $1");
    ADD_RECIPIENT = concatcp!(
        insert!("alert_recipients": AlertRecipient),
        " ON CONFLICT (tenant_id, email) DO NOTHING"
    );
    /// A new link ends the one before. An address that is confirmed stays so.
    RENEW_RECIPIENT = concatcp!(
        insert!("alert_recipients": AlertRecipient),
        " ON CONFLICT (tenant_id, email) DO UPDATE
         SET code_hash = excluded.code_hash, mailed_at = excluded.mailed_at
         WHERE alert_recipients.confirmed_at IS NULL"
    );
    /// Of two requests with the same code, only one changes the row.
    CONFIRM_RECIPIENT = "UPDATE alert_recipients SET code_hash = NULL, confirmed_at = $4
        WHERE tenant_id = $1 AND email = $2 AND code_hash = $3";
    REMOVE_RECIPIENT = "DELETE FROM alert_recipients WHERE tenant_id = $1 AND email = $2";
    SWEEP = "DELETE FROM alerts WHERE tenant_id = $1 AND ended_at IS NOT NULL AND ended_at < $2 AND pending IS NULL";
}

record! {
    Alert {
        id,
        kind,
        subject,
        title,
        detail,
        began_at,
        ended_at,
        pending,
        attempts,
        emails_sent,
        webhook_status,
        error,
    }
}

record! { AlertRecipient { email, code_hash, mailed_at, confirmed_at } }

/// None if the tenant has never saved settings.
pub async fn settings(db: &Db, tenant: TenantId) -> Result<Option<AlertSettings>> {
    db.row(&SETTINGS, params![tenant], read).await
}

pub async fn save_settings(tx: &mut Tx<'_>, tenant: TenantId, new: &AlertSettings, now: Timestamp) -> Result<()> {
    tx.execute(&SAVE_SETTINGS, &Params::for_tenant(tenant).and(new).with(now)).await.map(drop)
}

/// The tenants that have alert settings.
pub async fn tenants(db: &Db) -> Result<Vec<TenantId>> {
    db.rows(&TENANTS, &[], read).await
}

/// Returns false, and inserts nothing, if an alert of this kind and subject is open.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Alert) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await? == 1)
}

pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Alert) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed)).await.map(drop)
}

/// The alerts that have not ended, oldest first.
pub async fn open(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Alert>> {
    tx.rows(&OPEN, params![tenant], read).await
}

/// Alerts with a notification to send, oldest first.
pub async fn pending(db: &Db, tenant: TenantId, limit: i64) -> Result<Vec<Alert>> {
    db.rows(&PENDING, params![tenant, limit], read).await
}

/// The latest alerts, ended ones included, newest first.
pub async fn recent(db: &Db, tenant: TenantId, limit: i64) -> Result<Vec<Alert>> {
    db.rows(&RECENT, params![tenant, limit], read).await
}

/// The addresses whose owners were asked to confirm, those that have confirmed included.
pub async fn recipients(db: &Db, tenant: TenantId) -> Result<Vec<AlertRecipient>> {
    db.rows(&RECIPIENTS, params![tenant], read).await
}

/// Returns false, and inserts nothing, if the address is known.
pub async fn add_recipient(tx: &mut Tx<'_>, tenant: TenantId, new: &AlertRecipient) -> Result<bool> {
    Ok(tx.execute(&ADD_RECIPIENT, &Params::for_tenant(tenant).and(new)).await? == 1)
}

/// Replaces the link of an address. Returns false, and changes nothing, if the address is confirmed.
pub async fn renew_recipient(tx: &mut Tx<'_>, tenant: TenantId, new: &AlertRecipient) -> Result<bool> {
    Ok(tx.execute(&RENEW_RECIPIENT, &Params::for_tenant(tenant).and(new)).await? == 1)
}

/// Marks an address as confirmed, which ends its link. False if the link was used or replaced meanwhile.
pub async fn confirm_recipient(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    email: &str,
    hash: &CodeHash,
    now: Timestamp,
) -> Result<bool> {
    Ok(tx.execute(&CONFIRM_RECIPIENT, params![tenant, email, &hash.0, now]).await? == 1)
}

/// Deletes the rows of addresses that are not in the settings any more: one that returns has to be confirmed again.
pub async fn keep_recipients(tx: &mut Tx<'_>, tenant: TenantId, emails: &[String]) -> Result<()> {
    let known: Vec<AlertRecipient> = tx.rows(&RECIPIENTS, params![tenant], read).await?;
    let gone = known.iter().filter(|one| !emails.contains(&one.email));
    let rows = gone.map(|one| Params::for_tenant(tenant).with(&one.email));
    tx.execute_many(&REMOVE_RECIPIENT, rows).await.map(drop)
}

/// Deletes alerts that ended before this time and have no notification left to send.
pub async fn sweep(tx: &mut Tx<'_>, tenant: TenantId, before: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![tenant, before]).await
}
