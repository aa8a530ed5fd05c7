//! Epochs of news between nodes: a node raises one after it has done something that other nodes look for in all tenants.
//! They are rows of the installation, so that reading them asks no worker of a distributed database.

use std::collections::HashMap;

use domain::TenantId;

use crate::{Db, Result, params, read};

statements! {
    LIST = "SELECT name, value FROM epochs WHERE tenant_id = $1 AND name IN ($2, $3, $4)";
    RAISE = "INSERT INTO epochs (tenant_id, name, value) VALUES ($1, $2, 1)
        ON CONFLICT (tenant_id, name) DO UPDATE SET value = epochs.value + 1 RETURNING value";
}

/// The values of these epochs by name, without those that were never raised.
pub async fn list(db: &Db, names: [&str; 3]) -> Result<HashMap<String, i64>> {
    let [first, second, third] = names;
    let rows: Vec<(String, i64)> = db.rows(&LIST, params![TenantId::INSTALLATION, first, second, third], read).await?;
    Ok(rows.into_iter().collect())
}

/// Raises an epoch and returns its new value. For PostgreSQL only; needs no transaction.
pub async fn raise(db: &Db, name: &str) -> Result<i64> {
    let raised: Option<i64> = db.row(&RAISE, params![TenantId::INSTALLATION, name], read).await?;
    Ok(raised.unwrap_or_default())
}
