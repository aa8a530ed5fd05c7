//! Deleted contacts of whom files and events are still to be erased. The row is inserted with the deletion, and deleted
//! when nothing is left to erase.

use domain::delivery::events::ErasedPerson;
use domain::{ContactId, MediaId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = insert!("erasures": Erasure);
    FIND = select!(Erasure, " FROM erasures WHERE tenant_id = $1 AND id = $2");
    OPEN tenantless "reads across tenants: the worker finds erasures that are not complete" =
        "SELECT DISTINCT tenant_id FROM erasures";
    OF_TENANT = select!(Erasure, " FROM erasures WHERE tenant_id = $1");
    SAVE_PROGRESS = "UPDATE erasures SET files = $3, position = $4, until = $5 WHERE tenant_id = $1 AND id = $2";
    REMOVE = "DELETE FROM erasures WHERE tenant_id = $1 AND id = $2";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Erasure {
    /// The deleted contact.
    pub id: ContactId,
    pub erased_at: Timestamp,
    pub person: ErasedPerson,
    /// Files that are still to be deleted.
    pub files: Vec<MediaId>,
    /// The number of the last event that was examined.
    pub position: i64,
    /// The number of the last event to examine. None until the events from before the deletion have numbers.
    pub until: Option<i64>,
}

record! { Erasure { id, erased_at, person, files, position, until } }

impl Erasure {
    /// Whether there are events to examine whose numbers are known.
    pub fn has_events(&self) -> bool {
        self.until > Some(self.position)
    }

    pub fn is_complete(&self) -> bool {
        self.files.is_empty() && self.until.is_some() && !self.has_events()
    }
}

pub async fn insert_erasure(tx: &mut Tx<'_>, tenant: TenantId, new: &Erasure) -> Result<()> {
    tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await.map(drop)
}

/// None when everything is erased.
pub async fn erasure(db: &Db, tenant: TenantId, contact: ContactId) -> Result<Option<Erasure>> {
    db.row(&FIND, params![tenant, contact], read).await
}

/// The tenants that have erasures that are not complete.
pub async fn tenants_with_erasures(db: &Db) -> Result<Vec<TenantId>> {
    db.rows(&OPEN, &[], read).await
}

/// The erasures of a tenant that are not complete.
pub async fn erasures_of(db: &Db, tenant: TenantId) -> Result<Vec<Erasure>> {
    db.rows(&OF_TENANT, params![tenant], read).await
}

/// Saves which files are left, and the position and the end in the log.
pub async fn save_erasure_progress(tx: &mut Tx<'_>, tenant: TenantId, erasure: &Erasure) -> Result<()> {
    let files = domain::to_json(&erasure.files);
    tx.execute(&SAVE_PROGRESS, params![tenant, erasure.id, &files, erasure.position, erasure.until]).await.map(drop)
}

pub async fn remove_erasure(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, contact]).await.map(drop)
}
