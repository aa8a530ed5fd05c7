//! `DELETE /api/ext/v3/messageTemplates/{template_id}`

use app::messaging::templates::TemplateSelector;
use domain::TemplateId;

use crate::answer::deleted::{Deleted, DeletedTemplate};
use crate::prelude::*;

/// Delete a template
///
/// Deletes the template only in its language, also at the network. The name can be reused when the network allows it.
#[described::path(
    delete,
    path = "/api/ext/v3/messageTemplates/{template_id}",
    responses(
        (status = 200, description = "The template was deleted.", body = DeletedTemplate),
        (status = 503, description = "Reasons: `unavailable`, `network_unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn delete_message_template(
    Gated(state, caller): Gated,
    Path((id,)): Path<(TemplateId,)>,
) -> ApiResult<Json<DeletedTemplate>> {
    state.app.messaging().templates().delete(&caller, TemplateSelector::Id(id)).await?;
    Ok(Json(Deleted(id)))
}
