//! `DELETE /api/ext/v3/contacts/{target}`: deletes a contact and the person's data.

use domain::ContactId;

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DeletedContact {
    contact_id: ContactId,
    #[schema(example = true)]
    deleted: bool,
    /// Whether files and events of the person are erased too. If false, Switchboard goes on in the background; the
    /// number, name, attributes, messages and history are deleted in any case before the response is sent.
    #[schema(example = true)]
    cleanup_completed: bool,
}

/// Delete a contact
///
/// The person's data is deleted before the response is sent, and the person is erased from the event log and its files
/// are deleted, in the background if that takes long (`cleanup_completed`). The id and BSUID are kept because other
/// data refers to them. If the same number appears again later, it becomes a new contact.
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
    let cleanup_completed = state.app.platform().erasures().begin(&caller, contact_id).await;
    Ok(Json(DeletedContact { contact_id, deleted: true, cleanup_completed }))
}
