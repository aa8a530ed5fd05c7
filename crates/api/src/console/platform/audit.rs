//! `GET /console/api/audit`: the audit log, newest first.

use app::platform::audit_log::{AuditSearch, NamedContact, NamedEntry};
use domain::identity::audit_search::{AuditTopic, MAX_SEARCH, SearchWords};
use domain::{AuditEntryId, ContactId};
use serde_json::Value;

use crate::console::guard::SignedIn;
use crate::input::span;
use crate::prelude::*;

const DEFAULT_LIMIT: i32 = 50;
const MAX_LIMIT: i32 = 1000;
const TOPIC: &str = "expected log_ins, access, contacts, messaging, webhooks or workspace";

members! {
    pub(crate) query ListAuditQuery from Query {
        /// Maximum number of entries to return. Defaults to 50.
        #[param(minimum = 1, maximum = 1000)]
        limit: Option<i32> = number["limit"](1, MAX_LIMIT),
        /// Only entries with all of these words, in any order and letter case: in the names of people and tokens, the
        /// action, the details, an id, the address or the request id.
        #[param(max_length = 200, example = "grace token")]
        search: Option<String> = text["search"](),
        /// Only entries of this actor, as entries name it: `account:<id>`, `token:<id>`, `command` or `system`.
        #[param(example = "command")]
        actor: Option<String> = text["actor"](),
        /// Only entries about this.
        topic: Option<AuditTopic> = one_of["topic"](TOPIC),
        /// Start of the range, in RFC 3339 format. UTC is assumed if no offset is given; a date alone means the start
        /// of that day.
        #[param(value_type = Option<String>, example = "2026-04-01")]
        date_from: Option<Moment> = moment["date_from"](),
        /// End of the range, inclusive. A date alone includes the whole day.
        #[param(value_type = Option<String>, example = "2026-04-30")]
        date_to: Option<Moment> = moment["date_to"](),
        /// The `next_cursor` from the previous page.
        cursor: Option<String> = text["cursor"](),
    }
}

pub(crate) type AuditEntries = Page<AuditEntryView, AuditPosition>;

rows!(AuditEntryView: "entries" in AuditEntries);

/// The position in the audit log.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditPosition {
    /// Pass this as `cursor` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
    /// How far back this page has searched. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "as_optional_rfc3339")]
    #[schema(nullable = false)]
    searched_to: Option<Timestamp>,
}

/// An entry in the audit log, with its details as JSON.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AuditEntry)]
pub(crate) struct AuditEntryView {
    id: AuditEntryId,
    #[serde(serialize_with = "as_rfc3339")]
    at: Timestamp,
    actor: String,
    /// The present name of the account or token that acted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    actor_name: Option<String>,
    action: String,
    topic: AuditTopic,
    subject: String,
    /// The present name of the account or token that the entry is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    subject_name: Option<String>,
    /// The contact that the entry is about. Absent if it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    contact: Option<AuditContact>,
    details: Value,
    address: Option<String>,
    request_id: Option<String>,
}

/// The names of a contact.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AuditContact {
    id: ContactId,
    name: String,
    username: Option<String>,
    phone: Option<String>,
}

impl From<NamedEntry> for AuditEntryView {
    fn from(named: NamedEntry) -> Self {
        let NamedEntry { entry, actor_name, subject_name, contact } = named;
        Self {
            id: entry.id,
            at: entry.at,
            actor: entry.actor,
            actor_name,
            topic: AuditTopic::of(&entry.action),
            action: entry.action,
            subject: entry.subject,
            subject_name,
            contact: contact.map(AuditContact::from),
            details: serde_json::from_str(&entry.details).unwrap_or_default(),
            address: entry.address,
            request_id: entry.request_id,
        }
    }
}

impl From<NamedContact> for AuditContact {
    fn from(contact: NamedContact) -> Self {
        let NamedContact { id, name, username, phone } = contact;
        Self { id, name, username, phone }
    }
}

/// Get the audit log
///
/// Returns the entries, newest first. With a search, an actor or a topic, each page examines a bounded number of
/// entries, so it may contain fewer than `limit`; continue with `next_cursor`.
#[described::path(
    get,
    path = "/console/api/audit",
    params(ListAuditQuery),
    responses((status = 200, description = "The entries, newest first.", body = AuditEntries)),
)]
pub(crate) async fn show_audit(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    query: Query,
) -> ApiResult<Json<AuditEntries>> {
    let search = search(&query)?;
    let page = state.app.platform().search_audit(&signed_in, &search).await?;
    let position = AuditPosition { next_cursor: page.next_cursor, searched_to: page.searched_to };
    Ok(Json(AuditEntries::new(page.entries.into_iter().map(AuditEntryView::from), position)))
}

fn search(query: &Query) -> ApiResult<AuditSearch> {
    let known = ListAuditQuery::SPELLINGS;
    if let Some(unknown) = query.names().find(|name| !known.iter().any(|spellings| spellings.contains(name))) {
        return Err(ApiError::invalid(
            unknown,
            format!("unknown parameter; expected one of {}", known.concat().join(", ")),
        ));
    }
    let asked = ListAuditQuery::parse(query)?;
    let text = asked.search.unwrap_or_default();
    if text.chars().count() > MAX_SEARCH {
        return Err(ApiError::invalid("search", format!("at most {MAX_SEARCH} characters")));
    }
    let (from, to) = span(["date_from", "date_to"], asked.date_from, asked.date_to)?;
    Ok(AuditSearch {
        words: SearchWords::new(&text),
        actor: asked.actor,
        topic: asked.topic,
        from,
        to,
        cursor: asked.cursor,
        limit: usize::try_from(asked.limit.unwrap_or(DEFAULT_LIMIT)).unwrap_or(1),
    })
}
