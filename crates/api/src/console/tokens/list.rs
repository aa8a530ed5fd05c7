//! `GET /console/api/tokens`: an administrator gets all tokens of the tenant, a developer only its own.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use super::super::guard::SignedIn;
use super::shape::{TokenView, token_views};
use crate::ApiState;
use crate::error::ApiResult;

#[derive(Serialize)]
pub(crate) struct TokensAnswer {
    tokens: Vec<TokenView>,
}

pub(crate) async fn list_tokens(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<TokensAnswer>> {
    let tokens = state.app.tokens().list(&signed_in).await?;
    Ok(Json(TokensAnswer { tokens: token_views(&state.app, &signed_in, tokens).await? }))
}
