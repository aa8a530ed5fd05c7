//! Alerts of tenants, and the settings that say where their notifications go. At most one alert of each kind and
//! subject is open at a time.

use const_format::concatcp;
use domain::platform::alerts::{Alert, AlertSettings};
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

/// Deletes alerts that ended before this time and have no notification left to send.
pub async fn sweep(tx: &mut Tx<'_>, tenant: TenantId, before: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP, params![tenant, before]).await
}
