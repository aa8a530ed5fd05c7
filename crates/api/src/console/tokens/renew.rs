//! `POST /console/api/tokens/{id}/renew`: creates a successor of a token. The old token stays valid for
//! `overlap_seconds`.

use app::tokens::DEFAULT_OVERLAP_SECONDS;
use axum::Json;
use axum::extract::State;
use domain::Change;
use serde::Deserialize;

use super::super::guard::SignedIn;
use super::shape::{Expiry, TokenWithValue, with_value};
use super::token_id;
use crate::ApiState;
use crate::error::{ApiError, ApiResult};
use crate::input::{FromPath, JsonBody};

#[derive(Debug, Deserialize)]
pub(crate) struct RenewTokenRequest {
    overlap_seconds: Option<i64>,
    /// When the successor expires. Absent: after the same lifetime as the old token's. Null: never.
    #[serde(default)]
    expires_at: Change<Expiry>,
}

pub(crate) async fn renew_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(id): FromPath<String>,
    JsonBody(input): JsonBody<RenewTokenRequest>,
) -> ApiResult<Json<TokenWithValue>> {
    let tokens = state.app.tokens();
    let old = tokens.find(&signed_in, token_id(&id)?).await?;
    let expires_at = match input.expires_at {
        Change::Keep => old.successor_expiry(state.app.now()),
        Change::Clear => None,
        Change::Set(Expiry(at)) => Some(at),
    };
    let overlap = input.overlap_seconds.unwrap_or(DEFAULT_OVERLAP_SECONDS);
    let renewed = tokens.renew(&signed_in, old.id, overlap, expires_at).await;
    let renewed = renewed.map_err(about_the_overlap)?;
    Ok(Json(with_value(&state.app, &signed_in, renewed).await?))
}

/// Reports errors about the overlap under `overlap_seconds`, its name in this body.
fn about_the_overlap(error: app::Error) -> ApiError {
    match error {
        app::Error::Invalid { parameter, message } if parameter == "overlap" => {
            ApiError::invalid("overlap_seconds", message)
        }
        other => other.into(),
    }
}
