//! `PUT /api/ext/v3/automation/operators/{operator}/presence`: sets an operator's presence.

use domain::automation::routing::OperatorPresence;
use domain::identity::roles::Role;

use super::shape::OperatorStatus;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewOperatorPresence {
    /// `available`, `busy` or `away`.
    #[schema(example = "available")]
    presence: String,
}

/// Set an operator's presence
///
/// Only available operators are given conversations. Operators set their own presence, administrators also that of
/// others. The presence counts while the operator's console is open; 90 seconds after it was closed, the operator is
/// away, until it is opened again. A client that is not the console repeats the request within that time.
#[described::path(
    put,
    path = "/api/ext/v3/automation/operators/{operator}/presence",
    params((
        "operator" = String,
        Path,
        description = "`me`, or the e-mail address or id of an active account.",
        example = "me"
    )),
    responses(
        (status = 200, description = "The operator.", body = OperatorStatus),
        (
            status = 409,
            description = "Reasons: `conflict` (only administrators set the presence of others; `me`: the credential \
                does not belong to an operator).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn set_operator_presence(
    Gated(state, caller): Gated,
    FromPath(operator): FromPath<String>,
    Json(input): Json<NewOperatorPresence>,
) -> ApiResult<Json<OperatorStatus>> {
    let presence: OperatorPresence =
        input.presence.parse().map_err(|()| ApiError::invalid("presence", "expected available, busy or away"))?;
    let of_others = matches!(caller.role(), Role::Administrator | Role::ApiToken);
    let set = state.app.automation().operators().set_presence(&caller, &operator, presence, of_others).await?;
    Ok(Json(set.into()))
}
