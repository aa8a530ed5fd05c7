//! `POST /console/api/invitations`: creates an account without a password, and a link with which its owner sets one.
//! The link is mailed if a mail server is configured.

use app::accounts::Invitation;
use axum::Json;
use axum::extract::State;
use domain::accounts::Account;
use domain::roles::Role;
use serde::{Deserialize, Serialize};

use super::super::guard::SignedIn;
use super::issued_link::{IssuedLinkView, mailed};
use crate::ApiState;
use crate::error::ApiResult;
use crate::input::JsonBody;

#[derive(Deserialize)]
pub(crate) struct InviteRequest {
    email: String,
    name: Option<String>,
    #[serde(deserialize_with = "super::role")]
    role: Role,
}

#[derive(Serialize)]
pub(crate) struct InvitationAnswer {
    account: Account,
    link: IssuedLinkView,
}

pub(crate) async fn invite(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    JsonBody(input): JsonBody<InviteRequest>,
) -> ApiResult<Json<InvitationAnswer>> {
    let new = Invitation { email: input.email, name: input.name, role: input.role };
    let issued = state.app.accounts().invite(&signed_in, new).await?;
    let link = mailed(&state, &signed_in, &issued).await?;
    Ok(Json(InvitationAnswer { account: issued.account.account, link }))
}
