//! `GET /console/api/tokens`: administrators get all of the tenant's tokens, developers only their own.

use super::shape::{TokenView, token_views};
use crate::console::guard::SignedIn;
use crate::prelude::*;

list!(Tokens { "tokens": TokenView });

/// Get API tokens
#[described::path(
    get,
    path = "/console/api/tokens",
    responses((
        status = 200,
        description = "The tokens: administrators get all of the tenant's, developers only their own.",
        body = Tokens
    )),
)]
pub(crate) async fn list_tokens(State(state): State<ApiState>, signed_in: SignedIn) -> ApiResult<Json<Tokens>> {
    let tokens = state.app.identity().tokens().list(&signed_in).await?;
    Ok(Json(List::from_rows(token_views(&state.app, &signed_in, tokens).await?)))
}
