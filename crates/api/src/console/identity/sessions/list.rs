//! `GET /console/api/sessions`: the caller's sessions, the most recently used first.

use app::identity::sessions::OwnSession;
use domain::SessionId;

use crate::console::guard::SignedIn;
use crate::prelude::*;

list!(Sessions { "sessions": SessionEntry });

#[derive(Serialize, ToSchema)]
pub(crate) struct SessionEntry {
    id: SessionId,
    current: bool,
    #[serde(serialize_with = "as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    last_used_at: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    expires_at: Timestamp,
    address: Option<String>,
    user_agent: Option<String>,
}

impl From<OwnSession> for SessionEntry {
    fn from(session: OwnSession) -> Self {
        let OwnSession { id, current, created_at, last_used_at, expires_at, address, user_agent } = session;
        Self { id, current, created_at, last_used_at, expires_at, address, user_agent }
    }
}

/// Get your sessions
#[described::path(
    get,
    path = "/console/api/sessions",
    responses((status = 200, description = "The account's sessions, the most recently used first.", body = Sessions)),
)]
pub(crate) async fn list_sessions(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<Sessions>> {
    let sessions = state.app.identity().sessions().list_own(&signed_in).await?;
    Ok(Json(List::from_rows(sessions)))
}
