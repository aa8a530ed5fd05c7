//! `GET /console/api/sessions`: the account's own sessions, the most recently used first.

use app::sessions::OwnSession;
use axum::Json;
use axum::extract::State;
use domain::{SessionId, Timestamp};
use serde::Serialize;

use super::super::guard::SignedIn;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct SessionsAnswer {
    sessions: Vec<SessionEntry>,
}

#[derive(Serialize)]
struct SessionEntry {
    id: SessionId,
    current: bool,
    #[serde(serialize_with = "domain::time::as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "domain::time::as_rfc3339")]
    last_used_at: Timestamp,
    #[serde(serialize_with = "domain::time::as_rfc3339")]
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

pub(crate) async fn list_sessions(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<SessionsAnswer>> {
    let sessions = state.app.sessions().list_own(&signed_in).await?;
    Ok(Json(SessionsAnswer { sessions: sessions.into_iter().map(SessionEntry::from).collect() }))
}
