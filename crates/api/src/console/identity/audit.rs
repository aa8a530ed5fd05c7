//! `GET /console/api/audit`: the audit log, newest first.

use domain::AuditEntryId;
use domain::identity::audit::AuditEntry;
use serde_json::Value;

use crate::console::guard::SignedIn;
use crate::prelude::*;

const LIMIT: &str = "limit";
const DEFAULT_LIMIT: i64 = 50;
const MAX_LIMIT: i64 = 1000;

list!(AuditEntries { "entries": AuditEntryView });

/// An entry in the audit log, with its details as JSON.
#[derive(Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct AuditEntryView {
    id: AuditEntryId,
    #[serde(serialize_with = "as_rfc3339")]
    at: Timestamp,
    actor: String,
    action: String,
    subject: String,
    details: Value,
    address: Option<String>,
    request_id: Option<String>,
}

impl From<AuditEntry> for AuditEntryView {
    fn from(entry: AuditEntry) -> Self {
        Self {
            id: entry.id,
            at: entry.at,
            actor: entry.actor,
            action: entry.action,
            subject: entry.subject,
            details: serde_json::from_str(&entry.details).unwrap_or_default(),
            address: entry.address,
            request_id: entry.request_id,
        }
    }
}

/// Get the audit log
#[described::path(
    get,
    path = "/console/api/audit",
    params((
        "limit" = Option<i64>,
        Query,
        description = "Maximum number of entries to return. Defaults to 50.",
        minimum = 1,
        maximum = 1000,
        nullable = false
    )),
    responses((status = 200, description = "The entries, newest first.", body = AuditEntries)),
)]
pub(crate) async fn show_audit(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    query: Query,
) -> ApiResult<Json<AuditEntries>> {
    if let Some(unknown) = query.names().find(|name| *name != LIMIT) {
        return Err(ApiError::invalid(unknown, "unknown parameter; expected limit"));
    }
    let limit = limit(&query)?;
    let entries = state.app.identity().audit().latest(&signed_in, limit).await?;
    Ok(Json(List::from_rows(entries)))
}

fn limit(query: &Query) -> ApiResult<i64> {
    let Some(text) = query.take(&[LIMIT])? else { return Ok(DEFAULT_LIMIT) };
    let limit = text.parse().ok().filter(|limit| (1..=MAX_LIMIT).contains(limit));
    limit.ok_or_else(|| ApiError::invalid(LIMIT, format!("expected a whole number from 1 to {MAX_LIMIT}")))
}
