//! `GET /api/ext/v3/account/credits`: for clients of hosted platforms, which check credits before they send.

use crate::prelude::*;

/// Self-hosted tenants are not charged: all amounts are zero.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Credits {
    credit: u32,
    welcome_credit: u32,
    remaining_free_conversations_count: u32,
    #[schema(example = "USD")]
    currency: &'static str,
    auto_charge_enabled: bool,
}

/// Get credits
///
/// Self-hosted tenants are not charged: all amounts are zero.
#[described::path(
    get,
    path = "/api/ext/v3/account/credits",
    responses((status = 200, description = "The tenant's credits.", body = Credits)),
)]
pub(crate) async fn get_credits(_: Caller) -> Json<Credits> {
    Json(Credits {
        credit: 0,
        welcome_credit: 0,
        remaining_free_conversations_count: 0,
        currency: "USD",
        auto_charge_enabled: false,
    })
}
