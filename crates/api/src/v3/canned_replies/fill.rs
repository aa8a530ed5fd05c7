//! `GET /api/ext/v3/cannedReplies/{id}/filled`: the text of a canned reply, filled in for one person.

use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::reply_id;
use super::shape::CannedReplyShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromPath, FromQuery, Query, members};

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct FillQuery from Query {
        /// A conversation id, or a contact's phone number, id or BSUID, with or without a channel in front.
        #[param(example = "14155552671")]
        target: String = required_text["target"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FilledCannedReply)]
pub(crate) struct FilledCannedReplyAnswer {
    /// The text with its fields filled in.
    #[schema(example = "Hello Ada, your order leaves today.")]
    text: String,
    /// Fields without a value; they are still in the text.
    #[schema(example = json!(["contact.tier"]))]
    missing: Vec<String>,
    canned_reply: CannedReplyShape,
}

/// Fill in a canned reply
///
/// Fills the fields with values of the person, of the conversation's channel and of the calling operator. Sends
/// nothing.
#[utoipa::path(
    get,
    path = "/api/ext/v3/cannedReplies/{id}/filled",
    tag = "conversations",
    params(("id" = String, Path, description = "The canned reply's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d"), FillQuery),
    responses(
        (status = 200, description = "The filled-in text.", body = FilledCannedReplyAnswer),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `ambiguous_target`.", body = ErrorBody),
    ),
)]
pub(crate) async fn fill_canned_reply(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
    FromQuery(query): FromQuery<FillQuery>,
) -> ApiResult<Json<FilledCannedReplyAnswer>> {
    let id = reply_id(&id)?;
    let (filled, view) = state.app.canned_replies().fill(&caller, id, (&query.target).into(), "target").await?;
    let (text, missing) = (filled.text, filled.missing);
    Ok(Json(FilledCannedReplyAnswer { text, missing, canned_reply: view.into() }))
}
