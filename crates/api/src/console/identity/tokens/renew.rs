//! `POST /console/api/tokens/{id}/renew`: creates a token's successor. The old token stays valid for `overlap_seconds`.

use app::identity::tokens::DEFAULT_OVERLAP_SECONDS;
use domain::{Change, Field, TokenId};

use super::shape::{Expiry, TokenWithValue, with_value};
use crate::console::guard::SignedIn;
use crate::error::Spelling;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct TokenRenewal {
    overlap_seconds: Option<i64>,
    /// When the successor expires. If omitted, it has the same lifetime as the old token. Null means never.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    expires_at: Change<Expiry>,
}

/// Renew an API token
#[described::path(
    post,
    path = "/console/api/tokens/{id}/renew",
    responses((status = 200, description = "The successor. Its value is returned only once, in this response.", body = TokenWithValue)),
)]
pub(crate) async fn renew_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Path((id,)): Path<(TokenId,)>,
    Json(input): Json<TokenRenewal>,
) -> ApiResult<Json<TokenWithValue>> {
    let tokens = state.app.identity().tokens();
    let old = tokens.find(&signed_in, id).await?;
    let expires_at = match input.expires_at {
        Change::Keep => old.successor_expiry(state.app.now()),
        Change::Clear => None,
        Change::Set(Expiry(at)) => Some(at),
    };
    let overlap = input.overlap_seconds.unwrap_or(DEFAULT_OVERLAP_SECONDS);
    let renewed = tokens.renew(&signed_in, old.id, overlap, expires_at).await;
    let renewed = renewed.map_err(|error| Spelling(&[(Field::Overlap, "overlap_seconds")]).error(error))?;
    Ok(Json(with_value(&state.app, &signed_in, renewed).await?))
}
