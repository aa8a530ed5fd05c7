//! `GET /api/ext/v3/contacts/{target}/history`: a contact's identities, consent and merges.

use app::people::contacts::History;
use domain::people::contacts::identity::Identity;
use domain::{ContactId, MergeId};

use crate::prelude::*;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactHistory {
    contact_id: ContactId,
    #[schema(example = "US.13491208655302741918")]
    bsuid: String,
    identities: Vec<ContactIdentity>,
    /// Oldest first. Includes the consent changes of merged contacts.
    consents: Vec<ConsentShape>,
    /// Oldest first.
    merges: Vec<ContactMerge>,
    opted_in: bool,
    /// The last opt-in or opt-out. Absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    opt_in: Option<ContactOptIn>,
    blocked: bool,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactIdentity {
    /// `phone`, `bsuid`, `username`, or `id` for a contact merged into this one.
    #[schema(example = "phone")]
    kind: &'static str,
    #[schema(example = "14155552671")]
    value: String,
    #[serde(serialize_with = "as_rfc3339")]
    first_seen: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    last_seen: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConsentChange)]
pub(crate) struct ConsentShape {
    #[serde(serialize_with = "as_rfc3339")]
    at: Timestamp,
    /// `opt_in`, `opt_out`, `block`, `unblock`, `allow_broadcast`, `deny_broadcast`, `allow_sms` or `deny_sms`.
    #[schema(example = "opt_out")]
    change: String,
    #[schema(example = "web form")]
    source: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactMerge {
    id: MergeId,
    kept_id: ContactId,
    merged_id: ContactId,
    /// `api`, or `sighting` if the network showed that both are the same person.
    #[schema(example = "api")]
    reason: String,
    #[serde(serialize_with = "as_rfc3339")]
    merged_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", nullable = false)]
    undone_at: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactOptIn {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "web form", nullable = false)]
    source: Option<String>,
    #[serde(serialize_with = "as_rfc3339")]
    at: Timestamp,
}

/// Get a contact's history
#[described::path(
    get,
    path = "/api/ext/v3/contacts/{target}/history",
    params((
        "target" = String,
        Path,
        description = "The contact's phone number, id or BSUID.",
        example = "14155552671"
    )),
    responses((status = 200, description = "The contact's history.", body = ContactHistory)),
)]
pub(crate) async fn get_contact_history(
    Gated(state, caller): Gated,
    FromPath(target): FromPath<String>,
) -> ApiResult<Json<ContactHistory>> {
    Ok(Json(state.app.people().contacts().history(&caller, &target).await?.into()))
}

impl From<History> for ContactHistory {
    fn from(history: History) -> Self {
        let History { contact, identities, consents, merges } = history;
        let opt_in = contact.consent.at.map(|at| ContactOptIn { source: contact.consent.source, at });
        Self {
            contact_id: contact.id,
            bsuid: contact.bsuid,
            identities: identities.into_iter().map(ContactIdentity::from).collect(),
            consents: consents.into_iter().map(ConsentShape::from).collect(),
            merges: merges.into_iter().map(ContactMerge::from).collect(),
            opted_in: contact.consent.opted_in,
            opt_in,
            blocked: contact.blocked_at.is_some(),
        }
    }
}

impl From<Identity> for ContactIdentity {
    fn from(identity: Identity) -> Self {
        let Identity { kind, value, first_seen, last_seen } = identity;
        Self { kind: kind.name(), value, first_seen, last_seen }
    }
}

impl From<domain::people::contacts::ConsentChange> for ConsentShape {
    fn from(change: domain::people::contacts::ConsentChange) -> Self {
        Self { at: change.at, change: change.change, source: change.source }
    }
}

impl From<domain::people::contacts::Merge> for ContactMerge {
    fn from(merge: domain::people::contacts::Merge) -> Self {
        Self {
            id: merge.id,
            kept_id: merge.kept_id,
            merged_id: merge.merged_id,
            reason: merge.reason,
            merged_at: merge.merged_at,
            undone_at: merge.undone_at.map(Timestamp::to_rfc3339),
        }
    }
}
