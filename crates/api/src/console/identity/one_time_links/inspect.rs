//! `POST /console/api/set-up/inspect`: returns a one-time link's purpose, account and expiry. The code is in the body,
//! because paths are logged.

use domain::identity::one_time_links::LinkPurpose;

use crate::console::guard::RequestSource;
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct LinkCode {
    pub(super) code: String,
}

#[derive(Serialize, ToSchema)]
#[schema(as = OneTimeLink)]
pub(crate) struct OneTimeLinkView {
    purpose: LinkPurpose,
    email: String,
    name: String,
    tenant_name: String,
    #[serde(serialize_with = "as_rfc3339")]
    expires_at: Timestamp,
}

/// Inspect a one-time link
#[described::path(
    post,
    path = "/console/api/set-up/inspect",
    responses((status = 200, description = "The link's purpose, account and expiry.", body = OneTimeLinkView)),
)]
pub(crate) async fn inspect_link(
    State(state): State<ApiState>,
    source: RequestSource,
    Json(input): Json<LinkCode>,
) -> ApiResult<Json<OneTimeLinkView>> {
    let link = state.app.identity().one_time_links().inspect(&input.code, source.address).await?;
    Ok(Json(OneTimeLinkView {
        purpose: link.purpose,
        email: link.email,
        name: link.name,
        tenant_name: link.tenant_name,
        expires_at: link.expires_at,
    }))
}
