//! `GET /api/ext/v3/payments/{reference_id}`: the payment of an order.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;
use crate::orders::payment::PaymentShape;

/// Get a payment
///
/// The status of an order's payment, its time and its sources. A payment that only a webhook reported is
/// `pending_confirmation` until a look-up confirms it. Contradicting reports are a `conflict`.
#[utoipa::path(
    get,
    path = "/api/ext/v3/payments/{reference_id}",
    tag = "orders",
    params(("reference_id" = String, Path, description = "Your own reference of the order.", example = "order-4711")),
    responses(
        (status = 200, description = "The payment.", body = PaymentShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_payment(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(reference): FromPath<String>,
) -> ApiResult<Response> {
    let shown = state.app.payments().find(&caller, &reference).await?;
    Ok(Json(PaymentShape { reference_id: &shown.reference_id, payment: &shown.payment }).into_response())
}
