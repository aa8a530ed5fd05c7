//! Calls: one row a call, with the JSON text that shows it stored beside its columns.

mod list;
mod rows;

pub use list::{Filter, Listed, OperatorRef, count, explain, list, lists};

use domain::calls::Call;
use domain::{CallId, TenantId};

use crate::{Db, Result, Statement, Tx, params};
use rows::{bind, call};

static INSERT: Statement = Statement::new(
    "calls.insert",
    "INSERT INTO calls (tenant_id, id, call_id, direction, status, from_number, to_number, started_at, answered_at,
         ended_at, duration_seconds, facet, end_reason, operator_id, operator_email, operator_name, team_name, contact_id,
         bsuid, parent_bsuid, username, wa_id, conversation_id, channel_id, channel_phone_number, doc)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
         $24, $25, $26)
     ON CONFLICT (tenant_id, call_id) DO NOTHING",
);
static UPDATE: Statement = Statement::new(
    "calls.update",
    "UPDATE calls SET call_id = $3, direction = $4, status = $5, from_number = $6, to_number = $7, started_at = $8,
         answered_at = $9, ended_at = $10, duration_seconds = $11, facet = $12, end_reason = $13, operator_id = $14,
         operator_email = $15, operator_name = $16, team_name = $17, contact_id = $18, bsuid = $19, parent_bsuid = $20,
         username = $21, wa_id = $22, conversation_id = $23, channel_id = $24, channel_phone_number = $25, doc = $26
     WHERE tenant_id = $1 AND id = $2",
);
static SHOW: Statement = Statement::new("calls.show", "SELECT doc FROM calls WHERE tenant_id = $1 AND id = $2");
static BY_CALL_ID: Statement = Statement::new(
    "calls.by_call_id",
    "SELECT id, call_id, direction, status, from_number, to_number, started_at, answered_at, ended_at, end_reason,
         operator_id, operator_email, operator_name, team_name, contact_id, bsuid, parent_bsuid, username, wa_id,
         conversation_id, channel_id, channel_phone_number
     FROM calls WHERE tenant_id = $1 AND call_id = $2",
);
/// Two updates of one call follow each other, also where readers do not block writers.
static FOR_UPDATE: Statement = Statement::new(
    "calls.for_update",
    "SELECT id, call_id, direction, status, from_number, to_number, started_at, answered_at, ended_at, end_reason,
         operator_id, operator_email, operator_name, team_name, contact_id, bsuid, parent_bsuid, username, wa_id,
         conversation_id, channel_id, channel_phone_number
     FROM calls WHERE tenant_id = $1 AND id = $2 {for_update}",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &UPDATE, &SHOW, &BY_CALL_ID, &FOR_UPDATE];

/// False when a call with this `call_id` is there already.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Call) -> Result<bool> {
    let doc = new.to_json();
    Ok(tx.execute(&INSERT, &bind(tenant, new, &doc)).await? == 1)
}

/// Many calls at once; those that are there already are left as they are. Answers how many were new.
pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, calls: &[Call]) -> Result<u64> {
    let docs: Vec<String> = calls.iter().map(Call::to_json).collect();
    let rows: Vec<_> = calls.iter().zip(&docs).map(|(call, doc)| bind(tenant, call, doc).to_vec()).collect();
    tx.execute_many(&INSERT, &rows).await
}

pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Call) -> Result<()> {
    let doc = changed.to_json();
    tx.execute(&UPDATE, &bind(tenant, changed, &doc)).await.map(drop)
}

/// The JSON text of one call.
pub async fn show(db: &Db, tenant: TenantId, id: CallId) -> Result<Option<String>> {
    db.row(&SHOW, params![tenant, id], |row| row.string(0)).await
}

pub async fn by_call_id(tx: &mut Tx<'_>, tenant: TenantId, call_id: &str) -> Result<Option<Call>> {
    tx.row(&BY_CALL_ID, params![tenant, call_id], call).await
}

pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: CallId) -> Result<Option<Call>> {
    tx.row(&FOR_UPDATE, params![tenant, id], call).await
}
