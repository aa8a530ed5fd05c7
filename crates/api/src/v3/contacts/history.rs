//! `GET /api/ext/v3/contacts/{target}/history`: identities, consent and merges of a contact.

use app::contacts::History;
use axum::Json;
use axum::extract::State;
use domain::contacts::identity::Identity;
use domain::time::as_rfc3339;
use domain::{ContactId, MergeId, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiState;
use crate::error::{ApiResult, ErrorBody};
use crate::gate::Caller;
use crate::input::FromPath;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ContactHistory {
    #[schema(value_type = String, example = "507f1f77bcf86cd799439011")]
    contact_id: ContactId,
    #[schema(example = "US.13491208655302741918")]
    bsuid: String,
    identities: Vec<IdentityShape>,
    /// Oldest first, including those of merged contacts.
    consents: Vec<ConsentShape>,
    /// Oldest first.
    merges: Vec<MergeShape>,
    opted_in: bool,
    /// The last opt-in or opt-out; absent when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    opt_in: Option<OptIn>,
    blocked: bool,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactIdentity)]
pub(crate) struct IdentityShape {
    /// `phone`, `bsuid`, `username`, or `id` for a contact that was merged into this one.
    #[schema(example = "phone")]
    kind: &'static str,
    #[schema(example = "14155552671")]
    value: String,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    first_seen: Timestamp,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    last_seen: Timestamp,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ConsentChange)]
pub(crate) struct ConsentShape {
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    at: Timestamp,
    /// `opt_in`, `opt_out`, `block`, `unblock`, `allow_broadcast`, `deny_broadcast`, `allow_sms` or `deny_sms`.
    #[schema(example = "opt_out")]
    change: String,
    #[schema(example = "web form")]
    source: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactMerge)]
pub(crate) struct MergeShape {
    #[schema(value_type = String, example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: MergeId,
    #[schema(value_type = String, example = "507f1f77bcf86cd799439011")]
    kept_id: ContactId,
    #[schema(value_type = String, example = "507f1f77bcf86cd799439012")]
    merged_id: ContactId,
    /// `api`, or `sighting` when the network showed that both are one person.
    #[schema(example = "api")]
    reason: String,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    merged_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(format = "date-time", nullable = false)]
    undone_at: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ContactOptIn)]
pub(crate) struct OptIn {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "web form", nullable = false)]
    source: Option<String>,
    #[serde(serialize_with = "as_rfc3339")]
    #[schema(value_type = String, format = "date-time", example = "2026-04-24T10:00:00.000Z")]
    at: Timestamp,
}

/// Get the history of a contact
#[utoipa::path(
    get,
    path = "/api/ext/v3/contacts/{target}/history",
    tag = "contacts",
    params(("target" = String, Path, description = "The contact.", example = "14155552671")),
    responses(
        (status = 200, description = "The history of the contact.", body = ContactHistory),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
    ),
)]
pub(crate) async fn get_contact_history(
    State(state): State<ApiState>,
    caller: Caller,
    FromPath(target): FromPath<String>,
) -> ApiResult<Json<ContactHistory>> {
    Ok(Json(state.app.contacts().history(&caller, &target).await?.into()))
}

impl From<History> for ContactHistory {
    fn from(history: History) -> Self {
        let History { contact, identities, consents, merges } = history;
        let opt_in = contact.consent.at.map(|at| OptIn { source: contact.consent.source, at });
        Self {
            contact_id: contact.id,
            bsuid: contact.bsuid,
            identities: identities.into_iter().map(IdentityShape::from).collect(),
            consents: consents.into_iter().map(ConsentShape::from).collect(),
            merges: merges.into_iter().map(MergeShape::from).collect(),
            opted_in: contact.consent.opted_in,
            opt_in,
            blocked: contact.blocked_at.is_some(),
        }
    }
}

impl From<Identity> for IdentityShape {
    fn from(identity: Identity) -> Self {
        let Identity { kind, value, first_seen, last_seen } = identity;
        Self { kind: kind.name(), value, first_seen, last_seen }
    }
}

impl From<domain::contacts::ConsentChange> for ConsentShape {
    fn from(change: domain::contacts::ConsentChange) -> Self {
        Self { at: change.at, change: change.change, source: change.source }
    }
}

impl From<domain::contacts::Merge> for MergeShape {
    fn from(merge: domain::contacts::Merge) -> Self {
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
