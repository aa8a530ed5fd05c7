//! What came of the rows of an import: a short text for each batch, and each rejected row with its reason.

use domain::{ImportId, TenantId};

use crate::{Db, Result, Statement, Tx, params};

static ADD_VERDICTS: Statement = Statement::new(
    "import_verdicts.add",
    "INSERT INTO import_verdicts (tenant_id, import_id, first_row, verdicts) VALUES ($1, $2, $3, $4)",
);
static VERDICTS: Statement = Statement::new(
    "import_verdicts.after",
    "SELECT first_row, verdicts FROM import_verdicts WHERE tenant_id = $1 AND import_id = $2 AND first_row > $3
     ORDER BY first_row LIMIT 1",
);
static DROP_VERDICTS: Statement =
    Statement::new("import_verdicts.drop", "DELETE FROM import_verdicts WHERE tenant_id = $1 AND import_id = $2");
static ADD_REJECT: Statement = Statement::new(
    "import_rejects.add",
    "INSERT INTO import_rejects (tenant_id, import_id, number, field, reason, line) VALUES ($1, $2, $3, $4, $5, $6)",
);
static REJECTS: Statement = Statement::new(
    "import_rejects.after",
    "SELECT number, field, reason, line FROM import_rejects WHERE tenant_id = $1 AND import_id = $2 AND number > $3
     ORDER BY number LIMIT $4",
);
static DROP_REJECTS: Statement =
    Statement::new("import_rejects.drop", "DELETE FROM import_rejects WHERE tenant_id = $1 AND import_id = $2");

pub(super) static STATEMENTS: &[&Statement] =
    &[&ADD_VERDICTS, &VERDICTS, &DROP_VERDICTS, &ADD_REJECT, &REJECTS, &DROP_REJECTS];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    pub row: i64,
    pub column: String,
    pub reason: String,
    /// As it came, without its line break.
    pub line: Vec<u8>,
}

pub async fn add_results(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    import: ImportId,
    (first_row, verdicts): (i64, &str),
    rejects: &[Reject],
) -> Result<()> {
    tx.execute(&ADD_VERDICTS, params![tenant, import, first_row, verdicts]).await?;
    let rows: Vec<Vec<crate::Param<'_>>> = rejects
        .iter()
        .map(|Reject { row, column, reason, line }| params![tenant, import, *row, column, reason, line].to_vec())
        .collect();
    tx.execute_many(&ADD_REJECT, &rows).await.map(drop)
}

/// The next batch behind this row: its first row and its verdicts.
pub async fn verdicts(db: &Db, tenant: TenantId, import: ImportId, after: i64) -> Result<Option<(i64, String)>> {
    db.row(&VERDICTS, params![tenant, import, after], |row| Ok((row.int(0)?, row.string(1)?))).await
}

/// The rejected rows behind this row.
pub async fn rejects(db: &Db, tenant: TenantId, import: ImportId, after: i64, limit: i64) -> Result<Vec<Reject>> {
    let read = |row: &crate::Row<'_>| {
        Ok(Reject { row: row.int(0)?, column: row.string(1)?, reason: row.string(2)?, line: row.bytes(3)?.to_vec() })
    };
    db.rows(&REJECTS, params![tenant, import, after, limit], read).await
}

pub async fn drop_results(tx: &mut Tx<'_>, tenant: TenantId, import: ImportId) -> Result<()> {
    tx.execute(&DROP_VERDICTS, params![tenant, import]).await?;
    tx.execute(&DROP_REJECTS, params![tenant, import]).await.map(drop)
}
