//! `DELETE /api/ext/v3/labels/{id}`

use domain::LabelId;

use crate::answer::deleted::{Deleted, DeletedLabel};
use crate::prelude::*;

/// Delete a label
///
/// Removes the label from all conversations and contacts.
#[described::path(
    delete,
    path = "/api/ext/v3/labels/{id}",
    responses((status = 200, description = "The label was deleted.", body = DeletedLabel)),
)]
pub(crate) async fn delete_label(
    Gated(state, caller): Gated,
    Path((id,)): Path<(LabelId,)>,
) -> ApiResult<Json<DeletedLabel>> {
    state.app.people().labels().remove(&caller, id).await?;
    Ok(Json(Deleted(id)))
}
