//! `DELETE /api/ext/v3/messageTemplates/{template_id}`

use app::templates::TemplateSelector;
use axum::Json;
use axum::extract::State;
use domain::TemplateId;
use serde::Serialize;
use utoipa::ToSchema;

use super::template_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedTemplate {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: TemplateId,
    #[schema(example = true)]
    deleted: bool,
}

/// Delete a template
///
/// Only in the language of this template, also at the network. The name can be used again when the network allows it.
#[utoipa::path(
    delete,
    path = "/api/ext/v3/messageTemplates/{template_id}",
    tag = "templates",
    params(("template_id" = String, Path, description = "The template's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The template is deleted.", body = DeletedTemplate),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 503, description = "Reasons: `unavailable`, `network_unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_message_template(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<DeletedTemplate>> {
    let id = template_id(&id)?;
    state.app.templates().delete(&caller, TemplateSelector::Id(id)).await?;
    Ok(Json(DeletedTemplate { id, deleted: true }))
}
