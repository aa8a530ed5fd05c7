//! `POST /console/api/set-up/accept`: a person who is logged in joins the tenant of an invitation.

use domain::TenantId;

use super::inspect::LinkCode;
use crate::console::guard::{RequestSource, SignedIn};
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
pub(crate) struct AcceptedInvitation {
    /// The tenant that the account now belongs to.
    tenant: TenantId,
}

/// Accept an invitation with the session's account
#[described::path(
    post,
    path = "/console/api/set-up/accept",
    responses((status = 200, description = "The tenant, to which the session can switch.", body = AcceptedInvitation)),
)]
pub(crate) async fn accept_link(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    source: RequestSource,
    Json(input): Json<LinkCode>,
) -> ApiResult<Json<AcceptedInvitation>> {
    let links = state.app.identity().one_time_links();
    let tenant = links.accept(&signed_in, &input.code, source.address).await?;
    Ok(Json(AcceptedInvitation { tenant }))
}
