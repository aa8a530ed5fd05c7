//! One round: what came back is written down, what may leave is marked, in one transaction under the account's lease.

use std::collections::HashSet;
use std::sync::Arc;

use domain::messages::{State as MessageState, Urgency};
use domain::pacing::{Candidate, Plan};
use domain::{MessageId, Timestamp};
use store::Tx;
use store::messages::Ended;
use store::outbox::{self, Due, Later};

use super::landing::{Landed, write_down};
use super::lane::{Lane, State};
use super::weigh::{Weighed, weigh};
use super::{Progress, landing};
use crate::messages::told;
use crate::{App, Result};

/// Whoever sends is believed to be alive for so long after its last round.
const LEASE_SECONDS: i64 = 10;
/// Looked at in a round beyond those that can leave: some of them may have to wait for reasons of their own.
const BEYOND: usize = 64;
const ABANDONED_AT_ONCE: i64 = 1000;

#[derive(Debug)]
pub(super) enum Took {
    /// Marked; they leave now.
    Some(Vec<Due>),
    Nothing(Progress),
}

#[derive(Debug)]
struct Round {
    lane: Lane,
    state: Arc<State>,
    holder: String,
    process: String,
    landed: Arc<Vec<Landed>>,
    marks: Marks,
    room: usize,
    now: Timestamp,
}

/// What a mark of this process on a message means that has not come back.
#[derive(Debug)]
pub(super) enum Marks {
    /// It is on its way.
    Ours,
    /// Nothing is on its way yet: a flight was broken off, and nobody knows how far this one came.
    Left,
    /// The end of the last round is not known. What was marked in it and is not among these never left.
    Doubtful(HashSet<MessageId>),
}

/// What a round found and did.
#[derive(Debug)]
struct Outcome {
    lease: i64,
    candidates: Vec<Candidate>,
    plan: Plan,
    taken: Vec<Due>,
    next: Option<Timestamp>,
}

impl App {
    pub(super) async fn take(
        &self,
        lane: &Lane,
        state: &Arc<State>,
        landed: Arc<Vec<Landed>>,
        marks: Marks,
        room: usize,
    ) -> Result<Took> {
        let now = self.now();
        self.fill_pacer(lane, state, now).await?;
        landing::hold(&mut state.pacer(), &landed, now);
        let round = Round {
            lane: lane.clone(),
            state: state.clone(),
            holder: self.node_name().to_owned(),
            process: self.process_name().to_owned(),
            landed,
            marks,
            room,
            now,
        };
        let Some(outcome) = self.db().write(round, |tx, round| Box::pin(run(tx, round))).await? else {
            // Whoever gets it back must learn anew what others have sent.
            state.unlearn();
            return Ok(Took::Nothing(Progress::Elsewhere));
        };
        state.pacer().commit(&outcome.candidates, &outcome.plan, now);
        state.learn(outcome.lease);
        if outcome.taken.is_empty() {
            return Ok(Took::Nothing(outcome.next.map_or(Progress::Empty, Progress::Until)));
        }
        Ok(Took::Some(outcome.taken))
    }

    /// Limits of the channels as they are now, and, for whoever takes over, whom the account has written to of late.
    async fn fill_pacer(&self, lane: &Lane, state: &State, now: Timestamp) -> Result<()> {
        let mut limits = Vec::with_capacity(lane.channels.len());
        for channel in &lane.channels {
            limits.push((*channel, self.limits_of(lane.tenant, *channel).await?));
        }
        let is_new = state.is_new();
        let people =
            if is_new { outbox::people(self.db(), lane.tenant, &lane.account_id, now).await? } else { Vec::new() };
        let mut pacer = state.pacer();
        for (channel, limits) in limits {
            pacer.set_limits(channel, limits);
        }
        if is_new {
            pacer.note_people(people);
        }
        Ok(())
    }
}

/// None when another node has the lease: then only what came back is written down.
async fn run(tx: &mut Tx<'_>, round: &Round) -> Result<Option<Outcome>> {
    let Round { lane, now, .. } = round;
    write_down(tx, lane.tenant, &round.landed, &round.process, *now).await?;
    let until = now.plus_seconds(LEASE_SECONDS);
    let Some(lease) = store::leases::take(tx, &lane.lease(), &round.holder, *now, until).await? else {
        return Ok(None);
    };
    if !round.state.knows(lease) {
        abandon(tx, round).await?;
        outbox::forget_people(tx, lane.tenant, &lane.account_id, *now).await?;
    }
    tidy(tx, round).await?;
    let weighed = look(tx, round).await?;
    told::ended(tx, lane.tenant, &weighed.ended, *now).await?;
    outbox::remove(tx, lane.tenant, &weighed.ended.iter().map(|one| one.id).collect::<Vec<_>>()).await?;
    let candidates: Vec<Candidate> = weighed.fit.iter().map(|(_, candidate)| *candidate).collect();
    let plan = round.state.pacer().plan(&candidates, *now);
    let plan = cut(plan, round.room);
    let taken: Vec<Due> = plan.go.iter().filter_map(|i| weighed.fit.get(*i)).map(|(due, _)| due.clone()).collect();
    let taken = mark(tx, round, taken).await?;
    let postponed = plan
        .later
        .iter()
        .filter_map(|(i, at)| weighed.fit.get(*i).map(|(due, _)| Later { id: due.id, due_at: *at, is_attempt: false }));
    let later: Vec<Later> = postponed.chain(weighed.later.iter().copied()).collect();
    outbox::postpone(tx, lane.tenant, &later, &round.process).await?;
    meet(tx, round, &taken, &plan).await?;
    let next = if taken.is_empty() { next(tx, round, &plan).await? } else { None };
    Ok(Some(Outcome { lease, candidates, plan, taken, next }))
}

/// What a process that is gone had marked.
async fn abandon(tx: &mut Tx<'_>, round: &Round) -> Result<()> {
    let tenant = round.lane.tenant;
    for channel in &round.lane.channels {
        loop {
            let ids = outbox::abandoned(tx, tenant, *channel, &round.process, ABANDONED_AT_ONCE).await?;
            if ids.is_empty() {
                break;
            }
            doubt(tx, round, &ids).await?;
        }
    }
    Ok(())
}

/// Nobody knows whether these were sent.
async fn doubt(tx: &mut Tx<'_>, round: &Round, ids: &[MessageId]) -> Result<()> {
    let unknown = |id: &MessageId| Ended { id: *id, state: MessageState::Unknown, at: None, error: None };
    store::messages::ended(tx, round.lane.tenant, &ids.iter().map(unknown).collect::<Vec<_>>()).await?;
    outbox::remove(tx, round.lane.tenant, ids).await?;
    Ok(())
}

/// What this process itself had marked and is not sending.
async fn tidy(tx: &mut Tx<'_>, round: &Round) -> Result<()> {
    match &round.marks {
        Marks::Ours => Ok(()),
        Marks::Left => {
            let left = ours(tx, round).await?;
            doubt(tx, round, &left).await
        }
        Marks::Doubtful(flying) => {
            let untried = ours(tx, round).await?.into_iter().filter(|id| !flying.contains(id));
            let again = untried.map(|id| Later { id, due_at: round.now, is_attempt: false }).collect::<Vec<_>>();
            outbox::postpone(tx, round.lane.tenant, &again, &round.process).await?;
            Ok(())
        }
    }
}

/// What has the mark of this process.
async fn ours(tx: &mut Tx<'_>, round: &Round) -> Result<Vec<MessageId>> {
    let mut all = Vec::new();
    for channel in &round.lane.channels {
        all.extend(outbox::taken_by(tx, round.lane.tenant, *channel, &round.process).await?);
    }
    Ok(all)
}

/// The heads of all queues, the most urgent first, each weighed.
async fn look(tx: &mut Tx<'_>, round: &Round) -> Result<Weighed> {
    let mut due = Vec::new();
    if round.room > 0 {
        let limit = i64::try_from(round.room + BEYOND).unwrap_or(i64::MAX);
        for urgency in Urgency::ALL {
            for channel in &round.lane.channels {
                due.extend(outbox::head(tx, round.lane.tenant, *channel, urgency.rank(), round.now, limit).await?);
            }
            // More of what is less urgent could not leave in this round anyway.
            if due.len() >= round.room + BEYOND {
                break;
            }
        }
    }
    weigh(tx, round.lane.tenant, due, round.now).await
}

/// No more than there is room for; the others are looked at again.
fn cut(mut plan: Plan, room: usize) -> Plan {
    plan.go.truncate(room);
    plan
}

/// Durable before anything leaves. One that was stopped since it was looked at is not marked, and does not leave.
async fn mark(tx: &mut Tx<'_>, round: &Round, mut due: Vec<Due>) -> Result<Vec<Due>> {
    let marked = outbox::take(tx, round.lane.tenant, &due.iter().collect::<Vec<_>>(), &round.process).await?;
    if marked != u64::try_from(due.len()).unwrap_or(0) {
        let ours: HashSet<MessageId> = ours(tx, round).await?.into_iter().collect();
        due.retain(|one| ours.contains(&one.id));
    }
    Ok(due)
}

/// Whom the account writes to first counts for a day towards the network's limit, also after a restart.
async fn meet(tx: &mut Tx<'_>, round: &Round, taken: &[Due], plan: &Plan) -> Result<()> {
    let mut met = plan.people.clone();
    met.retain(|(contact, _)| taken.iter().any(|due| due.contact_id == *contact));
    if met.is_empty() {
        return Ok(());
    }
    Ok(outbox::met(tx, round.lane.tenant, &round.lane.account_id, &met).await?)
}

/// When the next message may leave: when it is due, or when the limits allow it.
async fn next(tx: &mut Tx<'_>, round: &Round, plan: &Plan) -> Result<Option<Timestamp>> {
    let mut next = plan.next;
    for channel in &round.lane.channels {
        for urgency in Urgency::ALL {
            let due = outbox::next_due(tx, round.lane.tenant, *channel, urgency.rank()).await?;
            // What is due already waits for the limits, where these have said when.
            next = Timestamp::earlier(next, due.filter(|due| *due > round.now || plan.next.is_none()));
        }
    }
    Ok(next)
}
