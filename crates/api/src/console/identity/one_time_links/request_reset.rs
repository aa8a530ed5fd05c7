//! `POST /console/api/password-reset`: mails a one-time link to the owner of an account who has lost the password. The
//! response is the same whether or not an account has the e-mail address.

use crate::console::guard::FromLogIn;
use crate::console::{Done, done};
use crate::prelude::*;

#[derive(Deserialize, ToSchema)]
pub(crate) struct PasswordReset {
    email: String,
}

/// Request a password reset link
#[described::path(
    post,
    path = "/console/api/password-reset",
    responses((status = 200, description = "The same whether or not an account has this address.", body = Done)),
)]
pub(crate) async fn request_reset(
    State(state): State<ApiState>,
    FromLogIn(source): FromLogIn,
    Json(input): Json<PasswordReset>,
) -> ApiResult<Json<Done>> {
    let links = state.app.identity().one_time_links();
    links.reset_by_mail(&input.email, &source, &state.settings.public_url).await?;
    Ok(done())
}
