//! `DELETE /console/api/tokens/{id}`: revokes a token at once.

use axum::Json;
use axum::extract::State;

use super::super::guard::SignedIn;
use super::super::{Done, done};
use super::token_id;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::FromPath;

pub(crate) async fn revoke_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<Done>> {
    let tokens = state.app.tokens();
    let token = tokens.find_managed(&signed_in.principal, token_id(&id)?).await?;
    tokens.revoke(&signed_in.actor, signed_in.tenant(), token.id).await?;
    Ok(done())
}
