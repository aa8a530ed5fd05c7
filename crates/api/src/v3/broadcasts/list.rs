//! `GET /api/ext/v3/broadcasts`: pages of broadcasts, the newest first.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::BroadcastShape;
use super::{filter, page};
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::Query;

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// Only those made then or later: RFC 3339; without a zone it is UTC; a date alone is its first instant. Also
    /// accepted: `dateFrom`, `start_date`.
    #[param(example = "2026-04-01", nullable = false)]
    date_from: Option<String>,
    /// The same, inclusive; a date alone covers that whole day. Also accepted: `dateTo`, `end_date`.
    #[param(example = "2026-04-30", nullable = false)]
    date_to: Option<String>,
    /// Name, number or id of a channel.
    #[param(example = "Support", nullable = false)]
    channel: Option<String>,
    /// Pages count from 1; the list goes 10 000 broadcasts deep. Also accepted: `pageNumber`.
    #[param(minimum = 1, maximum = 10_000, default = 1, example = 1, nullable = false)]
    page_number: Option<i32>,
    /// Broadcasts on a page. Also accepted: `pageSize`.
    #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
    page_size: Option<i32>,
}

/// One page of broadcasts.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastPage {
    broadcasts: Vec<BroadcastShape>,
    #[schema(example = 1, minimum = 1)]
    page_number: i64,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    page_size: i64,
    /// On all pages.
    #[schema(example = 1)]
    total: i64,
}

/// Get broadcasts
///
/// The newest first. Every template send is one, also one to a single person.
#[utoipa::path(
    get,
    path = "/api/ext/v3/broadcasts",
    tag = "broadcasts",
    params(Parameters),
    responses(
        (status = 200, description = "One page of broadcasts.", body = BroadcastPage),
        (status = 404, description = "There is no such channel. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_broadcasts(
    State(state): State<ApiState>,
    caller: Caller,
    query: Query,
) -> ApiResult<Json<BroadcastPage>> {
    let (filter, page) = (filter(&query)?, page(&query)?);
    let (found, total) = state.app.broadcasts().list(&caller, &filter, page).await?;
    Ok(Json(BroadcastPage {
        broadcasts: found.into_iter().map(BroadcastShape::from).collect(),
        page_number: page.number(),
        page_size: page.size(),
        total,
    }))
}
