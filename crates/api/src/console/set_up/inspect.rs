//! `POST /console/api/set-up/inspect`: returns the purpose, the account and the expiry of a one-time link. The code is
//! in the body, because paths are logged.

use axum::Json;
use axum::extract::State;
use domain::Timestamp;
use domain::one_time_links::LinkPurpose;
use serde::{Deserialize, Serialize};

use super::super::guard::RequestSource;
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct InspectLinkRequest {
    code: String,
}

#[derive(Serialize)]
pub(crate) struct OneTimeLinkView {
    purpose: LinkPurpose,
    email: String,
    name: String,
    tenant_name: String,
    #[serde(serialize_with = "domain::time::as_rfc3339")]
    expires_at: Timestamp,
}

pub(crate) async fn inspect_link(
    State(state): State<ApiState>,
    source: RequestSource,
    JsonBody(input): JsonBody<InspectLinkRequest>,
) -> ApiResult<Json<OneTimeLinkView>> {
    let link = state.app.one_time_links().inspect(&input.code, source.address).await?;
    Ok(Json(OneTimeLinkView {
        purpose: link.purpose,
        email: link.email,
        name: link.name,
        tenant_name: link.tenant_name,
        expires_at: link.expires_at,
    }))
}
