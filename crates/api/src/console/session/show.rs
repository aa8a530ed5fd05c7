//! `GET /console/api/session`: the account, the end of the session, and the CSRF token for changes.

use axum::Json;
use axum::extract::State;
use domain::roles::Role;
use domain::{AccountId, TenantId, Timestamp};
use serde::Serialize;

use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct SessionView {
    account: SessionAccount,
    tenant: SessionTenant,
    csrf_token: String,
    #[serde(serialize_with = "domain::time::as_rfc3339")]
    expires_at: Timestamp,
    /// The tenant requires a second factor, and the account has none: nothing else can be done before.
    must_enrol: bool,
}

#[derive(Serialize)]
struct SessionAccount {
    id: AccountId,
    email: String,
    name: String,
    role: Role,
}

#[derive(Serialize)]
struct SessionTenant {
    id: TenantId,
    name: String,
    plan: String,
}

impl From<app::sessions::SessionDetails> for SessionView {
    fn from(session: app::sessions::SessionDetails) -> Self {
        let app::sessions::SessionDetails { account, tenant, csrf_token, expires_at, must_enrol } = session;
        Self {
            account: SessionAccount { id: account.id, email: account.email, name: account.name, role: account.role },
            tenant: SessionTenant { id: tenant.id, name: tenant.name, plan: tenant.plan },
            csrf_token,
            expires_at,
            must_enrol,
        }
    }
}

pub(crate) async fn show_session(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<SessionView>> {
    Ok(Json(state.app.sessions().show(&signed_in).await?.into()))
}
