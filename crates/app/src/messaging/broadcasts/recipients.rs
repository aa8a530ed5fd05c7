//! Recipients of a broadcast, page by page: those with a message first, then those who were refused.

use domain::messaging::broadcasts::{Broadcast, RecipientStatus};
use domain::messaging::messages::{MessageFailure, MessageState, TemplateParams, local_id};
use domain::people::contacts::CustomParam;
use domain::{BroadcastId, ContactId, Id, RecipientId, Timestamp};
use sha2::{Digest as _, Sha256};
use store::messaging::broadcasts::{RecipientContact, RefusedRecipient};

use super::{Broadcasts, statistics};
use crate::base::page_request::{MAX_LIST_DEPTH, PageRequest};
use crate::{ActsFor, Result};

#[derive(Debug, Clone)]
pub struct RecipientPage {
    pub recipients: Vec<BroadcastRecipient>,
    /// The number of recipients on all pages.
    pub total: i64,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BroadcastRecipient {
    pub id: RecipientId,
    pub contact_id: Option<ContactId>,
    /// None when no contact has the target, or when the contact was deleted.
    pub contact: Option<RecipientContact>,
    pub status: RecipientStatus,
    pub failure: Option<MessageFailure>,
    pub local_id: Option<String>,
    /// The network's id of the message; none when the network has not accepted one.
    pub network_id: Option<String>,
    /// The target as the request had it; only for a refused recipient whose contact was not deleted.
    pub target: Option<String>,
    /// The values that the template was sent with.
    pub params: Vec<CustomParam>,
    pub created_at: Timestamp,
}

/// Which recipients a list has. The default allows all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecipientFilter {
    /// Allows recipients with any of these statuses; empty allows all.
    pub statuses: Vec<RecipientStatus>,
    /// Allows only failed recipients, and of those the ones with this code.
    pub failed_code: Option<FailedCode>,
}

/// Which code a failure must have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailedCode {
    Is(i64),
    /// Neither the network nor Switchboard gave a code.
    Absent,
}

/// A cause of failure, and how many recipients of a broadcast failed because of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailureCause {
    pub code: Option<i64>,
    /// The text of one of the failures with this code.
    pub detail: Option<String>,
    pub count: usize,
}

/// Most causes that `failures` returns.
const MAX_CAUSES: usize = 100;
/// At least the number of recipients of any broadcast: this limit reads all of them.
const ALL: i64 = MAX_LIST_DEPTH;

impl RecipientFilter {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// The message states that the filter may allow; `allows` then checks each recipient. A message before its
    /// scheduled time has the state `accepted`.
    fn states(&self) -> Vec<MessageState> {
        let allows = |state: &&MessageState| {
            let possible = [RecipientStatus::from_state(**state), RecipientStatus::when_early(**state)];
            possible.iter().any(|status| self.statuses.contains(status))
        };
        match (self.failed_code, self.statuses.is_empty()) {
            (Some(_), _) => vec![MessageState::Failed, MessageState::Expired],
            (None, true) => MessageState::ALL.to_vec(),
            (None, false) => MessageState::ALL.iter().filter(allows).copied().collect(),
        }
    }

    fn allows(&self, one: &BroadcastRecipient) -> bool {
        let code = one.failure.as_ref().and_then(|failure| failure.code);
        (self.statuses.is_empty() || self.statuses.contains(&one.status))
            && match self.failed_code {
                None => true,
                Some(FailedCode::Is(wanted)) => one.status == RecipientStatus::Failed && code == Some(wanted),
                Some(FailedCode::Absent) => one.status == RecipientStatus::Failed && code.is_none(),
            }
    }
}

#[boxed::futures]
impl Broadcasts<'_> {
    /// Recipients with a message first, then the refused ones, each in the order of the request.
    pub async fn recipients(
        &self,
        caller: &dyn ActsFor,
        id: BroadcastId,
        filter: &RecipientFilter,
        page: PageRequest,
    ) -> Result<RecipientPage> {
        if !filter.is_empty() {
            return self.filtered(caller, id, filter, page).await;
        }
        let (db, tenant) = (self.0.db(), caller.tenant());
        let (broadcast, counts) = self.find_with_counts(caller, id).await?;
        let total = statistics(&counts).by_status.total();
        let show = status_at(&broadcast, self.0.now());
        let sent = store::messaging::broadcasts::recipients(db, tenant, id, page.size(), page.offset()).await?;
        let mut recipients: Vec<BroadcastRecipient> = sent.into_iter().map(|one| of_message(one, show)).collect();
        let missing = page.size() - i64::try_from(recipients.len()).unwrap_or(0);
        if missing > 0 && broadcast.refused > 0 {
            let skipped = (page.offset() - (total - broadcast.refused)).max(0);
            let refused = store::messaging::broadcasts::refusals(db, tenant, id, missing, skipped).await?;
            recipients.extend(refused.into_iter().map(|(one, contact)| of_refusal(&broadcast, one, contact)));
        }
        Ok(RecipientPage { recipients, total })
    }

    /// Reads all recipients in the filter's states and takes the page out of those that the filter allows. A broadcast
    /// has at most 10 000 recipients.
    async fn filtered(
        &self,
        caller: &dyn ActsFor,
        id: BroadcastId,
        filter: &RecipientFilter,
        page: PageRequest,
    ) -> Result<RecipientPage> {
        let all = self.of_states(caller, id, &filter.states()).await?;
        let allowed: Vec<BroadcastRecipient> = all.into_iter().filter(|one| filter.allows(one)).collect();
        let total = i64::try_from(allowed.len()).unwrap_or(i64::MAX);
        let place = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
        let recipients = allowed.into_iter().skip(place(page.offset())).take(place(page.size())).collect();
        Ok(RecipientPage { recipients, total })
    }

    /// The recipients whose messages are in one of these states. `Failed` includes the recipients who were refused and
    /// have no message.
    async fn of_states(
        &self,
        caller: &dyn ActsFor,
        id: BroadcastId,
        states: &[MessageState],
    ) -> Result<Vec<BroadcastRecipient>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let (broadcast, _) = self.find_with_counts(caller, id).await?;
        let show = status_at(&broadcast, self.0.now());
        let sent = store::messaging::broadcasts::recipients_of_states(db, tenant, id, states, ALL).await?;
        let mut all: Vec<BroadcastRecipient> = sent.into_iter().map(|one| of_message(one, show)).collect();
        if broadcast.refused > 0 && states.contains(&MessageState::Failed) {
            let refused = store::messaging::broadcasts::refusals(db, tenant, id, ALL, 0).await?;
            all.extend(refused.into_iter().map(|(one, contact)| of_refusal(&broadcast, one, contact)));
        }
        Ok(all)
    }

    /// Counts the failed recipients by code, the most frequent code first. Returns at most `MAX_CAUSES` codes.
    pub async fn failures(&self, caller: &dyn ActsFor, id: BroadcastId) -> Result<Vec<FailureCause>> {
        let failed = self.of_states(caller, id, &[MessageState::Failed, MessageState::Expired]).await?;
        let mut causes: Vec<FailureCause> = Vec::new();
        for failure in failed.into_iter().filter_map(|one| one.failure) {
            if let Some(known) = causes.iter_mut().find(|cause| cause.code == failure.code) {
                known.count += 1;
            } else {
                let detail = failure.detail().map(str::to_owned);
                causes.push(FailureCause { code: failure.code, detail, count: 1 });
            }
        }
        causes.sort_by_key(|cause| std::cmp::Reverse(cause.count));
        causes.truncate(MAX_CAUSES);
        Ok(causes)
    }
}

/// How the states of the broadcast's messages show at this time.
fn status_at(broadcast: &Broadcast, now: Timestamp) -> fn(MessageState) -> RecipientStatus {
    if broadcast.scheduled_at.is_some_and(|at| at > now) {
        RecipientStatus::when_early
    } else {
        RecipientStatus::from_state
    }
}

fn of_message(
    one: store::messaging::broadcasts::MessageRecipient,
    show: fn(MessageState) -> RecipientStatus,
) -> BroadcastRecipient {
    let status = show(one.state);
    // A message that was reported as failed and later as delivered keeps its error, which is not shown.
    let failure = (status == RecipientStatus::Failed).then(|| one.error.unwrap_or_else(|| unexplained(one.state)));
    BroadcastRecipient {
        id: one.id.into(),
        contact_id: one.contact_id,
        contact: one.contact,
        status,
        failure,
        local_id: Some(one.local_id.unwrap_or_else(|| local_id::default_for(one.id))),
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

/// The id of a refused recipient, derived from the broadcast's id and the index in the request: it is not stored.
fn refused_id(broadcast: &Broadcast, place: i64) -> RecipientId {
    let hash = Sha256::new().chain_update(broadcast.id.bytes()).chain_update(place.to_be_bytes()).finalize();
    let entropy = hash.iter().take(8).fold(0, |entropy, byte| (entropy << 8) | u64::from(*byte));
    Id::seeded(broadcast.created_at, entropy)
}
