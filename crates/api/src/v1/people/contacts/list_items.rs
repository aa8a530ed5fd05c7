//! `POST /{tenantId}/api/v1/contacts`: an older form of the contact list.

use app::people::contacts::Start;
use domain::people::contacts::{ContactFilter, ContactView};

use super::shape::ContactShape;
use crate::input::LegacyInput;
use crate::prelude::*;
use crate::shared::people::contacts::contact_list;

members! {
    #[derive(Debug, ToSchema)]
    #[schema(as = ContactPageV1)]
    pub(crate) struct ListContactItemsRequest from LegacyInput {
        /// Contacts per page, at most 100; larger values are capped. Defaults to 20.
        #[schema(rename = "pageSize", value_type = Option<i32>, minimum = 1, example = 20)]
        page_size: Option<i64> = page_size["pageSize"](100),
        /// Page number, starting at 0.
        #[schema(rename = "pageNumber", minimum = 0, maximum = 1_000_000, example = 0)]
        page_number: Option<i32> = number["pageNumber"](0, 1_000_000),
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactItemsV1<'a> {
    result: ContactItems<'a>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ItemsV1)]
pub(crate) struct ContactItems<'a> {
    items: Vec<ContactShape<'a>>,
}

/// Get contacts (older form)
///
/// Returns contacts, the most recently created first. Page numbers start at 0 here.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/contacts",
    tag = "contacts",
    request_body(content = Option<ListContactItemsRequest>, content_type = "application/json"),
    responses((status = 200, description = "One page of contacts.", body = ContactItemsV1)),
)]
pub(crate) async fn list_contact_items(Gated(state, caller): Gated, input: LegacyInput) -> ApiResult<Response> {
    let asked = ListContactItemsRequest::parse(&input)?;
    let size = asked.page_size.unwrap_or(20);
    let start = Start::Page(asked.page_number.unwrap_or(0).into());
    let mut body = contact_list(size);
    let mut show = |contact: &ContactView<'_>| body.push(&ContactShape::from(contact));
    state.app.people().contacts().list(&caller, &ContactFilter::default(), start, size, false, &mut show).await?;
    Ok(body.into_response(&ContactItemsV1 { result: ContactItems { items: Vec::new() } }))
}
