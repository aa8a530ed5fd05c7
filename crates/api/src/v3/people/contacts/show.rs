//! `GET /api/ext/v3/contacts/{target}`: one contact.

use super::shape::ContactShape;
use crate::prelude::*;
use crate::shared::people::contacts::contact_list;

/// Get a contact
///
/// Accepts a phone number, contact id or BSUID, each optionally prefixed with a channel: `MyChannel:14155552671`.
#[described::path(
    get,
    path = "/api/ext/v3/contacts/{target}",
    params((
        "target" = String,
        Path,
        description = "The contact's phone number, id or BSUID, optionally prefixed with `channel:`.",
        example = "14155552671"
    )),
    responses((status = 200, description = "The contact.", body = ContactShape)),
)]
pub(crate) async fn get_contact(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
) -> ApiResult<Response> {
    let names = state.app.people().contacts().names(&caller).await?;
    let mut body = contact_list(1);
    state
        .app
        .people()
        .contacts()
        .find(&caller, &target, &mut |contact| body.push(&ContactShape::new(contact, &names)))
        .await?;
    Ok(body.into_only_row())
}
