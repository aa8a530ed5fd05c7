//! `GET /{tenantId}/api/v1/getContacts`

use app::contacts::{PageEnd, Start};
use axum::extract::{OriginalUri, State};
use axum::http::Uri;
use axum::response::Response;
use domain::Timestamp;
use domain::contacts::{ContactView, Filter};
use domain::time::Moment;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::ContactShape;
use crate::ApiState;
use crate::contacts::{conditions, contact_list, searched};
use crate::error::{ApiError, ApiResult};
use crate::gate::Caller;
use crate::input::LegacyInput;
use crate::v1::link::{Link, Next};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactsV1)]
pub(crate) struct Contacts<'a> {
    #[schema(example = "success")]
    result: &'static str,
    contact_list: Vec<ContactShape<'a>>,
    link: Link,
}

/// Get contacts
///
/// Newest first. `attribute` holds conditions, all of which must be met. What an index answers (equality, existence,
/// dates, parts of three letters or more) is found at once; for the rest a page looks at a bounded number of contacts,
/// may be short, and goes on under `link.nextPage`.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/getContacts",
    tag = "contacts",
    params(
        ("pageSize" = Option<i32>, Query, minimum = 1, maximum = 100, example = 20, nullable = false, description = "Contacts on a page; 20 when absent."),
        ("pageNumber" = Option<i32>, Query, minimum = 1, maximum = 1_000_000, example = 1, nullable = false, description = "Pages count from 1."),
        ("name" = Option<String>, Query, nullable = false, description = "Part of the name, in any letter case, or of the number."),
        ("attribute" = Option<String>, Query, nullable = false, description = "JSON: `[{\"name\":\"city\",\"operator\":\"==\",\"value\":\"Berlin\"}]`. Operators: `contain`, `notContain`, `exist`, `notExist`, `==`, `!=`, `valid`, `invalid`."),
        ("createdDate" = Option<String>, Query, nullable = false, example = "2026-04-24", description = "The day on which the contact was made (UTC): `YYYY-MM-DD` or `MM-DD-YYYY`."),
        ("cursor" = Option<String>, Query, nullable = false, description = "From `link.nextPage`: the page goes on behind this place, whatever its number."),
    ),
    responses((status = 200, description = "One page of contacts.", body = Contacts)),
)]
pub(crate) async fn get_contacts(
    State(state): State<ApiState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    input: LegacyInput,
) -> ApiResult<Response> {
    let size = input.number(&["pageSize"], 1, 100)?.unwrap_or(20);
    let number = input.number(&["pageNumber"], 1, 1_000_000)?.unwrap_or(1);
    let filter = Filter {
        name: searched("name", input.text(&["name"])?)?,
        conditions: conditions(input.json(&["attribute"])?.unwrap_or_default())?,
        created: input.text(&["createdDate"])?.map(|text| created(&text)).transpose()?,
        ..Filter::default()
    };
    let start = start(&state, &caller, &input, number)?;
    let mut body = contact_list(size);
    let show = |contact: &ContactView<'_>| body.push(&ContactShape::from(contact));
    let end = state.app.contacts().list(&caller, &filter, start, size, true, show).await?;
    let link = link(&uri, number, size, &end);
    Ok(body.into_response(&Contacts { result: "success", contact_list: Vec::new(), link }))
}

fn start(state: &ApiState, caller: &Caller, input: &LegacyInput, number: i64) -> ApiResult<Start> {
    let Some(cursor) = input.text(&["cursor"])? else { return Ok(Start::Page(number - 1)) };
    let position = state.app.contacts().position(caller, &cursor);
    position.map(Start::After).ok_or_else(|| ApiError::invalid("cursor", "is not one of this list"))
}

fn link(uri: &Uri, number: i64, size: i64, end: &PageEnd) -> Link {
    let next = end.next_cursor.as_deref().map_or(Next::Nothing, |cursor| Next::Page(Some(cursor)));
    Link::new(uri, number, size, next, end.total.unwrap_or(0))
}

/// Both orders of the date are in use by clients.
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
