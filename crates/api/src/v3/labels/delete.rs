//! `DELETE /api/ext/v3/labels/{id}`

use domain::LabelId;

use crate::audit_actor::AuditActor;
use crate::deleted::{Deleted, DeletedLabel};
use crate::prelude::*;

/// Delete a label
///
/// It is removed from all conversations and contacts.
#[utoipa::path(
    delete,
    path = "/api/ext/v3/labels/{id}",
    responses((status = 200, description = "The label is deleted.", body = DeletedLabel)),
)]
pub(crate) async fn delete_label(
    Gated(state, caller): Gated,
    AuditActor(actor): AuditActor,
    Path((id,)): Path<(LabelId,)>,
) -> ApiResult<Json<DeletedLabel>> {
    state.app.labels().remove(&actor, &caller, id).await?;
    Ok(Json(Deleted(id)))
}
