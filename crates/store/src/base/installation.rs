//! Named values of the installation (fingerprint of its secret key, public URL, sealed secrets), and the size of the
//! database.

use domain::{TenantId, Timestamp};

use crate::base::citus;
use crate::{Db, Result, Tx, params, read};

statements! {
    READ = "SELECT value FROM installation WHERE tenant_id = $1 AND name = $2";
    WRITE = "INSERT INTO installation (tenant_id, name, value) VALUES ($1, $2, $3)
        ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value";
    SIZE tenantless "the size of the whole database" =
        "SELECT {sqlite page_count * page_size FROM pragma_page_count(), pragma_page_size()}
         {postgres pg_database_size(current_database())}";
}

pub(crate) const KEY_FINGERPRINT: &str = "secret_key_fingerprint";

const PUBLIC_URL: &str = "public_url";
const WRITTEN_AT: &str = "written_at";

/// The public URL that was saved by the server that started last.
pub async fn public_url(db: &Db) -> Result<Option<String>> {
    db.row(&READ, params![TenantId::INSTALLATION, PUBLIC_URL], read).await
}

pub async fn set_public_url(tx: &mut Tx<'_>, url: &str) -> Result<()> {
    tx.execute(&WRITE, params![TenantId::INSTALLATION, PUBLIC_URL, url]).await.map(drop)
}

/// A sealed secret of the installation, as text.
pub async fn sealed(db: &Db, name: &str) -> Result<Option<String>> {
    db.row(&READ, params![TenantId::INSTALLATION, name], read).await
}

pub async fn set_sealed(tx: &mut Tx<'_>, name: &str, sealed: &str) -> Result<()> {
    tx.execute(&WRITE, params![TenantId::INSTALLATION, name, sealed]).await.map(drop)
}

pub async fn key_fingerprint(db: &Db) -> Result<Option<String>> {
    db.row(&READ, params![TenantId::INSTALLATION, KEY_FINGERPRINT], read).await
}

/// Changes a value, to find out whether the database can be written.
pub async fn set_written_at(tx: &mut Tx<'_>, now: Timestamp) -> Result<()> {
    let now = now.to_rfc3339();
    tx.execute(&WRITE, params![TenantId::INSTALLATION, WRITTEN_AT, &now]).await.map(drop)
}

/// Size of the whole database in bytes, on Citus over all servers.
pub async fn size_bytes(db: &Db) -> Result<Option<i64>> {
    if db.is_distributed() { citus::size_bytes(db).await } else { db.row(&SIZE, &[], read).await }
}

pub async fn key_fingerprint_in(tx: &mut Tx<'_>) -> Result<Option<String>> {
    tx.row(&READ, params![TenantId::INSTALLATION, KEY_FINGERPRINT], read).await
}

pub async fn set_key_fingerprint(tx: &mut Tx<'_>, fingerprint: &str) -> Result<()> {
    tx.execute(&WRITE, params![TenantId::INSTALLATION, KEY_FINGERPRINT, fingerprint]).await.map(drop)
}
