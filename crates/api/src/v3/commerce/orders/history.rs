//! `GET /api/ext/v3/orders/{reference_id}/history`: how an order reached its current state.

use domain::commerce::orders::{OrderChange, OrderHistoryEntry};

use crate::prelude::*;

list!(OrderHistory { "history": OrderHistoryShape } "The order's history, oldest first.");

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OrderHistoryEntry)]
pub(crate) struct OrderHistoryShape {
    #[serde(serialize_with = "as_rfc3339")]
    at: Timestamp,
    /// `created`, `status` (of the order) or `payment`.
    #[schema(example = "payment")]
    what: &'static str,
    /// The new status of the order or the payment. Absent for `created`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "captured", nullable = false)]
    status: Option<String>,
    /// `business`, `webhook` (the network reported it) or `lookup` (Switchboard asked the network).
    #[schema(example = "webhook")]
    source: &'static str,
    /// The account that created the order.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "shop@example.com", nullable = false)]
    operator_email: Option<String>,
}

impl OrderHistoryShape {
    fn new(entry: OrderHistoryEntry, creator: Option<&String>) -> Self {
        let OrderHistoryEntry { at, source, change } = entry;
        let (what, status) = match change {
            OrderChange::Created => ("created", None),
            OrderChange::Status(status) => ("status", Some(status)),
            OrderChange::Payment(status) => ("payment", Some(status.name().to_owned())),
        };
        let operator_email = creator.filter(|_| what == "created").cloned();
        Self { at, what, status, source: source.name(), operator_email }
    }
}

/// Get an order's history
///
/// Shows when the order was created, which statuses the business set, and when each source first reported each payment
/// status.
#[described::path(
    get,
    path = "/api/ext/v3/orders/{reference_id}/history",
    params(("reference_id" = String, Path, description = "Your reference for the order.", example = "order-4711")),
    responses((status = 200, description = "The history.", body = OrderHistory)),
)]
pub(crate) async fn get_order_history(
    Gated(state, caller): Gated,
    FromPath(reference): FromPath<String>,
) -> ApiResult<Json<OrderHistory>> {
    let order = state.app.commerce().orders().find(&caller, &reference).await?.order;
    let creator = order.operator.as_ref().and_then(|operator| operator.email.as_ref());
    let history = order.history().into_iter().map(|entry| OrderHistoryShape::new(entry, creator));
    Ok(Json(List::from_rows(history)))
}
