//! `GET /console/api/tokens`: an administrator gets all tokens of the tenant, a developer only its own.

use super::super::guard::SignedIn;
use super::shape::{TokenView, token_views};
use crate::prelude::*;

list!(Tokens { "tokens": TokenView });

/// Get API tokens
#[described::path(
    get,
    path = "/console/api/tokens",
    responses((status = 200, description = "All tokens of the tenant for an administrator, only the caller's own for a developer.", body = Tokens)),
)]
pub(crate) async fn list_tokens(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<Tokens>> {
    let tokens = state.app.tokens().list(&signed_in).await?;
    Ok(Json(List::of(token_views(&state.app, &signed_in, tokens).await?)))
}
