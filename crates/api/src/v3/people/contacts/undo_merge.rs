//! `POST /api/ext/v3/contacts/merges/{id}/undo`: separates two merged contacts.

use domain::MergeId;

use super::shape::ContactShape;
use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeparatedContacts<'a> {
    /// The contact that was kept.
    contact: ContactShape<'a>,
    /// The contact that had been merged into it.
    separated: ContactShape<'a>,
}

/// Undo a merge
///
/// Restores both contacts. Changes made since the merge stay with the contact that was kept.
#[described::path(
    post,
    path = "/api/ext/v3/contacts/merges/{id}/undo",
    responses(
        (status = 200, description = "Both contacts, separated again.", body = SeparatedContacts),
        (
            status = 409,
            description = "Reasons: `conflict` (the merge is already undone, or a later merge must be undone first).",
            body = ErrorBody
        ),
    ),
)]
pub(crate) async fn undo_contact_merge(
    Gated(state, caller): Gated,
    Path((id,)): Path<(MergeId,)>,
) -> ApiResult<Response> {
    let (kept, separated) = state.app.people().contacts().undo_merge(&caller, id).await?;
    let names = state.app.people().contacts().names(&caller).await?;
    let (kept_texts, separated_texts) = (kept.texts(), separated.texts());
    let answer = SeparatedContacts {
        contact: ContactShape::new(&kept.view(&kept_texts), &names),
        separated: ContactShape::new(&separated.view(&separated_texts), &names),
    };
    Ok(Json(answer).into_response())
}
