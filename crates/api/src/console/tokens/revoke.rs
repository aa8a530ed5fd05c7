//! `DELETE /console/api/tokens/{id}`: the end of a token, at once.

use axum::Json;
use axum::extract::State;

use super::super::door::Person;
use super::super::{Done, done};
use super::token_id;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::FromPath;

pub(crate) async fn revoke_token(
    State(state): State<ApiState>,
    person: Person,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<Done>> {
    let tokens = state.app.tokens();
    let token = tokens.find_managed(&person.principal, token_id(&id)?).await?;
    tokens.revoke(&person.actor, person.tenant(), token.id).await?;
    Ok(done())
}
