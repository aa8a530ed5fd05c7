//! Simulated people. Each has a fixed position in its tenant.

use const_format::concatcp;
use domain::{TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

const OF_TENANT: &str = " FROM sandbox_people WHERE tenant_id = $1 ";

statements! {
    INSERT = concatcp!(insert!("sandbox_people": Person), " ON CONFLICT DO NOTHING");
    LIST = select!(Person, OF_TENANT, "ORDER BY position");
    BY_POSITION = select!(Person, OF_TENANT, "AND position = $2");
    BY_PHONE = select!(Person, OF_TENANT, "AND phone = $2");
    BY_BSUID = select!(Person, OF_TENANT, "AND bsuid = $2");
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    pub position: i64,
    pub name: String,
    /// Digits; None for a person without a visible number.
    pub phone: Option<String>,
    pub bsuid: String,
    pub parent_bsuid: Option<String>,
    pub username: Option<String>,
    pub created_at: Timestamp,
}

record! { Person { position, name, phone, bsuid, parent_bsuid, username, created_at } }

/// False if another person has the position, the number or the BSUID.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Person) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await? == 1)
}

/// All people of a tenant, by position.
pub async fn list(db: &Db, tenant: TenantId) -> Result<Vec<Person>> {
    db.rows(&LIST, params![tenant], read).await
}

pub async fn list_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Person>> {
    tx.rows(&LIST, params![tenant], read).await
}

pub async fn by_position(tx: &mut Tx<'_>, tenant: TenantId, position: i64) -> Result<Option<Person>> {
    tx.row(&BY_POSITION, params![tenant, position], read).await
}

pub async fn by_phone(tx: &mut Tx<'_>, tenant: TenantId, digits: &str) -> Result<Option<Person>> {
    tx.row(&BY_PHONE, params![tenant, digits], read).await
}

pub async fn by_bsuid(tx: &mut Tx<'_>, tenant: TenantId, bsuid: &str) -> Result<Option<Person>> {
    tx.row(&BY_BSUID, params![tenant, bsuid], read).await
}
