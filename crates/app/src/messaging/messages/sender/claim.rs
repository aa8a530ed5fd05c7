//! One round of the sender: a transaction under the account's lease that saves the outcomes of finished attempts and
//! claims the messages that may leave now.
//!
//! A claim names the process (`outbox.taken_by`) and is committed before the message leaves. A round first resolves
//! claims for which no task of this process is running:
//! - a claim of another process, when this process sends for the account for the first time or has just got the lease:
//!   that process died or lost the lease, and the message becomes `unknown`;
//! - a claim of this process, by `OwnClaims`.
//!
//! The pacer only plans inside the transaction, since PostgreSQL may run the transaction's body again. It counts the
//! plan after the commit.

use std::collections::HashSet;
use std::sync::Arc;

use domain::messaging::conversations::preview;
use domain::messaging::messages::{MessageState, Urgency};
use domain::messaging::pacing::{Candidate, Plan};
use domain::{MessageId, Timestamp};
use store::Tx;
use store::messaging::messages::EndedMessage;
use store::messaging::outbox::{self, DueMessage, Postponed};

use super::outcome::{SendAttempt, apply_pauses, save_outcomes};
use super::progress::SendProgress;
use super::recheck::{Rechecked, recheck};
use super::state::{AccountState, SendingAccount};
use crate::Result;
use crate::messaging::Messaging;
use crate::messaging::messages::emit;
use crate::people::contacts::ContactFollowers;

/// Lease duration: another node may take the account over this long after the holder's last round.
const LEASE_SECONDS: i64 = 10;
/// Messages read beyond the free places of a round, since the pacer may hold some of them back.
const READ_AHEAD: usize = 64;
const ABANDONED_BATCH: i64 = 1000;

#[derive(Debug)]
pub(super) enum Claimed {
    /// Messages to send now.
    Messages(Vec<DueMessage>),
    Nothing(SendProgress),
}

#[derive(Debug)]
struct Round {
    account: SendingAccount,
    state: Arc<AccountState>,
    holder: String,
    process: String,
    finished: Arc<Vec<SendAttempt>>,
    own_claims: OwnClaims,
    capacity: usize,
    now: Timestamp,
    followers: ContactFollowers,
}

/// What to do with claims of this process that the database shows at the start of a round.
#[derive(Debug)]
pub(super) enum OwnClaims {
    /// A task is sending each claimed message, so nothing is done.
    InFlight,
    /// First round of a call of `send_due`, when no task is running: an earlier call was interrupted, or its task
    /// panicked, and its messages may have been sent. They become `unknown`.
    LeftBehind,
    /// The last round failed and may or may not have been committed. Tasks are sending the messages in this set. Any
    /// other message that this process has claimed never left: it is due again.
    Uncertain(HashSet<MessageId>),
}

#[derive(Debug)]
struct RoundResult {
    lease: i64,
    candidates: Vec<Candidate>,
    plan: Plan,
    claimed: Vec<DueMessage>,
    next: Option<Timestamp>,
}

impl Messaging {
    pub(super) async fn claim(
        &self,
        account: &SendingAccount,
        state: &Arc<AccountState>,
        finished: Arc<Vec<SendAttempt>>,
        own_claims: OwnClaims,
        capacity: usize,
    ) -> Result<Claimed> {
        let now = self.now();
        self.fill_pacer(account, state, now).await?;
        apply_pauses(&mut state.pacer(), &finished, now);
        let round = Round {
            account: account.clone(),
            state: state.clone(),
            holder: self.node_name().to_owned(),
            process: self.process_name().to_owned(),
            finished,
            own_claims,
            capacity,
            now,
            followers: self.people().contact_followers(),
        };
        let Some(result) = self.db().write(round, |tx, round| Box::pin(run(tx, round))).await? else {
            // The pacer does not know what the other node sends.
            state.lease_lost();
            return Ok(Claimed::Nothing(SendProgress::Elsewhere));
        };
        state.pacer().commit(&result.candidates, &result.plan, now);
        state.set_filled_under(result.lease);
        if result.claimed.is_empty() {
            return Ok(Claimed::Nothing(result.next.map_or(SendProgress::Empty, SendProgress::Until)));
        }
        Ok(Claimed::Messages(result.claimed))
    }

    /// Gives the pacer the present limits of the channels and, on a node that takes over, the people who still count
    /// towards the account's limit of new people.
    async fn fill_pacer(&self, account: &SendingAccount, state: &AccountState, now: Timestamp) -> Result<()> {
        let mut limits = Vec::with_capacity(account.channels.len());
        for channel in &account.channels {
            limits.push((*channel, self.pacing_limits(account.tenant, *channel).await?));
        }
        let needs_filling = state.needs_filling();
        let people = if needs_filling {
            outbox::counted_people(self.db(), account.tenant, &account.account_id, now).await?
        } else {
            Vec::new()
        };
        let mut pacer = state.pacer();
        for (channel, limits) in limits {
            pacer.set_limits(channel, limits);
        }
        if needs_filling {
            pacer.count_people(people);
        }
        Ok(())
    }
}

/// The transaction of a round. None when another node holds the lease: then only the outcomes are saved.
async fn run(tx: &mut Tx<'_>, round: &Round) -> Result<Option<RoundResult>> {
    let Round { account, now, .. } = round;
    save_outcomes(tx, account.tenant, &round.finished, &round.process, *now, round.followers).await?;
    let until = now.plus_seconds(LEASE_SECONDS);
    let Some(lease) = store::base::leases::acquire(tx, &account.lease_name(), &round.holder, *now, until).await? else {
        return Ok(None);
    };
    if !round.state.is_filled_under(lease) {
        resolve_abandoned(tx, round).await?;
        outbox::sweep_counted_people(tx, account.tenant, &account.account_id, *now).await?;
    }
    resolve_own_claims(tx, round).await?;
    let rechecked = recheck_due(tx, round).await?;
    emit::save_ended(tx, account.tenant, &rechecked.ended, *now).await?;
    let ended: Vec<MessageId> = rechecked.ended.iter().map(|one| one.id).collect();
    outbox::remove(tx, account.tenant, &ended).await?;
    let candidates: Vec<Candidate> = rechecked.sendable.iter().map(|(_, candidate)| *candidate).collect();
    let mut plan = round.state.pacer().plan(&candidates, *now);
    // Planned messages beyond the free places stay due for the next round.
    plan.go.truncate(round.capacity);
    let planned = plan.go.iter().filter_map(|i| rechecked.sendable.get(*i)).map(|(due, _)| due.clone()).collect();
    let claimed = claim_messages(tx, round, planned).await?;
    enter_history(tx, round, &claimed).await?;
    let held_back = plan.later.iter().filter_map(|(i, at)| {
        let (due, _) = rechecked.sendable.get(*i)?;
        Some(Postponed { id: due.id, due_at: *at, is_attempt: false })
    });
    let postponed: Vec<Postponed> = held_back.chain(rechecked.postponed.iter().copied()).collect();
    outbox::postpone(tx, account.tenant, &postponed, &round.process).await?;
    save_new_people(tx, round, &claimed, &plan).await?;
    let next = if claimed.is_empty() { next_due(tx, round, &plan).await? } else { None };
    Ok(Some(RoundResult { lease, candidates, plan, claimed, next }))
}

/// Makes messages that other processes have claimed `unknown`: those processes no longer hold the lease.
async fn resolve_abandoned(tx: &mut Tx<'_>, round: &Round) -> Result<()> {
    let tenant = round.account.tenant;
    for channel in &round.account.channels {
        loop {
            let ids = outbox::abandoned(tx, tenant, *channel, &round.process, ABANDONED_BATCH).await?;
            if ids.is_empty() {
                break;
            }
            set_unknown(tx, round, &ids).await?;
        }
    }
    Ok(())
}

/// Makes messages `unknown` and removes them from the outbox: they may have been sent, and are never sent again.
async fn set_unknown(tx: &mut Tx<'_>, round: &Round, ids: &[MessageId]) -> Result<()> {
    let unknown = |id: &MessageId| EndedMessage { id: *id, state: MessageState::Unknown, at: None, error: None };
    store::messaging::messages::set_ended(tx, round.account.tenant, &ids.iter().map(unknown).collect::<Vec<_>>())
        .await?;
    outbox::remove(tx, round.account.tenant, ids).await?;
    Ok(())
}

/// Resolves claims of this process for which none of its tasks is running, as `OwnClaims` says.
async fn resolve_own_claims(tx: &mut Tx<'_>, round: &Round) -> Result<()> {
    match &round.own_claims {
        OwnClaims::InFlight => Ok(()),
        OwnClaims::LeftBehind => {
            let left = claimed_by_us(tx, round).await?;
            set_unknown(tx, round, &left).await
        }
        OwnClaims::Uncertain(in_flight) => {
            let not_tried = claimed_by_us(tx, round).await?.into_iter().filter(|id| !in_flight.contains(id));
            let again: Vec<_> = not_tried.map(|id| Postponed { id, due_at: round.now, is_attempt: false }).collect();
            outbox::postpone(tx, round.account.tenant, &again, &round.process).await?;
            Ok(())
        }
    }
}

async fn claimed_by_us(tx: &mut Tx<'_>, round: &Round) -> Result<Vec<MessageId>> {
    let mut all = Vec::new();
    for channel in &round.account.channels {
        all.extend(outbox::claimed_by(tx, round.account.tenant, *channel, &round.process).await?);
    }
    Ok(all)
}

/// Reads the first due messages of each urgency and channel, the most urgent first, until there are enough for a round,
/// and rechecks each.
async fn recheck_due(tx: &mut Tx<'_>, round: &Round) -> Result<Rechecked> {
    let mut due = Vec::new();
    if round.capacity > 0 {
        let limit = i64::try_from(round.capacity + READ_AHEAD).unwrap_or(i64::MAX);
        for urgency in Urgency::ALL {
            for channel in &round.account.channels {
                let rank = urgency.rank();
                due.extend(outbox::due(tx, round.account.tenant, *channel, rank, round.now, limit).await?);
            }
            // Enough for this round: less urgent messages wait for a later round.
            if due.len() >= round.capacity + READ_AHEAD {
                break;
            }
        }
    }
    recheck(tx, round.account.tenant, due, round.now).await
}

/// Claims messages and returns those that were claimed. A message that was stopped since it was read is not claimed,
/// and does not leave.
async fn claim_messages(tx: &mut Tx<'_>, round: &Round, mut due: Vec<DueMessage>) -> Result<Vec<DueMessage>> {
    let claimed = outbox::claim(tx, round.account.tenant, &due.iter().collect::<Vec<_>>(), &round.process).await?;
    if claimed != u64::try_from(due.len()).unwrap_or(0) {
        let ours: HashSet<MessageId> = claimed_by_us(tx, round).await?.into_iter().collect();
        due.retain(|one| ours.contains(&one.id));
    }
    Ok(due)
}

/// Gives scheduled and postponed messages that leave now the present time in the history, and makes them the last
/// messages of their conversations.
async fn enter_history(tx: &mut Tx<'_>, round: &Round, claimed: &[DueMessage]) -> Result<()> {
    let is_later = |one: &&DueMessage| one.due_at.seconds() > one.id.second();
    let later: Vec<MessageId> = claimed.iter().filter(is_later).map(|one| one.id).collect();
    let (tenant, now) = (round.account.tenant, round.now.to_millis());
    if later.is_empty() || store::messaging::messages::set_leaving(tx, tenant, &later, now).await? == 0 {
        return Ok(());
    }
    let leaving =
        store::messaging::messages::load_context(tx, tenant, &later).await?.into_iter().filter_map(|context| {
            let message = context.message;
            Some((message.conversation_id.filter(|_| message.at == now)?, now, preview(&message.text?)))
        });
    let mut touched: Vec<_> = leaving.collect();
    // Every transaction locks conversations in this order, so that no two wait for each other.
    touched.sort_unstable();
    Ok(store::messaging::conversations::touch(tx, tenant, &touched).await?)
}

/// Saves the people to whom the account opens a conversation. Each counts for a day towards the network's limit, also
/// on a node that takes over.
async fn save_new_people(tx: &mut Tx<'_>, round: &Round, claimed: &[DueMessage], plan: &Plan) -> Result<()> {
    let mut people = plan.people.clone();
    people.retain(|(contact, _)| claimed.iter().any(|due| due.contact_id == *contact));
    if people.is_empty() {
        return Ok(());
    }
    Ok(outbox::save_counted_people(tx, round.account.tenant, &round.account.account_id, &people).await?)
}

/// The time when the next message may leave: when it is due, or when the limits allow it.
async fn next_due(tx: &mut Tx<'_>, round: &Round, plan: &Plan) -> Result<Option<Timestamp>> {
    let mut next = plan.next;
    for channel in &round.account.channels {
        for urgency in Urgency::ALL {
            let due = outbox::next_due(tx, round.account.tenant, *channel, urgency.rank()).await?;
            // A message that is due already waits for the limits; `plan.next` says when they allow it.
            next = Timestamp::earlier(next, due.filter(|due| *due > round.now || plan.next.is_none()));
        }
    }
    Ok(next)
}
