//! `GET /{tenantId}/api/v1/order_details/{referenceId}`: one order.

use crate::prelude::*;
use crate::shared::commerce::orders::shape::OrderShape;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OrderAnswerV1<'a> {
    #[schema(example = true)]
    result: bool,
    order: OrderShape<'a>,
}

/// Get an order
///
/// Finds the order by your reference. Includes the current state of its payment.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/order_details/{referenceId}",
    tag = "orders",
    params(("referenceId" = String, Path, description = "Your reference for the order.", example = "order-4711")),
    responses(
        (status = 200, description = "The order.", body = OrderAnswerV1),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_order_details(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<(String, String)>,
) -> ApiResult<Response> {
    let (_tenant, reference) = path;
    let shown = state.app.commerce().orders().find(&caller, &reference).await?;
    Ok(Json(OrderAnswerV1 { result: true, order: OrderShape::from(&shown) }).into_response())
}
