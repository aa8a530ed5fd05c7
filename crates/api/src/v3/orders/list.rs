//! `GET /api/ext/v3/orders`: orders with their payments, the most recently created first.

use app::orders::OrderSearch;
use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};

use super::filter::OrderFilterQuery;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromQuery, Query, members};
use crate::orders::shape::OrderShape;
use crate::page::{Page, PageCursor, PageRow};

const DEFAULT_LIMIT: i32 = 20;
const MAX_LIMIT: i32 = 100;

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct OrderPageQuery from Query {
        /// Maximum number of orders to return. Default: 20.
        #[param(minimum = 1, maximum = 100, example = 20, nullable = false)]
        limit: Option<i32> = number["limit", "page_size", "pageSize"](1, MAX_LIMIT),
        /// `next_cursor` of the previous page.
        #[param(nullable = false)]
        cursor: Option<String> = text["cursor"](),
    }
}

pub(crate) type OrderPage<'a> = Page<OrderShape<'a>, PageCursor>;

impl PageRow for OrderShape<'_> {
    const MEMBER: &'static str = "orders";
    const SCHEMA: (&'static str, &'static str) = ("OrderPage", "One page of orders.");
}

/// Get orders
///
/// The most recently created first, each with the current state of its payment.
#[utoipa::path(
    get,
    path = "/api/ext/v3/orders",
    tag = "orders",
    params(OrderPageQuery, OrderFilterQuery),
    responses(
        (status = 200, description = "One page of orders.", body = OrderPage),
        (status = 404, description = "There is no such contact. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_orders(
    State(state): State<ApiState>,
    caller: Caller,
    FromQuery(page): FromQuery<OrderPageQuery>,
    FromQuery(asked): FromQuery<OrderFilterQuery>,
) -> ApiResult<Response> {
    let limit = page.limit.unwrap_or(DEFAULT_LIMIT);
    let filter = OrderSearch { limit: usize::try_from(limit).unwrap_or(1), after: page.cursor, ..asked.into_filter()? };
    let page = state.app.orders().list(&caller, &filter).await?;
    let orders = page.orders.iter().map(OrderShape::from);
    Ok(Json(OrderPage::new(orders, PageCursor::new(limit, page.next))).into_response())
}
