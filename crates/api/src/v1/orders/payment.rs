//! `GET /{tenantId}/api/v1/payment_status/{referenceId}`: the payment of an order.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;
use crate::orders::payment::PaymentShape;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PaymentAnswerV1)]
pub(crate) struct PaymentFound<'a> {
    #[schema(example = true)]
    result: bool,
    payment: PaymentShape<'a>,
}

/// Get a payment
///
/// The status of an order's payment, its time and its sources. A payment that only a webhook reported is
/// `pending_confirmation` until a look-up confirms it. Contradicting reports are a `conflict`.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/payment_status/{referenceId}",
    tag = "orders",
    params(
        ("referenceId" = String, Path, description = "Your own reference of the order.", example = "order-4711"),
    ),
    responses(
        (status = 200, description = "The payment.", body = PaymentFound),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_payment_status(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(path): FromPath<(String, String)>,
) -> ApiResult<Response> {
    let (_tenant, reference) = path;
    let shown = state.app.payments().find(&caller, &reference).await?;
    let payment = PaymentShape { reference_id: &shown.reference_id, payment: &shown.payment };
    Ok(Json(PaymentFound { result: true, payment }).into_response())
}
