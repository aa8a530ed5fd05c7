//! `GET /console/api/session`: the account, the end of the session, and the CSRF token for changes.

use domain::identity::roles::Role;
use domain::{AccountId, TenantId};

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
#[schema(as = Session)]
pub(crate) struct SessionView {
    account: SessionAccount,
    tenant: SessionTenant,
    csrf_token: String,
    #[serde(serialize_with = "as_rfc3339")]
    expires_at: Timestamp,
    /// True if the tenant requires a second factor and the account has none: nothing else can be done until one is
    /// added.
    must_enrol: bool,
    /// How many other tenants the person can switch to (`GET /console/api/session/tenants`).
    other_tenants: usize,
    /// Whether the account administers the installation: it sees the settings and the nodes.
    administers_installation: bool,
}

#[derive(Serialize, ToSchema)]
struct SessionAccount {
    id: AccountId,
    email: String,
    name: String,
    role: Role,
}

#[derive(Serialize, ToSchema)]
struct SessionTenant {
    id: TenantId,
    name: String,
    plan: String,
}

impl From<app::identity::sessions::SessionDetails> for SessionView {
    fn from(session: app::identity::sessions::SessionDetails) -> Self {
        let app::identity::sessions::SessionDetails { account, tenant, .. } = session;
        Self {
            account: SessionAccount { id: account.id, email: account.email, name: account.name, role: account.role },
            tenant: SessionTenant { id: tenant.id, name: tenant.name, plan: tenant.plan },
            csrf_token: session.csrf_token,
            expires_at: session.expires_at,
            must_enrol: session.must_enrol,
            other_tenants: session.other_tenants,
            administers_installation: session.administers_installation,
        }
    }
}

/// Get the session
#[described::path(
    get,
    path = "/console/api/session",
    responses((status = 200, description = "The session.", body = SessionView)),
)]
pub(crate) async fn show_session(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<SessionView>> {
    Ok(Json(state.app.identity().sessions().show(&signed_in).await?.into()))
}
