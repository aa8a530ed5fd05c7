//! `POST /{tenantId}/api/v1/contacts`: an older spelling of the list.

use app::contacts::Start;
use axum::extract::State;
use axum::response::Response;
use domain::contacts::{ContactView, Filter};
use utoipa::ToSchema;

use super::shape::ContactShape;
use crate::ApiState;
use crate::contacts::ListBody;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::LegacyInput;

#[derive(Debug, ToSchema)]
#[schema(as = ContactPageV1)]
#[expect(dead_code, reason = "a description of what is read member by member")]
pub(crate) struct Input {
    /// Contacts on a page; 20 when absent.
    #[schema(rename = "pageSize", minimum = 1, maximum = 100, example = 20)]
    page_size: Option<i32>,
    /// Pages count from 0.
    #[schema(rename = "pageNumber", minimum = 0, maximum = 1_000_000, example = 0)]
    page_number: Option<i32>,
}

#[derive(Debug, ToSchema)]
#[schema(as = ContactItemsV1)]
#[expect(dead_code, reason = "a description of what is written contact by contact")]
pub(crate) struct Answer {
    result: Items,
}

#[derive(Debug, ToSchema)]
#[schema(as = ItemsV1)]
#[expect(dead_code, reason = "a description of what is written contact by contact")]
pub(crate) struct Items {
    items: Vec<ContactShape<'static>>,
}

/// Get contacts (older spelling)
///
/// Newest first. Here pages count from 0.
#[utoipa::path(
    post,
    path = "/{tenantId}/api/v1/contacts",
    tag = "contacts",
    params(("tenantId" = String, Path, description = "The tenant.", example = "100001")),
    request_body(content = Option<Input>, content_type = "application/json"),
    responses((status = 200, description = "One page of contacts.", body = Answer)),
)]
pub(crate) async fn list_contact_items(
    State(state): State<ApiState>,
    caller: Caller,
    input: LegacyInput,
) -> ApiResult<Response> {
    let size = input.number("pageSize", 1, 100)?.unwrap_or(20);
    let start = Start::Page(input.number("pageNumber", 0, 1_000_000)?.unwrap_or(0));
    let mut body = ListBody::new("{\"result\":{\"items\":[", size);
    let show = |contact: &ContactView<'_>| body.push(&ContactShape::from(contact));
    state.app.contacts().list(&caller, &Filter::default(), start, size, false, show).await?;
    Ok(body.close("]}}"))
}
