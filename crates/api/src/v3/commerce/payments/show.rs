//! `GET /api/ext/v3/payments/{reference_id}`: an order's payment.

use crate::prelude::*;
use crate::shared::commerce::orders::payment::PaymentOfOrder;

/// Get a payment
///
/// Returns the status of an order's payment, its time and its sources. A payment that only a webhook reported is
/// `pending_confirmation` until a look-up confirms it. Contradictory reports appear in `conflict`.
#[described::path(
    get,
    path = "/api/ext/v3/payments/{reference_id}",
    params(("reference_id" = String, Path, description = "Your reference for the order.", example = "order-4711")),
    responses((status = 200, description = "The payment.", body = PaymentOfOrder)),
)]
pub(crate) async fn get_payment(
    Gated(state, caller): Gated,
    FromPath(reference): FromPath<String>,
) -> ApiResult<Response> {
    let shown = state.app.commerce().payments().find(&caller, &reference).await?;
    Ok(Json(PaymentOfOrder { reference_id: &shown.reference_id, payment: &shown.payment }).into_response())
}
