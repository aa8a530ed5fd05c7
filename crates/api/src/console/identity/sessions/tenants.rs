//! `GET /console/api/session/tenants`: the tenants that the person can choose.

use app::identity::memberships::{TenantChoice, TenantObstacle};
use domain::TenantId;
use domain::identity::roles::Role;

use crate::console::guard::{RequestSource, SignedIn};
use crate::prelude::*;

list!(SessionTenants { "tenants": TenantOption });

#[derive(Serialize, ToSchema)]
pub(crate) struct TenantOption {
    id: TenantId,
    name: String,
    role: Role,
    /// Whether the session is in this tenant.
    current: bool,
    /// Why the session cannot enter the tenant: `suspended`, `disabled`, `single_sign_on` or `network`. Null if it can.
    obstacle: Option<&'static str>,
    /// The identity providers with which people of this tenant log in, by `/console/oidc/{id}`.
    providers: Vec<TenantProvider>,
}

#[derive(Serialize, ToSchema)]
struct TenantProvider {
    id: String,
    name: String,
}

/// Get your tenants
#[described::path(
    get,
    path = "/console/api/session/tenants",
    responses((status = 200, description = "The tenants that the account belongs to.", body = SessionTenants)),
)]
pub(crate) async fn list_tenants(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    source: RequestSource,
) -> ApiResult<Json<SessionTenants>> {
    let identity = state.app.identity();
    let choices = identity.sessions().tenants(&signed_in, source.address).await?;
    let option = |choice: TenantChoice| TenantOption {
        id: choice.tenant.id,
        providers: providers_of(&state, choice.tenant.id),
        name: choice.tenant.name,
        role: choice.role,
        current: choice.current,
        obstacle: choice.obstacle.map(TenantObstacle::name),
    };
    Ok(Json(List::from_rows(choices.into_iter().map(option))))
}

fn providers_of(state: &ApiState, tenant: TenantId) -> Vec<TenantProvider> {
    let log_ins = state.app.identity().oidc_log_ins();
    let named = |(id, name): (&str, &str)| TenantProvider { id: id.to_owned(), name: name.to_owned() };
    log_ins.providers_of(tenant).map(named).collect()
}
