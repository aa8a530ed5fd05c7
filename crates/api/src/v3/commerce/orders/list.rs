//! `GET /api/ext/v3/orders`: orders with their payments, the most recently created first.

use app::commerce::orders::OrderSearch;

use super::filter::OrderFilterQuery;
use crate::prelude::*;
use crate::shared::commerce::orders::shape::OrderShape;

const DEFAULT_LIMIT: i32 = 20;
const MAX_LIMIT: i32 = 100;

members! {
    pub(crate) query OrderPageQuery from Query {
        /// Maximum number of orders to return. Default: 20.
        #[param(minimum = 1, maximum = 100, example = 20)]
        limit: Option<i32> = number["limit", "page_size", "pageSize"](1, MAX_LIMIT),
        /// The `next_cursor` from the previous page.
        cursor: Option<String> = text["cursor"](),
    }
}

pub(crate) type OrderPage<'a> = Page<OrderShape<'a>, PageCursor>;

rows!(OrderShape<'_>: "orders" in OrderPage, "One page of orders.");

/// Get orders
///
/// Returns orders, the most recently created first, each with the current state of its payment.
#[described::path(
    get,
    path = "/api/ext/v3/orders",
    params(OrderPageQuery, OrderFilterQuery),
    responses(
        (status = 200, description = "One page of orders.", body = OrderPage),
        (status = 404, description = "The contact does not exist. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_orders(
    Gated(state, caller): Gated,
    FromQuery(page): FromQuery<OrderPageQuery>,
    FromQuery(asked): FromQuery<OrderFilterQuery>,
) -> ApiResult<Response> {
    let limit = page.limit.unwrap_or(DEFAULT_LIMIT);
    let filter = OrderSearch { limit: usize::try_from(limit).unwrap_or(1), after: page.cursor, ..asked.into_filter()? };
    let page = state.app.commerce().orders().list(&caller, &filter).await?;
    let orders = page.orders.iter().map(OrderShape::from);
    Ok(Json(OrderPage::new(orders, PageCursor::new(limit, page.next))).into_response())
}
