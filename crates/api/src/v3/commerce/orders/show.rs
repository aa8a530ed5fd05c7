//! `GET /api/ext/v3/orders/{reference_id}`: one order.

use crate::prelude::*;
use crate::shared::commerce::orders::shape::OrderShape;

/// Get an order
///
/// Includes the current state of its payment.
#[described::path(
    get,
    path = "/api/ext/v3/orders/{reference_id}",
    params(("reference_id" = String, Path, description = "Your reference for the order.", example = "order-4711")),
    responses((status = 200, description = "The order.", body = OrderShape)),
)]
pub(crate) async fn get_order(
    Gated(state, caller): Gated,
    FromPath(reference): FromPath<String>,
) -> ApiResult<Response> {
    let shown = state.app.commerce().orders().find(&caller, &reference).await?;
    Ok(Json(OrderShape::from(&shown)).into_response())
}
