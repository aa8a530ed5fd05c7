//! `GET /api/ext/v3/orders/{reference_id}`: one order.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;
use crate::orders::shape::OrderShape;

/// Get an order
///
/// With the current state of its payment.
#[utoipa::path(
    get,
    path = "/api/ext/v3/orders/{reference_id}",
    tag = "orders",
    params(("reference_id" = String, Path, description = "Your own reference of the order.", example = "order-4711")),
    responses(
        (status = 200, description = "The order.", body = OrderShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_order(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(reference): FromPath<String>,
) -> ApiResult<Response> {
    let shown = state.app.orders().find(&caller, &reference).await?;
    Ok(Json(OrderShape::from(&shown)).into_response())
}
