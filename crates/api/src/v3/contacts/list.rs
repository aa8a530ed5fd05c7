//! `GET /api/ext/v3/contacts`: pages of contacts, newest first.

use app::contacts::{PageEnd, Start};
use axum::extract::State;
use axum::response::Response;
use domain::contacts::{ContactView, Filter};
use utoipa::ToSchema;

use super::shape::ContactShape;
use crate::ApiState;
use crate::contacts::{ListBody, conditions, searched};
use crate::error::{ApiError, ApiResult};
use crate::gate::Caller;
use crate::input::{PAGE_NUMBER, PAGE_SIZE, Query};

const SEARCH: &[&str] = &["search"];
const ATTRIBUTE: &[&str] = &["attribute"];
const SEGMENT: &[&str] = &["segment"];
const CURSOR: &[&str] = &["cursor"];

const MAX_PAGE_NUMBER: i64 = 1_000_000;
const MAX_PAGE_SIZE: i64 = 100;
const DEFAULT_PAGE_SIZE: i64 = 20;

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// Pages count from 1. Also accepted: `pageNumber`.
    #[param(minimum = 1, maximum = 1_000_000, default = 1, example = 1, nullable = false)]
    page_number: Option<i32>,
    /// Contacts on a page. Also accepted: `pageSize`.
    #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
    page_size: Option<i32>,
    /// Part of the name, in any letter case, of the number or of the handle.
    #[param(example = "lovelace", nullable = false)]
    search: Option<String>,
    /// JSON: `[{"name":"city","operator":"==","value":"Berlin"}]`; all conditions must hold. Operators: `contain`,
    /// `notContain`, `exist`, `notExist`, `==`, `!=`, `valid`, `invalid`.
    #[param(nullable = false)]
    attribute: Option<String>,
    /// Only contacts of the segment with this id or name.
    #[param(nullable = false)]
    segment: Option<String>,
    /// `next_cursor` of the page before; not together with `page_number`.
    #[param(nullable = false)]
    cursor: Option<String>,
}

/// One page of contacts.
#[derive(ToSchema)]
#[schema(as = ContactPage)]
#[expect(dead_code, reason = "a description of what is written contact by contact")]
pub(crate) struct Contacts {
    contact_list: Vec<ContactShape<'static>>,
    #[schema(example = 1, minimum = 1)]
    page_number: i32,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    page_size: i32,
    /// For the parameter `cursor` of the next call; absent on the last page.
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Get contacts
///
/// Newest first. What an index answers (equality, existence, parts of three letters or more) is found at once; for
/// the rest a page looks at a bounded number of contacts, may be short, and goes on by its `next_cursor`.
#[utoipa::path(
    get,
    path = "/api/ext/v3/contacts",
    tag = "contacts",
    params(Parameters),
    responses((status = 200, description = "One page of contacts.", body = Contacts)),
)]
pub(crate) async fn list_contacts(State(state): State<ApiState>, caller: Caller, query: Query) -> ApiResult<Response> {
    let size = query.number(PAGE_SIZE, 1, MAX_PAGE_SIZE)?.unwrap_or(DEFAULT_PAGE_SIZE);
    let number = query.number(PAGE_NUMBER, 1, MAX_PAGE_NUMBER)?;
    let start = start(&state, &caller, &query, number)?;
    let filter = filter(&state, &caller, &query).await?;
    let segments = state.app.contacts().segments(&caller).await?;
    let mut body = ListBody::new("{\"contact_list\":[", size);
    let show = |contact: &ContactView<'_>| body.push(&ContactShape::new(contact, &segments));
    let end = state.app.contacts().list(&caller, &filter, start, size, false, show).await?;
    Ok(body.close(&closing(number.unwrap_or(1), size, &end)))
}

/// What stands behind the contacts. Numbers and base64url need no escaping.
fn closing(number: i64, size: i64, end: &PageEnd) -> String {
    let cursor = end.next_cursor.as_ref().map(|cursor| format!(",\"next_cursor\":\"{cursor}\"")).unwrap_or_default();
    format!("],\"page_number\":{number},\"page_size\":{size}{cursor}}}")
}

/// Also of exports.
pub(super) async fn filter(state: &ApiState, caller: &Caller, query: &Query) -> ApiResult<Filter> {
    let mut filter = Filter {
        search: searched(SEARCH[0], query.take(SEARCH)?.map(str::to_owned))?,
        conditions: conditions(query.json(ATTRIBUTE)?.unwrap_or_default())?,
        ..Filter::default()
    };
    if let Some(named) = query.take(SEGMENT)? {
        state.app.contacts().within_segment(caller, named, &mut filter).await?;
    }
    Ok(filter)
}

fn start(state: &ApiState, caller: &Caller, query: &Query, number: Option<i64>) -> ApiResult<Start> {
    let Some(text) = query.take(CURSOR)? else { return Ok(Start::Page(number.unwrap_or(1) - 1)) };
    if number.is_some() {
        return Err(ApiError::invalid(CURSOR[0], "does not go together with page_number"));
    }
    let position = state.app.contacts().position(caller, text);
    position.map(Start::After).ok_or_else(|| ApiError::invalid(CURSOR[0], "is not a next_cursor of this list"))
}
