//! `GET /api/ext/v3/messageTemplates/{template_id}`

use axum::Json;
use axum::extract::State;

use super::shape::TemplateShape;
use super::template_id;
use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

/// Get one template
///
/// Also a deleted one, because messages still refer to it.
#[utoipa::path(
    get,
    path = "/api/ext/v3/messageTemplates/{template_id}",
    tag = "templates",
    params(("template_id" = String, Path, description = "The template's id.", example = "69eb4e9a1f0c2d3e4a5b6c7d")),
    responses(
        (status = 200, description = "The template.", body = TemplateShape),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_message_template(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(id): FromPath<String>,
) -> ApiResult<Json<TemplateShape>> {
    Ok(Json(state.app.templates().find(&caller, template_id(&id)?).await?.into()))
}
