//! Results of an import: the verdicts of each batch as a short text, and each rejected row with its reason.

use domain::{ImportId, TenantId};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    ADD_VERDICTS = "INSERT INTO import_verdicts (tenant_id, import_id, first_row, verdicts) VALUES ($1, $2, $3, $4)";
    VERDICTS =
        "SELECT first_row, verdicts FROM import_verdicts WHERE tenant_id = $1 AND import_id = $2 AND first_row > $3
         ORDER BY first_row LIMIT 1";
    DROP_VERDICTS = "DELETE FROM import_verdicts WHERE tenant_id = $1 AND import_id = $2";
    ADD_REJECT = insert!("import_rejects": Reject, "import_id");
    REJECTS = select!(
        Reject,
        " FROM import_rejects WHERE tenant_id = $1 AND import_id = $2 AND number > $3
         ORDER BY number LIMIT $4"
    );
    DROP_REJECTS = "DELETE FROM import_rejects WHERE tenant_id = $1 AND import_id = $2";
    DROP_SOME_REJECTS = "DELETE FROM import_rejects WHERE tenant_id = $1 AND import_id = $2 AND number IN (
            SELECT r.number FROM import_rejects r WHERE r.tenant_id = $1 AND r.import_id = $2
            ORDER BY r.number LIMIT $3)";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    pub row: i64,
    pub column: String,
    pub reason: String,
    /// The raw line without its line break.
    pub line: Vec<u8>,
}

record! { Reject { row: "number", column: "field", reason, line } }

pub async fn add_results(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    import: ImportId,
    first_row: i64,
    verdicts: &str,
    rejects: &[Reject],
) -> Result<()> {
    tx.execute(&ADD_VERDICTS, params![tenant, import, first_row, verdicts]).await?;
    let rows = rejects.iter().map(|reject| Params::for_tenant(tenant).and(reject).with(import));
    tx.execute_many(&ADD_REJECT, rows).await.map(drop)
}

/// The verdicts of the next batch that begins after this row, and the number of its first row.
pub async fn verdicts(db: &Db, tenant: TenantId, import: ImportId, after: i64) -> Result<Option<(i64, String)>> {
    db.row(&VERDICTS, params![tenant, import, after], read).await
}

/// The rejected rows after this row.
pub async fn rejects(db: &Db, tenant: TenantId, import: ImportId, after: i64, limit: i64) -> Result<Vec<Reject>> {
    db.rows(&REJECTS, params![tenant, import, after, limit], read).await
}

/// Deletes the first rejected rows, at most `limit`, and returns how many.
pub async fn drop_some_rejects(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId, limit: i64) -> Result<u64> {
    tx.execute(&DROP_SOME_REJECTS, params![tenant, import, limit]).await
}

pub async fn drop_results(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId) -> Result<()> {
    tx.execute(&DROP_VERDICTS, params![tenant, import]).await?;
    tx.execute(&DROP_REJECTS, params![tenant, import]).await.map(drop)
}
