//! `GET /api/ext/v3/messageTemplates`

use app::templates::Page;
use axum::Json;
use axum::extract::State;
use serde::Serialize;
use store::templates::Filter;
use utoipa::ToSchema;

use super::shape::TemplateShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{PAGE_NUMBER, PAGE_SIZE, Query};

/// The parameters, for the document: what is read is read name by name.
#[derive(utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "a description of what is read name by name")]
pub(crate) struct Parameters {
    /// Only templates of this channel's account: the channel's id, name or phone number.
    #[param(example = "Support", nullable = false)]
    channel: Option<String>,
    /// Part of the name.
    #[param(example = "order", nullable = false)]
    name: Option<String>,
    /// Pages count from 1. Also accepted: `pageNumber`.
    #[param(minimum = 1, maximum = 1_000_000, default = 1, example = 1, nullable = false)]
    page_number: Option<i32>,
    /// Templates on a page. Also accepted: `pageSize`.
    #[param(minimum = 1, maximum = 100, default = 20, example = 20, nullable = false)]
    page_size: Option<i32>,
}

/// One page of templates.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TemplatePage)]
pub(crate) struct Listed {
    templates: Vec<TemplateShape>,
    #[schema(example = 1, minimum = 1)]
    page_number: i64,
    #[schema(example = 20, minimum = 1, maximum = 100)]
    page_size: i64,
    #[schema(example = 42, minimum = 0)]
    total: i64,
}

/// Get templates
///
/// The newest first, without those that were deleted.
#[utoipa::path(
    get,
    path = "/api/ext/v3/messageTemplates",
    tag = "templates",
    params(Parameters),
    responses(
        (status = 200, description = "One page of templates.", body = Listed),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_message_templates(
    State(state): State<ApiState>,
    caller: Caller,
    query: Query,
) -> ApiResult<Json<Listed>> {
    let page_size = query.number(PAGE_SIZE, 1, 100)?.unwrap_or(20);
    let page_number = query.number(PAGE_NUMBER, 1, 1_000_000)?.unwrap_or(1);
    let filter = Filter {
        name: query.take(&["name"])?.map(str::to_owned),
        limit: page_size,
        offset: (page_number - 1) * page_size,
        ..Filter::default()
    };
    let Page { templates, total } = state.app.templates().list(&caller, query.take(&["channel"])?, filter).await?;
    let templates = templates.into_iter().map(TemplateShape::from).collect();
    Ok(Json(Listed { templates, page_number, page_size, total }))
}
