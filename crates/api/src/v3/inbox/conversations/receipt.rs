//! `POST /api/ext/v3/conversations/{target}/receipt`: shows the person that messages were read (blue ticks) and, on
//! request, that someone is typing.

use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NewReceipt {
    /// `true` also shows the person that someone is typing, for 25 seconds or until your next message.
    #[serde(default)]
    #[schema(default = false)]
    typing: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Receipt)]
pub(crate) struct ReceiptAnswer {
    /// False if the person has sent nothing that could be marked.
    #[schema(example = true)]
    result: bool,
}

/// Send a read receipt
///
/// Immediately marks the person's last message, and all earlier ones, as read on the network. `PUT …/read` records what
/// you have read yourself; the person does not see that.
#[described::path(
    post,
    path = "/api/ext/v3/conversations/{target}/receipt",
    params((
        "target" = String,
        Path,
        description = "A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with \
            `channel:`.",
        example = "14155552671"
    )),
    responses(
        (status = 200, description = "The network marked the messages as read.", body = ReceiptAnswer),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn send_receipt(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<NewReceipt>,
) -> ApiResult<Json<ReceiptAnswer>> {
    let result = state.app.inbox().conversations().send_receipt(&caller, (&target).into(), input.typing).await?;
    Ok(Json(ReceiptAnswer { result }))
}
