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
    state.app.tokens().revoke(&signed_in, token_id(&id)?).await?;
    Ok(done())
}
