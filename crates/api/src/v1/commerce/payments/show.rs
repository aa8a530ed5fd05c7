//! `GET /{tenantId}/api/v1/payment_status/{referenceId}`: an order's payment.

use crate::prelude::*;
use crate::shared::commerce::orders::payment::PaymentOfOrder;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PaymentAnswerV1<'a> {
    #[schema(example = true)]
    result: bool,
    payment: PaymentOfOrder<'a>,
}

/// Get a payment
///
/// Returns the status of an order's payment, its time and its sources. A payment that only a webhook reported is
/// `pending_confirmation` until a look-up confirms it. Contradictory reports appear in `conflict`.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/payment_status/{referenceId}",
    tag = "orders",
    params(("referenceId" = String, Path, description = "Your reference for the order.", example = "order-4711")),
    responses(
        (status = 200, description = "The payment.", body = PaymentAnswerV1),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_payment_status(
    Gated(state, caller): Gated,
    FromPath(path): FromPath<(String, String)>,
) -> ApiResult<Response> {
    let (_tenant, reference) = path;
    let shown = state.app.commerce().payments().find(&caller, &reference).await?;
    let payment = PaymentOfOrder { reference_id: &shown.reference_id, payment: &shown.payment };
    Ok(Json(PaymentAnswerV1 { result: true, payment }).into_response())
}
