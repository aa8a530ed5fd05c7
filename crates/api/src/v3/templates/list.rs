//! `GET /api/ext/v3/messageTemplates`

use app::templates::Page;
use axum::Json;
use axum::extract::State;
use domain::templates::TemplateFilter;
use serde::Serialize;
use utoipa::ToSchema;

use super::shape::TemplateShape;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::{FromQuery, PageQuery, Query, members};

members! {
    #[derive(Debug, utoipa::IntoParams)]
    #[into_params(parameter_in = Query)]
    pub(crate) struct ListTemplatesQuery from Query {
        /// Only templates of this channel's account: the channel's id, name or phone number.
        #[param(example = "Support", nullable = false)]
        channel: Option<String> = text["channel"](),
        /// Part of the name.
        #[param(example = "order", nullable = false)]
        name: Option<String> = text["name"](),
    }
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
    params(ListTemplatesQuery, PageQuery),
    responses(
        (status = 200, description = "One page of templates.", body = Listed),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn list_message_templates(
    State(state): State<ApiState>,
    caller: Caller,
    FromQuery(page): FromQuery<PageQuery>,
    FromQuery(asked): FromQuery<ListTemplatesQuery>,
) -> ApiResult<Json<Listed>> {
    let (page_size, page_number) = (page.size(), page.number());
    let filter = TemplateFilter {
        name: asked.name,
        limit: page_size,
        offset: (page_number - 1) * page_size,
        ..TemplateFilter::default()
    };
    let Page { templates, total } = state.app.templates().list(&caller, asked.channel.as_deref(), filter).await?;
    let templates = templates.into_iter().map(TemplateShape::from).collect();
    Ok(Json(Listed { templates, page_number, page_size, total }))
}
