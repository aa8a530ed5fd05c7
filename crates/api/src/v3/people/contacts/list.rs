//! `GET /api/ext/v3/contacts`: pages of contacts, the most recently created first.

use app::people::contacts::{ContactNames, Start};
use domain::people::contacts::{ContactFilter, ContactView};

use super::shape::ContactShape;
use crate::input::PageQuery;
use crate::prelude::*;
use crate::shared::people::contacts::{Attribute, check_search, conditions, contact_list};

/// If the tenant's segments have more conditions than this in total, a page is built on the threads for computing.
const FEW_CONDITIONS: usize = 100;

members! {
    /// The filters of the list, the count and the export.
    pub(crate) query ContactFilterQuery from Query {
        /// Part of the name, number or handle, ignoring case.
        #[param(example = "lovelace")]
        search: Option<String> = text["search"](),
        /// Conditions as JSON: `[{"name":"city","operator":"==","value":"Berlin"}]`. All conditions must be met.
        /// Operators: `contain`, `notContain`, `exist`, `notExist`, `==`, `!=`, `valid`, `invalid`.
        #[param(value_type = Option<String>)]
        attribute: Option<Vec<Attribute>> = json["attribute"](),
        /// Only contacts in this segment, by id or name.
        segment: Option<String> = text["segment"](),
        /// Only contacts with this label, by id or name.
        #[param(example = "vip")]
        label: Option<String> = text["label"](),
        /// Only contacts that have (`true`) or have not (`false`) consented to marketing. Alias: `optedIn`.
        opted_in: Option<bool> = optional_flag["opted_in", "optedIn"](),
        /// Only contacts that may (`true`) or may not (`false`) receive broadcasts. Alias: `allowBroadcast`.
        allow_broadcast: Option<bool> = optional_flag["allow_broadcast", "allowBroadcast"](),
        /// Only contacts that are (`true`) or are not (`false`) blocked.
        blocked: Option<bool> = optional_flag["blocked"](),
    }
}

members! {
    pub(crate) query ContactCursorQuery from Query {
        /// The `next_cursor` from the previous page. Cannot be combined with `page_number`.
        cursor: Option<String> = text["cursor"](),
    }
}

pub(crate) type ContactPage<'a> = Page<ContactShape<'a>, ContactPosition>;

rows!(ContactShape<'_>: "contact_list" in ContactPage, "One page of contacts.");

/// The position in a list with page numbers and cursors.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactPosition {
    #[schema(value_type = i32, example = 1, minimum = 1)]
    page_number: i64,
    #[schema(value_type = i32, example = 20, minimum = 1, maximum = 100)]
    page_size: i64,
    /// Pass this as `cursor` to get the next page. Absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    next_cursor: Option<String>,
}

/// Get contacts
///
/// Returns contacts, the most recently created first. Equality, existence and substrings of three letters or more use
/// an index. With other conditions, each page examines a bounded number of contacts, so it may contain fewer than
/// `page_size`; continue with `next_cursor`.
#[described::path(
    get,
    path = "/api/ext/v3/contacts",
    params(PageQuery, ContactFilterQuery, ContactCursorQuery),
    responses((status = 200, description = "One page of contacts.", body = ContactPage)),
)]
pub(crate) async fn list_contacts(
    Gated(state, caller): Gated,
    FromQuery(page): FromQuery<PageQuery>,
    FromQuery(behind): FromQuery<ContactCursorQuery>,
    FromQuery(asked): FromQuery<ContactFilterQuery>,
) -> ApiResult<Response> {
    let start = start(&state, &caller, page, behind.cursor.as_deref())?;
    let filter = asked.into_filter(&state, &caller).await?;
    let names = state.app.people().contacts().names(&caller).await?;
    if names.segments.conditions() <= FEW_CONDITIONS {
        return answer(&state, &caller, page, start, &filter, &names).await;
    }
    let app = state.app.clone();
    let work = async move { answer(&state, &caller, page, start, &filter, &names).await };
    Box::pin(app.compute(Box::pin(work))).await?
}

async fn answer(
    state: &ApiState,
    caller: &Caller,
    page: PageQuery,
    start: Start,
    filter: &ContactFilter,
    names: &ContactNames,
) -> ApiResult<Response> {
    let mut body = contact_list(page.size());
    let mut show = |contact: &ContactView<'_>| body.push(&ContactShape::new(contact, names));
    let end = state.app.people().contacts().list(caller, filter, start, page.size(), false, &mut show).await?;
    let position = ContactPosition { page_number: page.number(), page_size: page.size(), next_cursor: end.next_cursor };
    Ok(body.into_response(&ContactPage::around_rows(position)))
}

impl ContactFilterQuery {
    pub async fn into_filter(self, state: &ApiState, caller: &Caller) -> ApiResult<ContactFilter> {
        let mut filter = ContactFilter {
            search: check_search("search", self.search)?,
            conditions: conditions(self.attribute.unwrap_or_default())?,
            opted_in: self.opted_in,
            allow_broadcast: self.allow_broadcast,
            blocked: self.blocked,
            ..ContactFilter::default()
        };
        if let Some(named) = self.segment {
            state.app.people().contacts().within_segment(caller, &named, &mut filter).await?;
        }
        if let Some(named) = self.label {
            state.app.people().contacts().with_label(caller, &named, &mut filter).await?;
        }
        Ok(filter)
    }
}

fn start(state: &ApiState, caller: &Caller, page: PageQuery, cursor: Option<&str>) -> ApiResult<Start> {
    let Some(cursor) = cursor else { return Ok(Start::Page(page.number() - 1)) };
    if page.asked_number().is_some() {
        return Err(ApiError::invalid("cursor", "cannot be combined with page_number"));
    }
    let position = state.app.people().contacts().position(caller, cursor);
    position.map(Start::After).ok_or_else(|| ApiError::invalid("cursor", "expected a next_cursor from this list"))
}
