//! `GET /{tenantId}/api/v1/whatsApp/businessAccounts`

use domain::messaging::channels::Channel;

use super::shape::PhoneNumberShape;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BusinessAccountsV1 {
    #[schema(example = true)]
    ok: bool,
    result: Vec<BusinessAccountV1>,
}

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BusinessAccountV1 {
    /// The network's id for the account.
    #[schema(example = "102290129340398")]
    waba_id: String,
    phone_numbers: Vec<PhoneNumberShape>,
}

/// Get business accounts
///
/// Returns the network accounts with their phone numbers, in the order in which the channels were created.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/whatsApp/businessAccounts",
    tag = "channels",
    responses((
        status = 200,
        description = "All accounts in which the tenant has a number.",
        body = BusinessAccountsV1
    )),
)]
pub(crate) async fn get_business_accounts(Gated(state, caller): Gated) -> ApiResult<Json<BusinessAccountsV1>> {
    let channels = state.app.messaging().channels().list(&caller).await?;
    Ok(Json(BusinessAccountsV1 { ok: true, result: accounts(channels) }))
}

fn accounts(channels: Vec<Channel>) -> Vec<BusinessAccountV1> {
    let mut accounts: Vec<BusinessAccountV1> = Vec::new();
    for channel in channels {
        let known = accounts.iter().position(|account| account.waba_id == channel.account_id);
        let place = known.unwrap_or_else(|| {
            accounts.push(BusinessAccountV1 { waba_id: channel.account_id.clone(), phone_numbers: Vec::new() });
            accounts.len() - 1
        });
        if let Some(account) = accounts.get_mut(place) {
            account.phone_numbers.push(channel.into());
        }
    }
    accounts
}
