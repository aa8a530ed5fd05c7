//! `POST /{tenantId}/api/v1/rotateToken`: replaces a legacy JWT of the caller's account.

use axum::extract::Request;
use axum::http::header;

use crate::input::LegacyInput;
use crate::prelude::*;
use crate::v1::failure::{Failure, or_failure};

members! {
    pub(crate) query RotateTokenQuery from LegacyInput {
        /// The token to replace. Defaults to the calling token. Also accepted in a form or a JSON body.
        token: Option<String> = text["token"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Rotated)]
pub(crate) struct TokenRotated {
    #[schema(example = true)]
    result: bool,
    /// The new JWT. It is returned only once.
    token: String,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum RotateAnswer {
    Rotated(TokenRotated),
    Failure(Failure),
}

impl From<Failure> for RotateAnswer {
    fn from(failure: Failure) -> Self {
        Self::Failure(failure)
    }
}

/// Rotate a legacy token
///
/// Call this with a legacy JWT. `token` is the JWT to replace: the calling one, or another of the same account. The
/// replaced token stops working immediately. Accounts that are neither `ADMINISTRATOR` nor `DEVELOPER` get 403
/// `role_denied`: their tokens keep working until they expire, with the rights of the present role.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/rotateToken",
    tag = "tokens",
    params(RotateTokenQuery),
    responses((status = 200, description = "The new token, or why the request failed.", body = RotateAnswer)),
)]
pub(crate) async fn rotate_token(Gated(state, caller): Gated, request: Request) -> ApiResult<Json<RotateAnswer>> {
    let calling = request.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let calling = calling.and_then(|value| value.split_once(' ')).map(|(_, token)| token.trim().to_owned());
    let input = <LegacyInput as axum::extract::FromRequest<ApiState>>::from_request(request, &state).await?;
    let replaced = RotateTokenQuery::parse(&input)?.token.or(calling).unwrap_or_default();
    let rotated = state.app.identity().tokens().rotate_legacy(&caller, &replaced).await;
    or_failure(rotated.map(|token| RotateAnswer::Rotated(TokenRotated { result: true, token })))
}
