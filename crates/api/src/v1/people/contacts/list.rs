//! `GET /{tenantId}/api/v1/getContacts`

use app::people::contacts::{PageEnd, Start};
use axum::extract::OriginalUri;
use axum::http::Uri;
use domain::people::contacts::{ContactFilter, ContactView};

use super::shape::ContactShape;
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::people::contacts::{Attribute, check_search, conditions, contact_list};
use crate::v1::link::{Link, NextPage};

members! {
    pub(crate) query ListContactsQuery from LegacyInput {
        /// Contacts per page, at most 100; larger values are capped. Defaults to 20.
        #[param(rename = "pageSize", value_type = Option<i32>, minimum = 1, example = 20)]
        page_size: Option<i64> = page_size["pageSize"](100),
        /// Page number, starting at 1; 0 also means the first page.
        #[param(rename = "pageNumber", value_type = Option<i32>, minimum = 0, maximum = 1_000_000, example = 1)]
        page_number: Option<i64> = page_number["pageNumber"](1_000_000),
        /// Part of the name, ignoring case, or of the number.
        name: Option<String> = text["name"](),
        /// Conditions as JSON: `[{"name":"city","operator":"==","value":"Berlin"}]`. Keys without quotes are also
        /// accepted. Operators: `contain`, `notContain`, `exist`, `notExist`, `==` (or `=`), `!=`, `valid`, `invalid`.
        /// The names `name` and `phone` mean the contact's own name and number.
        #[param(value_type = Option<String>)]
        attribute: Option<Vec<Attribute>> = json["attribute"](),
        /// The day the contact was created, in UTC: `YYYY-MM-DD` or `MM-DD-YYYY`.
        #[param(rename = "createdDate", example = "2026-04-24")]
        created_date: Option<String> = text["createdDate"](),
        /// From `link.nextPage`: the page begins after this position, regardless of `pageNumber`.
        cursor: Option<String> = text["cursor"](),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactsV1<'a> {
    #[schema(example = "success")]
    result: &'static str,
    contact_list: Vec<ContactShape<'a>>,
    link: Link,
}

/// Get contacts
///
/// Returns contacts, the most recently created first. `attribute` contains conditions; a contact must meet all of them.
/// Equality, existence, dates and substrings of three letters or more use an index. With other conditions, each page
/// examines a bounded number of contacts, so it may contain fewer than `pageSize`; continue with `link.nextPage`.
#[described::path(
    get,
    path = "/{tenantId}/api/v1/getContacts",
    tag = "contacts",
    params(ListContactsQuery),
    responses((status = 200, description = "One page of contacts.", body = ContactsV1)),
)]
pub(crate) async fn get_contacts(
    Gated(state, caller): Gated,
    OriginalUri(uri): OriginalUri,
    input: LegacyInput,
) -> ApiResult<Response> {
    let asked = ListContactsQuery::parse(&input)?;
    let (size, number) = (asked.page_size.unwrap_or(20), asked.page_number.unwrap_or(1));
    let filter = ContactFilter {
        name: check_search("name", asked.name)?,
        conditions: conditions(asked.attribute.unwrap_or_default())?,
        created: asked.created_date.map(|text| created(&text)).transpose()?,
        ..ContactFilter::default()
    };
    let start = start(&state, &caller, asked.cursor.as_deref(), number)?;
    let mut body = contact_list(size);
    let mut show = |contact: &ContactView<'_>| body.push(&ContactShape::from(contact));
    let end = state.app.people().contacts().list(&caller, &filter, start, size, true, &mut show).await?;
    let link = link(&uri, number, size, &end);
    Ok(body.into_response(&ContactsV1 { result: "success", contact_list: Vec::new(), link }))
}

fn start(state: &ApiState, caller: &Caller, cursor: Option<&str>, number: i64) -> ApiResult<Start> {
    let Some(cursor) = cursor else { return Ok(Start::Page(number - 1)) };
    let position = state.app.people().contacts().position(caller, cursor);
    position.map(Start::After).ok_or_else(|| ApiError::invalid("cursor", "expected a cursor from this list"))
}

fn link(uri: &Uri, number: i64, size: i64, end: &PageEnd) -> Link {
    let next = end.next_cursor.as_deref().map_or(NextPage::None, |cursor| NextPage::Follows(Some(cursor)));
    Link::new(uri, number, size, next, end.total.unwrap_or(0))
}

/// Parses `YYYY-MM-DD` or `MM-DD-YYYY` and returns the first and the last instant of the day.
fn created(text: &str) -> ApiResult<(Timestamp, Timestamp)> {
    let turned = match text.split('-').collect::<Vec<_>>().as_slice() {
        [month, day, year] if year.len() == 4 => format!("{year}-{month}-{day}"),
        _ => text.to_owned(),
    };
    match Moment::parse(&turned) {
        Ok(Moment::Day { first, last }) => Ok((first, last)),
        _ => Err(ApiError::invalid("createdDate", "expected a date such as 2026-04-24 or 04-24-2026")),
    }
}
