//! `DELETE /api/ext/v3/contacts/{target}`: deletes a contact and the person's data.

use domain::ContactId;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedContact {
    contact_id: ContactId,
    #[schema(example = true)]
    deleted: bool,
    /// Always true: number, name, attributes and history are deleted before the answer.
    #[schema(example = true)]
    cleanup_completed: bool,
}

/// Delete a contact
///
/// The person's data is deleted before the answer. Id and BSUID stay, because other data refers to them. The same
/// number later becomes a new contact.
#[described::path(
    delete,
    path = "/api/ext/v3/contacts/{target}",
    params(("target" = String, Path, description = "The contact.", example = "14155552671")),
    responses((status = 200, description = "The contact is deleted.", body = DeletedContact)),
)]
pub(crate) async fn delete_contact(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
) -> ApiResult<Json<DeletedContact>> {
    let contact_id = state.app.contacts().delete(&caller, &target).await?;
    Ok(Json(DeletedContact { contact_id, deleted: true, cleanup_completed: true }))
}
