//! `DELETE /console/api/accounts/{id}`: removes an account with its credentials; its messages and audit entries are
//! kept.

use domain::AccountId;

use crate::console::guard::SignedIn;
use crate::console::{Done, done};
use crate::prelude::*;

/// Remove an account
#[described::path(
    delete,
    path = "/console/api/accounts/{id}",
    responses((
        status = 200,
        description = "The account and its credentials were removed. Its messages and audit entries are kept.",
        body = Done
    )),
)]
pub(crate) async fn remove_account(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Path((id,)): Path<(AccountId,)>,
) -> ApiResult<Json<Done>> {
    let who = id.to_string();
    state.app.identity().accounts().remove(&signed_in, &who).await?;
    Ok(done())
}
