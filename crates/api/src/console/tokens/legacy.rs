//! `/console/api/legacy-token` and `/console/api/legacy-tokens`: legacy JWTs, for clients that support no other
//! credential.

use app::tokens::LegacyJwtView;
use axum::Json;
use axum::extract::State;
use domain::{AccountId, JwtId, Timestamp};
use serde::Serialize;

use super::super::guard::SignedIn;
use super::super::{Done, done};
use crate::ApiState;
use crate::error::{ApiError, ApiResult, NOT_FOUND};
use crate::input::FromPath;

#[derive(Serialize)]
pub(crate) struct LegacyTokenAnswer {
    /// The JWT. No later answer shows it again.
    token: String,
}

#[derive(Serialize)]
pub(crate) struct LegacyTokensAnswer {
    legacy_tokens: Vec<LegacyTokenEntry>,
}

#[derive(Serialize)]
struct LegacyTokenEntry {
    id: JwtId,
    account_id: AccountId,
    account: String,
    #[serde(serialize_with = "domain::time::as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "domain::time::as_optional_rfc3339")]
    expires_at: Option<Timestamp>,
    #[serde(serialize_with = "domain::time::as_optional_rfc3339")]
    revoked_at: Option<Timestamp>,
    state: &'static str,
}

impl From<LegacyJwtView> for LegacyTokenEntry {
    fn from(view: LegacyJwtView) -> Self {
        let LegacyJwtView { id, account_id, account, created_at, expires_at, revoked_at, state } = view;
        Self { id, account_id, account, created_at, expires_at, revoked_at, state }
    }
}

pub(crate) async fn create_legacy_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<LegacyTokenAnswer>> {
    let who = signed_in.account.to_string();
    let token = state.app.tokens().legacy(&signed_in, &who).await?;
    Ok(Json(LegacyTokenAnswer { token }))
}

/// Lists all legacy JWTs of the tenant for an administrator, only the caller's own for a developer.
pub(crate) async fn list_legacy_tokens(
    State(state): State<ApiState>,
    signed_in: SignedIn,
) -> ApiResult<Json<LegacyTokensAnswer>> {
    let all = state.app.tokens().list_legacy(&signed_in).await?;
    Ok(Json(LegacyTokensAnswer { legacy_tokens: all.into_iter().map(LegacyTokenEntry::from).collect() }))
}

pub(crate) async fn revoke_legacy_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<Done>> {
    let id: JwtId = id.parse().map_err(|_| ApiError::new(NOT_FOUND, "There is no such token"))?;
    state.app.tokens().revoke_legacy(&signed_in, id).await?;
    Ok(done())
}
