//! `/console/api/legacy-token` and `/console/api/legacy-tokens`: legacy JWTs, for clients that support no other
//! credential.

use app::identity::tokens::LegacyJwtView;
use domain::{AccountId, JwtId};

use crate::console::guard::SignedIn;
use crate::console::{Done, done};
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct NewLegacyToken {
    /// The JWT. It is returned only once.
    token: String,
}

list!(LegacyTokens { "legacy_tokens": LegacyToken });

#[derive(Serialize, ToSchema)]
pub(crate) struct LegacyToken {
    id: JwtId,
    account_id: AccountId,
    account: String,
    #[serde(serialize_with = "as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    expires_at: Option<Timestamp>,
    #[serde(serialize_with = "as_optional_rfc3339")]
    revoked_at: Option<Timestamp>,
    state: &'static str,
}

impl From<LegacyJwtView> for LegacyToken {
    fn from(view: LegacyJwtView) -> Self {
        let LegacyJwtView { id, account_id, account, created_at, expires_at, revoked_at, state } = view;
        Self { id, account_id, account, created_at, expires_at, revoked_at, state }
    }
}

/// Create a legacy JWT
#[described::path(
    post,
    path = "/console/api/legacy-token",
    responses((status = 200, description = "The JWT, which is returned only once, in this response.", body = NewLegacyToken)),
)]
pub(crate) async fn create_legacy_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<NewLegacyToken>> {
    let who = signed_in.account.to_string();
    let token = state.app.identity().tokens().legacy(&signed_in, &who).await?;
    Ok(Json(NewLegacyToken { token }))
}

/// Get legacy JWTs
///
/// Administrators get all of the tenant's legacy JWTs, developers only their own.
#[described::path(
    get,
    path = "/console/api/legacy-tokens",
    responses((status = 200, description = "The JWTs.", body = LegacyTokens)),
)]
pub(crate) async fn list_legacy_tokens(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<LegacyTokens>> {
    let all = state.app.identity().tokens().list_legacy(&signed_in).await?;
    Ok(Json(List::from_rows(all)))
}

/// Revoke a legacy JWT
#[described::path(
    delete,
    path = "/console/api/legacy-tokens/{id}",
    responses((status = 200, description = "The JWT was revoked.", body = Done)),
)]
pub(crate) async fn revoke_legacy_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Path((id,)): Path<(JwtId,)>,
) -> ApiResult<Json<Done>> {
    state.app.identity().tokens().revoke_legacy(&signed_in, id).await?;
    Ok(done())
}
