//! `GET /api/ext/v3/conversations`: pages of conversations, by their latest message.

use app::conversations::ConversationQuery;
use axum::Json;
use axum::extract::State;

use super::shape::ConversationShape;
use crate::ApiState;
use crate::contacts::check_search;
use crate::conversations::status;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromQuery, Query, ShallowPageQuery, members};
use crate::page::{Page, PageNumber, PageRow};

const STATUS: &str = "status";
const SEARCH: &str = "search";

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct ListConversationsQuery from Query {
        /// `open`, `solved`, `pending` or `block`.
        #[param(example = "open", nullable = false)]
        status: Option<String> = text["status"](),
        /// An operator's e-mail address, a team's name, `bot` or `unassigned`.
        #[param(example = "grace@example.com", nullable = false)]
        assignee: Option<String> = text["assignee"](),
        /// Name, number or id of a channel.
        #[param(example = "Support", nullable = false)]
        channel: Option<String> = text["channel"](),
        /// Part of the contact's name, in any letter case, of the number or of the handle. Searches the thousand newest
        /// contacts that match.
        #[param(example = "lovelace", nullable = false)]
        search: Option<String> = text["search"](),
    }
}

pub(crate) type ConversationPage = Page<ConversationShape, PageNumber>;

impl PageRow for ConversationShape {
    const MEMBER: &'static str = "conversations";
    const SCHEMA: (&'static str, &'static str) = ("ConversationPage", "One page of conversations.");
}

/// Get conversations
///
/// The conversation with the latest message first.
#[utoipa::path(
    get,
    path = "/api/ext/v3/conversations",
    tag = "conversations",
    params(ShallowPageQuery, ListConversationsQuery),
    responses(
        (status = 200, description = "One page of conversations.", body = ConversationPage),
        (status = 404, description = "There is no such channel. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_conversations(
    State(state): State<ApiState>,
    caller: Caller,
    FromQuery(page): FromQuery<ShallowPageQuery>,
    FromQuery(asked): FromQuery<ListConversationsQuery>,
) -> ApiResult<Json<ConversationPage>> {
    let page = page.page()?;
    let filter = ConversationQuery {
        status: asked.status.map(|text| status(STATUS, &text)).transpose()?,
        assignee: asked.assignee,
        channel: asked.channel,
        search: check_search(SEARCH, asked.search)?,
    };
    let found = state.app.conversations().list(&caller, &filter, page).await?;
    Ok(Json(ConversationPage::new(found.into_iter().map(ConversationShape::from), page.into())))
}
