//! `POST /console/api/legacy-token`: a legacy JWT of one's own, for clients that know no other credential.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::super::door::Person;
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct Made {
    /// Shown once.
    token: String,
}

pub(crate) async fn create_legacy_token(State(state): State<ApiState>, person: Person) -> ApiResult<Json<Made>> {
    let who = person.account.to_string();
    let token = state.app.tokens().legacy(&person.actor, person.tenant(), &who).await?;
    Ok(Json(Made { token }))
}
