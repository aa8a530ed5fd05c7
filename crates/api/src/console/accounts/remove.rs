//! `DELETE /console/api/accounts/{id}`: removes an account with its credentials; its messages and audit entries stay.

use axum::Json;
use axum::extract::State;

use super::super::guard::SignedIn;
use super::super::{Done, done};
use super::account_id;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::FromPath;

pub(crate) async fn remove_account(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<Done>> {
    let who = account_id(&id)?.to_string();
    state.app.accounts().remove(&signed_in, &who).await?;
    Ok(done())
}
