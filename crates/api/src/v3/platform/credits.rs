//! `GET /api/ext/v3/account/credits`: for clients written for hosted platforms, which check credits before sending.

use crate::prelude::*;

/// Self-hosted tenants are not charged, so every amount is zero.
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
/// Self-hosted tenants are not charged, so every amount is zero.
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
