//! `PUT /console/api/session/tenant`: moves the session to another tenant of the same account.

use domain::TenantId;

use super::show::SessionView;
use crate::console::cookie;
use crate::console::guard::{FromLogIn, SignedIn};
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct TenantSwitch {
    /// The tenant's id.
    tenant: String,
}

/// Switch to another tenant
///
/// The session ends, and one that ends at the same time begins in the other tenant. Pages of the first tenant that are
/// still open get 403 `tenant_mismatch` if they name their tenant in `X-Tenant`.
#[described::path(
    put,
    path = "/console/api/session/tenant",
    responses((status = 200, description = "The session. The response sets its cookie.", body = SessionView)),
)]
pub(crate) async fn switch_tenant(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    Json(input): Json<TenantSwitch>,
) -> ApiResult<Response> {
    let tenant: TenantId = input.tenant.parse().map_err(|error| ApiError::invalid("tenant", error))?;
    let (session, value) = state.app.identity().sessions().switch(&signed_in, tenant, &source).await?;
    let seconds = session.expires_at.seconds_since(state.app.now()).max(0);
    cookie::set(&state, value.reveal(), seconds, Json(SessionView::from(session)))
}
