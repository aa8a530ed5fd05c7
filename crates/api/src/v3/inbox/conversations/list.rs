//! `GET /api/ext/v3/conversations`: pages of conversations, the one with the latest message first.

use app::inbox::conversations::ConversationQuery;

use super::shape::ConversationShape;
use crate::input::ShallowPageQuery;
use crate::prelude::*;
use crate::shared::messaging::conversations::status;
use crate::shared::people::contacts::check_search;

const STATUS: &str = "status";
const SEARCH: &str = "search";

members! {
    pub(crate) query ListConversationsQuery from Query {
        /// `open`, `solved`, `pending` or `block`.
        #[param(example = "open")]
        status: Option<String> = text["status"](),
        /// `me` for the calling operator, an operator's e-mail address, a team's name, `bot` or `unassigned`.
        #[param(example = "grace@example.com")]
        assignee: Option<String> = text["assignee"](),
        /// A channel's name, number or id.
        #[param(example = "Support")]
        channel: Option<String> = text["channel"](),
        /// Part of the contact's name, number or handle, ignoring case. Only the 1 000 newest matching contacts are
        /// considered.
        #[param(example = "lovelace")]
        search: Option<String> = text["search"](),
        /// Only conversations with this contact, on all channels: phone number, BSUID or contact id. Alias:
        /// `contact_id`.
        #[param(example = "14155552671")]
        contact: Option<String> = text["contact", "contact_id"](),
        /// Only conversations with this label, by name or id.
        #[param(example = "vip")]
        label: Option<String> = text["label"](),
        /// `true`: only conversations with messages that the calling operator has not seen.
        unread: Option<bool> = optional_flag["unread"](),
        /// `true`: only snoozed conversations; `false`: only conversations that are not snoozed.
        snoozed: Option<bool> = optional_flag["snoozed"](),
        /// `true` adds `unread`, `version` and other members for an inbox: those whose description begins with "With
        /// `details`".
        details: Option<bool> = optional_flag["details"](),
        /// The `next_cursor` from the previous page. Cannot be combined with `page_number`, `search` or `contact`.
        cursor: Option<String> = text["cursor"](),
    }
}

/// The position in a list with page numbers and cursors.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ConversationPosition {
    #[schema(example = 1, minimum = 1)]
    page_number: i64,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    page_size: i64,
    /// Pass this as `cursor` to get the next page. Absent on the last page, on numbered pages, and with `search` or
    /// `contact`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

pub(crate) type ConversationPage = Page<ConversationShape, ConversationPosition>;

rows!(ConversationShape: "conversations" in ConversationPage, "One page of conversations.");

/// Get conversations
///
/// Returns conversations, the one with the latest message first. Follow `next_cursor` to read the whole list; every
/// page costs the same. Each page examines at most 1 000 conversations: if few of them match the filters, the page may
/// contain fewer than `page_size`, or none, and still have a `next_cursor`. Numbered pages and searches reach 10 000
/// conversations and accept neither `cursor` nor `unread`; numbered pages without a search accept neither `label` nor
/// `snoozed`.
#[described::path(
    get,
    path = "/api/ext/v3/conversations",
    params(ShallowPageQuery, ListConversationsQuery),
    responses(
        (status = 200, description = "One page of conversations.", body = ConversationPage),
        (status = 404, description = "The channel or contact does not exist. Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_conversations(
    Gated(state, caller): Gated,
    FromQuery(page): FromQuery<ShallowPageQuery>,
    FromQuery(asked): FromQuery<ListConversationsQuery>,
) -> ApiResult<Json<ConversationPage>> {
    let (has_number, page) = (page.has_number(), page.page()?);
    check_together(&asked, has_number)?;
    let cursor = asked.cursor;
    let filter = ConversationQuery {
        status: asked.status.map(|text| status(STATUS, &text)).transpose()?,
        assignee: asked.assignee,
        channel: asked.channel,
        search: check_search(SEARCH, asked.search)?,
        contact: asked.contact,
        label: asked.label,
        snoozed: asked.snoozed,
        unread: asked.unread.unwrap_or_default(),
        details: asked.details.unwrap_or_default(),
    };
    let (number, page_size) = (page.number(), page.size());
    let (found, next_cursor) = if has_number || filter.search.is_some() || filter.contact.is_some() {
        (state.app.inbox().conversations().list(&caller, &filter, page).await?, None)
    } else {
        let limit = usize::try_from(page_size).unwrap_or_default();
        let read = state.app.inbox().conversations().inbox(&caller, &filter, cursor.as_deref(), limit).await?;
        (read.conversations, read.next_cursor)
    };
    let position = ConversationPosition { page_number: number, page_size, next_cursor };
    Ok(Json(ConversationPage::new(found.into_iter().map(ConversationShape::from), position)))
}

/// Refuses filters that pages by number and searches do not support, unlike a list that is read from cursor to cursor.
fn check_together(asked: &ListConversationsQuery, has_number: bool) -> ApiResult<()> {
    if asked.contact.is_some() && asked.search.is_some() {
        return Err(ApiError::invalid(SEARCH, "cannot be combined with contact"));
    }
    let by_contact = asked.search.is_some() || asked.contact.is_some();
    let other = match (has_number, &asked.search, &asked.contact) {
        (true, ..) => "page_number",
        (false, Some(_), _) => SEARCH,
        (false, None, Some(_)) => "contact",
        (false, None, None) => return Ok(()),
    };
    let only_number = has_number && !by_contact;
    for (member, is_there) in [
        ("cursor", asked.cursor.is_some()),
        ("unread", asked.unread == Some(true)),
        ("label", only_number && asked.label.is_some()),
        ("snoozed", only_number && asked.snoozed.is_some()),
    ] {
        if is_there {
            return Err(ApiError::invalid(member, format!("cannot be combined with {other}")));
        }
    }
    Ok(())
}
