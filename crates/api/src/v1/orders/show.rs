//! `GET /{tenantId}/api/v1/order_details/{referenceId}`: one order.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;
use crate::orders::shape::OrderShape;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderAnswerV1)]
pub(crate) struct OrderFound<'a> {
    #[schema(example = true)]
    result: bool,
    order: OrderShape<'a>,
}

/// Get an order
///
/// By your own reference, with the current state of its payment.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/order_details/{referenceId}",
    tag = "orders",
    params(
        ("referenceId" = String, Path, description = "Your own reference of the order.", example = "order-4711"),
    ),
    responses(
        (status = 200, description = "The order.", body = OrderFound),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_order_details(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
) -> ApiResult<Response> {
    let (_tenant, reference) = path;
    let shown = state.app.orders().find(&caller, &reference).await?;
    Ok(Json(OrderFound { result: true, order: OrderShape::from(&shown) }).into_response())
}
