//! `/console/api/console-access`: single sign-on and networks of the tenant's console, for administrators.

use domain::identity::memberships::ConsoleAccess;
use domain::identity::networks::Networks;

use crate::console::guard::{RequestSource, SignedIn};
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
#[schema(as = ConsoleAccess)]
pub(crate) struct ConsoleAccessAnswer {
    /// Whether people must log in through the tenant's identity provider. If so, passwords are refused.
    single_sign_on_required: bool,
    /// The addresses and ranges from which the console can be used. Empty: any address.
    networks: Vec<String>,
    /// Whether an identity provider is configured for the tenant.
    single_sign_on_available: bool,
}

#[derive(Deserialize, ToSchema)]
pub(crate) struct ConsoleAccessUpdate {
    single_sign_on_required: bool,
    networks: Vec<String>,
}

fn answer(state: &ApiState, signed_in: &SignedIn, access: &ConsoleAccess) -> Json<ConsoleAccessAnswer> {
    let tenant = signed_in.principal.tenant();
    let single_sign_on_available = state.app.identity().oidc_log_ins().providers_of(tenant).next().is_some();
    let networks = access.networks.to_text();
    Json(ConsoleAccessAnswer {
        single_sign_on_required: access.single_sign_on,
        networks: networks.split_whitespace().map(str::to_owned).collect(),
        single_sign_on_available,
    })
}

/// Get the requirements for the console
#[described::path(
    get,
    path = "/console/api/console-access",
    responses((status = 200, description = "The settings.", body = ConsoleAccessAnswer)),
)]
pub(crate) async fn show_console_access(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<ConsoleAccessAnswer>> {
    let access = state.app.identity().console_access().show(&signed_in).await?;
    Ok(answer(&state, &signed_in, &access))
}

/// Set the requirements for the console
///
/// The session that sends the request must meet the new requirements itself: its address must be in `networks`, and to
/// require single sign-on, it must have been started through the tenant's identity provider.
#[described::path(
    put,
    path = "/console/api/console-access",
    responses((status = 200, description = "The settings.", body = ConsoleAccessAnswer)),
)]
pub(crate) async fn set_console_access(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    source: RequestSource,
    Json(input): Json<ConsoleAccessUpdate>,
) -> ApiResult<Json<ConsoleAccessAnswer>> {
    let networks = Networks::parse(input.networks.iter().map(String::as_str));
    let networks = networks.map_err(|error| ApiError::invalid("networks", error))?;
    let access = ConsoleAccess { single_sign_on: input.single_sign_on_required, networks };
    state.app.identity().console_access().set(&signed_in, access.clone(), Some(source.address)).await?;
    Ok(answer(&state, &signed_in, &access))
}
