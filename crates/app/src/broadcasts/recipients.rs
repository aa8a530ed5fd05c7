//! Recipients of a broadcast, page by page: those with a message first, then those who were refused.

use domain::broadcasts::{Broadcast, RecipientStatus};
use domain::contacts::CustomParam;
use domain::messages::{MessageFailure, MessageState, TemplateParams, local_id};
use domain::{BroadcastId, ContactId, Id, RecipientId, Timestamp};
use sha2::{Digest as _, Sha256};
use store::broadcasts::{RecipientContact, RefusedRecipient};

use super::{Broadcasts, statistics};
use crate::conversations::PageRequest;
use crate::{ActsFor, Result};

#[derive(Debug, Clone)]
pub struct RecipientPage {
    pub recipients: Vec<BroadcastRecipient>,
    /// Of all pages.
    pub total: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastRecipient {
    pub id: RecipientId,
    pub contact_id: Option<ContactId>,
    /// None when no contact has the target, or it was deleted.
    pub contact: Option<RecipientContact>,
    pub status: RecipientStatus,
    pub failure: Option<MessageFailure>,
    pub local_id: Option<String>,
    /// The network's id of the message; none when the network has not accepted one.
    pub network_id: Option<String>,
    /// As the request had it; only of a refused recipient.
    pub target: Option<String>,
    /// The values that the template was sent with.
    pub params: Vec<CustomParam>,
    pub created_at: Timestamp,
}

impl Broadcasts<'_> {
    /// Recipients with a message first, then the refused ones, each in the order of the request.
    pub async fn recipients(&self, caller: &impl ActsFor, id: BroadcastId, page: PageRequest) -> Result<RecipientPage> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let (broadcast, counts) = self.find_with_counts(caller, id).await?;
        let total = statistics(&counts).by_status.total();
        let is_early = broadcast.scheduled_at.is_some_and(|at| at > self.0.now());
        let sent = store::broadcasts::recipients(db, tenant, id, page.size(), page.offset()).await?;
        let mut recipients: Vec<BroadcastRecipient> = sent.into_iter().map(|one| of_message(one, is_early)).collect();
        let missing = page.size() - i64::try_from(recipients.len()).unwrap_or(0);
        if missing > 0 && broadcast.refused > 0 {
            let skipped = (page.offset() - (total - broadcast.refused)).max(0);
            let refused = store::broadcasts::refusals(db, tenant, id, missing, skipped).await?;
            recipients.extend(refused.into_iter().map(|(one, contact)| of_refusal(&broadcast, one, contact)));
        }
        Ok(RecipientPage { recipients, total })
    }
}

fn of_message(one: store::broadcasts::MessageRecipient, is_early: bool) -> BroadcastRecipient {
    let status = RecipientStatus::of(one.state, is_early);
    // A message that was reported as failed and later as delivered keeps its error, which is not shown.
    let failure = (status == RecipientStatus::Failed).then(|| one.error.unwrap_or_else(|| unexplained(one.state)));
    BroadcastRecipient {
        id: one.id.into(),
        contact_id: one.contact_id,
        contact: one.contact,
        status,
        failure,
        local_id: Some(one.local_id.unwrap_or_else(|| local_id::of(one.id))),
        network_id: one.network_id,
        target: None,
        params: params(one.params),
        created_at: one.created_at,
    }
}

/// The failure of a message whose row has none: its state is all that is known.
fn unexplained(state: MessageState) -> MessageFailure {
    MessageFailure { title: Some(state.name().to_owned()), ..MessageFailure::default() }
}

fn of_refusal(broadcast: &Broadcast, one: RefusedRecipient, contact: Option<RecipientContact>) -> BroadcastRecipient {
    BroadcastRecipient {
        id: refused_id(broadcast, one.place),
        contact_id: one.contact_id,
        contact,
        status: RecipientStatus::Failed,
        failure: Some(MessageFailure { code: Some(one.code), details: Some(one.reason), ..MessageFailure::default() }),
        local_id: one.local_id,
        network_id: None,
        // Empty after the contact was deleted.
        target: Some(one.target).filter(|target| !target.is_empty()),
        params: params(one.params),
        created_at: broadcast.created_at,
    }
}

fn params(params: Option<TemplateParams>) -> Vec<CustomParam> {
    params.unwrap_or_default().0
}

/// Derived from the broadcast and the index in the request: a refused recipient has no id of its own.
fn refused_id(broadcast: &Broadcast, place: i64) -> RecipientId {
    let hash = Sha256::new().chain_update(broadcast.id.bytes()).chain_update(place.to_be_bytes()).finalize();
    let entropy = hash.iter().take(8).fold(0, |entropy, byte| (entropy << 8) | u64::from(*byte));
    Id::seeded(broadcast.created_at, entropy)
}
