//! `DELETE /console/api/accounts/{id}/second-factors`: removes the factors of a colleague who lost them.

use axum::Json;
use axum::extract::State;

use super::super::guard::SignedIn;
use super::super::{Done, done};
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::FromPath;

pub(crate) async fn reset_factors(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(who): FromPath<String>,
) -> ApiResult<Json<Done>> {
    state.app.second_factors().reset(&signed_in, &who).await?;
    Ok(done())
}
