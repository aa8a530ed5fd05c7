//! `GET /api/ext/v3/orders`: orders with their payments, the newest first.

use app::orders::Filter;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::filter::{Parameters, filter};
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::Query;
use crate::orders::shape::OrderShape;

const LIMIT: &[&str] = &["limit", "page_size", "pageSize"];
const CURSOR: &[&str] = &["cursor"];

const DEFAULT_LIMIT: i64 = 20;
const MAX_LIMIT: i64 = 100;

/// One page of orders.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrderPage<'a> {
    orders: Vec<OrderShape<'a>>,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    limit: i64,
    has_more: bool,
    /// For the parameter `cursor` of the next call; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<&'a str>,
}

/// Get orders
///
/// The newest first, each with its payment as it is known at the moment.
#[utoipa::path(
    get,
    path = "/api/ext/v3/orders",
    tag = "orders",
    params(
        ("limit" = Option<i32>, Query, nullable = false, minimum = 1, maximum = 100, example = 20, description = "Maximum number of orders to return; 20 where it is left out."),
        ("cursor" = Option<String>, Query, nullable = false, description = "`next_cursor` of the page before."),
        Parameters,
    ),
    responses(
        (status = 200, description = "One page of orders.", body = OrderPage),
        (status = 404, description = "There is no such contact. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_orders(State(state): State<ApiState>, caller: Caller, query: Query) -> ApiResult<Response> {
    let limit = query.number(LIMIT, 1, MAX_LIMIT)?.unwrap_or(DEFAULT_LIMIT);
    let after = query.take(CURSOR)?.map(str::to_owned);
    let filter = Filter { limit: usize::try_from(limit).unwrap_or(1), after, ..filter(&query)? };
    let page = state.app.orders().list(&caller, &filter).await?;
    Ok(Json(OrderPage {
        orders: page.orders.iter().map(OrderShape::from).collect(),
        limit,
        has_more: page.next.is_some(),
        next_cursor: page.next.as_deref(),
    })
    .into_response())
}
