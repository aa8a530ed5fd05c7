//! `GET /{tenantId}/api/v1/getMessageTemplates`, and what it has in common with V2.

use axum::Json;
use axum::extract::{OriginalUri, State};
use axum::http::Uri;
use serde::Serialize;
use store::templates::Filter;
use utoipa::ToSchema;

use super::shape::TemplateShape;
use crate::ApiState;
use crate::error::ApiResult;
use crate::gate::Caller;
use crate::input::LegacyInput;
use crate::templates::Link;

/// Clients ask for all of them at once.
const MAX_PAGE_SIZE: i64 = 1000;
const DEFAULT_PAGE_SIZE: i64 = 100;

#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplatesV1)]
pub(crate) struct Listed {
    #[schema(example = "success")]
    result: &'static str,
    message_templates: Vec<TemplateShape>,
    link: Link,
}

/// Get templates
///
/// The newest first, without those that were deleted.
#[utoipa::path(
    get,
    path = "/{tenantId}/api/v1/getMessageTemplates",
    tag = "templates",
    params(
        ("pageSize" = Option<i32>, Query, minimum = 1, maximum = 1000, example = 100, nullable = false, description = "Templates on a page; 100 when absent."),
        ("pageNumber" = Option<i32>, Query, minimum = 1, maximum = 1_000_000, example = 1, nullable = false, description = "Pages count from 1."),
        ("name" = Option<String>, Query, nullable = false, description = "Part of the name."),
        ("wabaId" = Option<String>, Query, nullable = false, description = "Only templates of this account of the network."),
    ),
    responses((status = 200, description = "One page of templates.", body = Listed)),
)]
pub(crate) async fn get_message_templates(
    State(state): State<ApiState>,
    caller: Caller,
    OriginalUri(uri): OriginalUri,
    input: LegacyInput,
) -> ApiResult<Json<Listed>> {
    page(&state, &caller, &uri, &input).await
}

pub(crate) async fn page(state: &ApiState, caller: &Caller, uri: &Uri, input: &LegacyInput) -> ApiResult<Json<Listed>> {
    let size = input.number(&["pageSize"], 1, MAX_PAGE_SIZE)?.unwrap_or(DEFAULT_PAGE_SIZE);
    let number = input.number(&["pageNumber"], 1, 1_000_000)?.unwrap_or(1);
    let filter = Filter {
        account_id: input.text(&["wabaId"])?,
        name: input.text(&["name"])?,
        limit: size,
        offset: (number - 1) * size,
    };
    let page = state.app.templates().list(caller, None, filter).await?;
    let message_templates = page.templates.into_iter().map(TemplateShape::from).collect();
    Ok(Json(Listed { result: "success", message_templates, link: Link::new(uri, number, size, page.total) }))
}
