//! `DELETE /api/ext/v3/messageTemplates/{template_id}`

use app::templates::TemplateSelector;
use domain::TemplateId;

use crate::deleted::{Deleted, DeletedTemplate};
use crate::prelude::*;

/// Delete a template
///
/// Only in the language of this template, also at the network. The name can be used again when the network allows it.
#[described::path(
    delete,
    path = "/api/ext/v3/messageTemplates/{template_id}",
    responses(
        (status = 200, description = "The template is deleted.", body = DeletedTemplate),
        (status = 503, description = "Reasons: `unavailable`, `network_unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_message_template(
    Gated(state, caller): Gated,
    Path((id,)): Path<(TemplateId,)>,
) -> ApiResult<Json<DeletedTemplate>> {
    state.app.templates().delete(&caller, TemplateSelector::Id(id)).await?;
    Ok(Json(Deleted(id)))
}
