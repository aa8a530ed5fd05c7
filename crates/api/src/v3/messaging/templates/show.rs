//! `GET /api/ext/v3/messageTemplates/{template_id}`

use domain::TemplateId;

use super::shape::TemplateShape;
use crate::prelude::*;

/// Get a template
///
/// Also returns deleted templates, because messages still refer to them.
#[described::path(
    get,
    path = "/api/ext/v3/messageTemplates/{template_id}",
    responses((status = 200, description = "The template.", body = TemplateShape)),
)]
pub(crate) async fn get_message_template(
    Gated(state, caller): Gated,
    Path((id,)): Path<(TemplateId,)>,
) -> ApiResult<Json<TemplateShape>> {
    Ok(Json(state.app.messaging().templates().find(&caller, id).await?.into()))
}
