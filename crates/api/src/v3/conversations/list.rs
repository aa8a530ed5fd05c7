//! `GET /api/ext/v3/conversations`: pages of conversations, that with the latest message first.

use app::conversations::{Filter, Page};
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::ConversationShape;
use crate::ApiState;
use crate::contacts::searched;
use crate::conversations::status;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{PAGE_NUMBER, PAGE_SIZE, Query};

const STATUS: &[&str] = &["status"];
const ASSIGNEE: &[&str] = &["assignee"];
const CHANNEL: &[&str] = &["channel"];
const SEARCH: &[&str] = &["search"];

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// Pages count from 1; the list goes 10 000 conversations deep. Also accepted: `pageNumber`.
    #[param(minimum = 1, maximum = 10_000, default = 1, example = 1, nullable = false)]
    page_number: Option<i32>,
    /// Conversations on a page. Also accepted: `pageSize`.
    #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
    page_size: Option<i32>,
    /// `open`, `solved`, `pending` or `block`.
    #[param(example = "open", nullable = false)]
    status: Option<String>,
    /// An operator's e-mail address, a team's name, `bot` or `unassigned`.
    #[param(example = "grace@example.com", nullable = false)]
    assignee: Option<String>,
    /// Name, number or id of a channel.
    #[param(example = "Support", nullable = false)]
    channel: Option<String>,
    /// Part of the contact's name, in any letter case, of the number or of the handle. It looks at the thousand
    /// matching contacts that were made last.
    #[param(example = "lovelace", nullable = false)]
    search: Option<String>,
}

/// One page of conversations.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConversationPage)]
pub(crate) struct Found {
    conversations: Vec<ConversationShape>,
    #[schema(example = 1, minimum = 1)]
    page_number: i64,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    page_size: i64,
}

/// Get conversations
///
/// That with the latest message first.
#[utoipa::path(
    get,
    path = "/api/ext/v3/conversations",
    tag = "conversations",
    params(Parameters),
    responses(
        (status = 200, description = "One page of conversations.", body = Found),
        (status = 404, description = "There is no such channel. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_conversations(
    State(state): State<ApiState>,
    caller: Caller,
    query: Query,
) -> ApiResult<Json<Found>> {
    let page = page(&query)?;
    let filter = Filter {
        status: query.take(STATUS)?.map(|text| status(STATUS[0], text)).transpose()?,
        assignee: query.take(ASSIGNEE)?.map(str::to_owned),
        channel: query.take(CHANNEL)?.map(str::to_owned),
        search: searched(SEARCH[0], query.take(SEARCH)?.map(str::to_owned))?,
    };
    let found = state.app.conversations().list(&caller, &filter, page).await?;
    Ok(Json(Found {
        conversations: found.into_iter().map(ConversationShape::from).collect(),
        page_number: page.number(),
        page_size: page.size(),
    }))
}

/// Also of messages.
pub(super) fn page(query: &Query) -> ApiResult<Page> {
    let size = query.number(PAGE_SIZE, 1, 100)?.unwrap_or(20);
    let number = query.number(PAGE_NUMBER, 1, app::conversations::DEPTH)?.unwrap_or(1);
    Ok(Page::new(number, size, PAGE_NUMBER[0])?)
}
