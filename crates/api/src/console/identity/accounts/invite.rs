//! `POST /console/api/invitations`: creates an account without a password, and a link that its owner uses to set one.
//! The link is mailed if a mail server is configured.

use app::identity::accounts::Invitation;
use domain::identity::accounts::Account;
use domain::identity::roles::Role;

use super::issued_link::{IssuedLinkView, mailed};
use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct NewInvitation {
    email: String,
    name: Option<String>,
    role: Role,
}

#[derive(Serialize, ToSchema)]
#[schema(as = Invitation)]
pub(crate) struct InvitationAnswer {
    account: Account,
    link: IssuedLinkView,
}

/// Invite a person
#[described::path(
    post,
    path = "/console/api/invitations",
    responses((
        status = 200,
        description = "The account, and the link that its owner uses to set a password.",
        body = InvitationAnswer
    )),
)]
pub(crate) async fn invite(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<NewInvitation>,
) -> ApiResult<Json<InvitationAnswer>> {
    let new = Invitation { email: input.email, name: input.name, role: input.role };
    let issued = state.app.identity().accounts().invite(&signed_in, new).await?;
    let link = mailed(&state, &signed_in, &issued).await?;
    Ok(Json(InvitationAnswer { account: issued.account.account, link }))
}
