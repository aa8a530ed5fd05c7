//! `GET /api/ext/v3/contacts/count`: how many contacts there are, or were made between two dates.

use axum::Json;
use axum::extract::State;
use domain::Timestamp;
use domain::time::Moment;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::{ApiError, ApiResult};
use crate::gate::Caller;
use crate::input::Query;

const DATE_FROM: &[&str] = &["date_from", "dateFrom"];
const DATE_TO: &[&str] = &["date_to", "dateTo"];

/// Before and after every contact.
const ALWAYS: (Timestamp, Timestamp) = (Timestamp::from_micros(0), Timestamp::from_seconds(u32::MAX as i64));

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactCount {
    #[schema(example = 1204, minimum = 0)]
    contact_count: i64,
}

/// Count contacts
///
/// All of them, or those that were made between two dates, both included.
#[utoipa::path(
    get,
    path = "/api/ext/v3/contacts/count",
    tag = "contacts",
    params(
        ("date_from" = Option<String>, Query, nullable = false, example = "2026-04-01", description = "RFC 3339; without a zone it is UTC; a date alone is its first instant."),
        ("date_to" = Option<String>, Query, nullable = false, example = "2026-04-30T12:00:00Z", description = "The same, inclusive; a date alone covers that whole day."),
    ),
    responses((status = 200, description = "The number of contacts.", body = ContactCount)),
)]
pub(crate) async fn count_contacts(
    State(state): State<ApiState>,
    caller: Caller,
    query: Query,
) -> ApiResult<Json<ContactCount>> {
    let from = query.moment(DATE_FROM)?.map(Moment::first);
    let to = query.moment(DATE_TO)?.map(Moment::last);
    if from.zip(to).is_some_and(|(from, to)| from > to) {
        return Err(ApiError::invalid(DATE_FROM[0], "is after date_to"));
    }
    let limited = from.is_some() || to.is_some();
    let between = limited.then(|| (from.unwrap_or(ALWAYS.0), to.unwrap_or(ALWAYS.1)));
    let contact_count = state.app.contacts().count(&caller, between).await?;
    Ok(Json(ContactCount { contact_count }))
}
