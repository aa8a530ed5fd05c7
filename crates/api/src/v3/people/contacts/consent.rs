//! `PUT /api/ext/v3/contacts/{target}/consent`: records a contact's opt-in, consent to broadcasts and SMS, and
//! blocking.

use app::people::contacts::ConsentUpdate;

use super::shape::{ContactShape, contact_response};
use crate::prelude::*;

/// Omitted members keep their values. At least one of the first four is required.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ContactConsent {
    /// Whether the business may message the person first.
    opted_in: Option<bool>,
    allow_broadcast: Option<bool>,
    allow_sms: Option<bool>,
    blocked: Option<bool>,
    /// Where the decision was made. Default: `API`.
    #[schema(example = "web form", max_length = 200)]
    source: Option<String>,
}

/// Record a contact's consent
///
/// Each change is kept in the contact's history with its time and source.
#[described::path(
    put,
    path = "/api/ext/v3/contacts/{target}/consent",
    params((
        "target" = String,
        Path,
        description = "The contact's phone number, id or BSUID.",
        example = "14155552671"
    )),
    responses((status = 200, description = "The updated contact.", body = ContactShape)),
)]
pub(crate) async fn set_contact_consent(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
    Json(input): Json<ContactConsent>,
) -> ApiResult<Response> {
    let decisions = [input.opted_in, input.allow_broadcast, input.allow_sms, input.blocked];
    if decisions.iter().all(Option::is_none) {
        let message = "expected at least one of opted_in, allow_broadcast, allow_sms and blocked";
        return Err(ApiError::invalid("opted_in", message));
    }
    let update = ConsentUpdate {
        opted_in: input.opted_in,
        allow_broadcast: input.allow_broadcast,
        allow_sms: input.allow_sms,
        blocked: input.blocked,
        source: input.source,
    };
    let contact = state.app.people().contacts().set_consent(&caller, &target, update).await?;
    let names = state.app.people().contacts().names(&caller).await?;
    Ok(contact_response(&contact, &names))
}
