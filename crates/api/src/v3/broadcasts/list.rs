//! `GET /api/ext/v3/broadcasts`: pages of broadcasts, the most recently created first.

use app::broadcasts::BroadcastFilter;
use axum::Json;
use axum::extract::State;
use domain::time::Moment;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::BroadcastShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromQuery, Query, ShallowPageQuery, members, span};
use crate::page::{Page, PageNumber, PageRow};

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct ListBroadcastsQuery from Query {
        /// Only broadcasts created at this time or later: RFC 3339, in UTC if it names no zone; a date means its first
        /// instant. Also accepted: `dateFrom`, `start_date`.
        #[param(value_type = Option<String>, example = "2026-04-01", nullable = false)]
        date_from: Option<Moment> = moment["date_from", "dateFrom", "start_date"](),
        /// The end of the range, inclusive; a date includes the whole day. Also accepted: `dateTo`, `end_date`.
        #[param(value_type = Option<String>, example = "2026-04-30", nullable = false)]
        date_to: Option<Moment> = moment["date_to", "dateTo", "end_date"](),
        /// Name, number or id of a channel.
        #[param(example = "Support", nullable = false)]
        channel: Option<String> = text["channel"](),
    }
}

pub(crate) type BroadcastPage = Page<BroadcastShape, PageNumber, BroadcastTotal>;

impl PageRow for BroadcastShape {
    const MEMBER: &'static str = "broadcasts";
    const SCHEMA: (&'static str, &'static str) = ("BroadcastPage", "One page of broadcasts.");
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BroadcastTotal {
    /// The number of broadcasts on all pages.
    #[schema(example = 1)]
    total: i64,
}

/// Get broadcasts
///
/// The most recently created first. Every template send is a broadcast, also one to a single person.
#[utoipa::path(
    get,
    path = "/api/ext/v3/broadcasts",
    tag = "broadcasts",
    params(ListBroadcastsQuery, ShallowPageQuery),
    responses(
        (status = 200, description = "One page of broadcasts.", body = BroadcastPage),
        (status = 400, description = "Reasons: `invalid_parameter`; also for a channel that does not exist.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_broadcasts(
    State(state): State<ApiState>,
    caller: Caller,
    FromQuery(asked): FromQuery<ListBroadcastsQuery>,
    FromQuery(page): FromQuery<ShallowPageQuery>,
) -> ApiResult<Json<BroadcastPage>> {
    let (from, to) = span(["date_from", "date_to"], asked.date_from, asked.date_to)?;
    let (filter, page) = (BroadcastFilter { from, to, channel: asked.channel, name_part: None }, page.page()?);
    let (found, total) = state.app.broadcasts().list(&caller, &filter, page).await?;
    let broadcasts = found.into_iter().map(BroadcastShape::from);
    Ok(Json(Page::new(broadcasts, page.into()).with(BroadcastTotal { total })))
}
