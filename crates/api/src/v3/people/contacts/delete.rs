//! `DELETE /api/ext/v3/contacts/{target}`: deletes a contact and the person's data.

use domain::ContactId;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedContact {
    contact_id: ContactId,
    #[schema(example = true)]
    deleted: bool,
    /// Always true: the number, name, attributes and history are deleted before the response is sent.
    #[schema(example = true)]
    cleanup_completed: bool,
}

/// Delete a contact
///
/// The person's data is deleted before the response is sent. The id and BSUID are kept because other data refers to
/// them. If the same number appears again later, it becomes a new contact.
#[described::path(
    delete,
    path = "/api/ext/v3/contacts/{target}",
    params((
        "target" = String,
        Path,
        description = "The contact's phone number, id or BSUID.",
        example = "14155552671"
    )),
    responses((status = 200, description = "The contact was deleted.", body = DeletedContact)),
)]
pub(crate) async fn delete_contact(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
) -> ApiResult<Json<DeletedContact>> {
    let contact_id = state.app.people().contacts().delete(&caller, &target).await?;
    Ok(Json(DeletedContact { contact_id, deleted: true, cleanup_completed: true }))
}
