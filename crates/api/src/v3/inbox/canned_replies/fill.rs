//! `GET /api/ext/v3/cannedReplies/{id}/filled`: a canned reply's text, filled in for one person.

use domain::CannedReplyId;

use super::shape::CannedReplyShape;
use crate::prelude::*;

members! {
    pub(crate) query FillQuery from Query {
        /// A conversation id, or a contact's phone number, id or BSUID, optionally prefixed with `channel:`.
        #[param(example = "14155552671")]
        target: String = required_text["target"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FilledCannedReply {
    /// The text with its fields filled in.
    #[schema(example = "Hello Ada, your order leaves today.")]
    text: String,
    /// Fields without a value. They remain in the text.
    #[schema(example = json!(["contact.tier"]))]
    missing: Vec<String>,
    canned_reply: CannedReplyShape,
}

/// Fill in a canned reply
///
/// Fills in the fields with values from the person, the conversation's channel and the calling operator. Nothing is
/// sent.
#[described::path(
    get,
    path = "/api/ext/v3/cannedReplies/{id}/filled",
    params(FillQuery),
    responses(
        (status = 200, description = "The filled-in text.", body = FilledCannedReply),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn fill_canned_reply(
    Gated(state, caller): Gated,
    Path((id,)): Path<(CannedReplyId,)>,
    FromQuery(query): FromQuery<FillQuery>,
) -> ApiResult<Json<FilledCannedReply>> {
    let (filled, view) = state.app.inbox().canned_replies().fill(&caller, id, (&query.target).into()).await?;
    let (text, missing) = (filled.text, filled.missing);
    Ok(Json(FilledCannedReply { text, missing, canned_reply: view.into() }))
}
