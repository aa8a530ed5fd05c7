//! `POST /console/api/session/join`: joins a separate log-in with the same e-mail address to the account.

use app::identity::second_factors::{FactorAnswer, JoinProof};

use crate::console::guard::{FromLogIn, SignedIn};
use crate::console::{Done, done};
use crate::prelude::*;

/// The other log-in's password, and if it has a second factor, a code or a recovery code.
#[derive(Deserialize, ToSchema)]
pub(crate) struct LogInJoin {
    password: String,
    code: Option<String>,
    recovery_code: Option<String>,
}

/// Join another log-in with your e-mail address
///
/// A tenant can have its own password for an e-mail address that also has an account elsewhere on this server. In a
/// session with one of the passwords, send the other one: from then on, the account's password opens both.
#[described::path(
    post,
    path = "/console/api/session/join",
    responses((status = 200, description = "The log-ins are joined.", body = Done)),
)]
pub(crate) async fn join_log_ins(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    FromLogIn(source): FromLogIn,
    Json(input): Json<LogInJoin>,
) -> ApiResult<Json<Done>> {
    let code = input.code.map(FactorAnswer::Code);
    let factor = code.or_else(|| input.recovery_code.map(FactorAnswer::RecoveryCode));
    let proof = JoinProof { password: input.password, factor };
    state.app.identity().second_factors().join(&signed_in, proof, &source).await?;
    Ok(done())
}
