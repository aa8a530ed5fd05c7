//! `GET /{tenantId}/api/v1/whatsApp/businessAccounts`

use axum::Json;
use axum::extract::State;
use domain::channels::Channel;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::PhoneNumberShape;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = BusinessAccountsV1)]
pub(crate) struct BusinessAccounts {
    #[schema(example = true)]
    ok: bool,
    result: Vec<BusinessAccount>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = BusinessAccountV1)]
pub(crate) struct BusinessAccount {
    /// The network's id of the account.
    #[schema(example = "102290129340398")]
    waba_id: String,
    phone_numbers: Vec<PhoneNumberShape>,
}

/// Get business accounts
///
/// The network accounts with their phone numbers, in the order in which the channels were created.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/whatsApp/businessAccounts",
    tag = "channels",
    responses((status = 200, description = "All accounts of which the tenant has a number.", body = BusinessAccounts)),
)]
pub(crate) async fn get_business_accounts(
    State(state): State<ApiState>,
    caller: Caller,
) -> ApiResult<Json<BusinessAccounts>> {
    let channels = state.app.channels().list(&caller).await?;
    Ok(Json(BusinessAccounts { ok: true, result: accounts(channels) }))
}

fn accounts(channels: Vec<Channel>) -> Vec<BusinessAccount> {
    let mut accounts: Vec<BusinessAccount> = Vec::new();
    for channel in channels {
        let known = accounts.iter().position(|account| account.waba_id == channel.account_id);
        let place = known.unwrap_or_else(|| {
            accounts.push(BusinessAccount { waba_id: channel.account_id.clone(), phone_numbers: Vec::new() });
            accounts.len() - 1
        });
        if let Some(account) = accounts.get_mut(place) {
            account.phone_numbers.push(channel.into());
        }
    }
    accounts
}
