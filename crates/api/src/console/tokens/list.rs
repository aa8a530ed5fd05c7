//! `GET /console/api/tokens`: an administrator sees all of the tenant, a developer its own.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::super::door::Person;
use super::shape::{Shown, shown};
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct Page {
    tokens: Vec<Shown>,
}

pub(crate) async fn list_tokens(State(state): State<ApiState>, person: Person) -> ApiResult<Json<Page>> {
    let tokens = state.app.tokens().managed_by(&person.principal).await?;
    Ok(Json(Page { tokens: shown(&state.app, person.tenant(), tokens).await? }))
}
