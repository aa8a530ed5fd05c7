//! The consumer that routes conversations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::automation::routing::RoutingTarget;
use domain::base::timers::TimerKind;
use domain::delivery::events::{Fact, FactCause, FactKind, InboxSubject};
use domain::messaging::conversations::{Assignee, Conversation, ConversationStatus};
use domain::{AccountId, ConversationId, TenantId};
use futures_util::future::BoxFuture;
use serde::Deserialize;
use store::Tx;
use store::automation::routing::waiting::{self, WaitingRow};

use super::snapshot::RoutingSnapshot;
use super::timers::set_next;
use crate::Result;
use crate::delivery::consumers::{FactBatch, FactHandler};

#[derive(Debug)]
pub(crate) struct RouteConversations;

impl FactHandler for RouteConversations {
    fn name(&self) -> &'static str {
        "routing"
    }

    fn handle<'t>(&self, tx: &'t mut Tx<'_>, batch: FactBatch<'t>) -> BoxFuture<'t, Result<()>> {
        Box::pin(react(tx, batch))
    }
}

/// What a batch of facts says.
#[derive(Debug, Default)]
struct Causes<'b> {
    /// The messages of persons, by conversation.
    received: BTreeMap<ConversationId, Vec<&'b Fact>>,
    /// Conversations whose status, assignee, labels or snooze has changed, other than by a rule.
    changed: BTreeSet<ConversationId>,
    /// An operator may have room who had none.
    room: bool,
    /// Teams or opening hours have changed.
    schedules: bool,
    depth: i64,
}

/// The members of a fact's body that this module reads.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Body {
    #[serde(default)]
    what: Option<String>,
    #[serde(default)]
    assigned_id: Option<AccountId>,
}

impl Body {
    fn of(fact: &Fact) -> Self {
        serde_json::from_str(&fact.body).unwrap_or(Self { what: None, assigned_id: None })
    }
}

impl<'b> Causes<'b> {
    fn of(batch: FactBatch<'b>) -> Self {
        let mut causes = Self::default();
        for fact in batch.facts.iter().map(|logged| &logged.fact) {
            match (fact.kind, fact.conversation_id) {
                (FactKind::Received, Some(id)) => causes.received.entry(id).or_default().push(fact),
                (FactKind::InboxChanged, id) => causes.add_change(fact, id),
                _ => continue,
            }
            causes.depth = causes.depth.max(fact.depth + 1);
        }
        causes
    }

    fn add_change(&mut self, fact: &Fact, id: Option<ConversationId>) {
        let what = Body::of(fact).what.and_then(|what| what.parse().ok());
        match (what, id) {
            (Some(InboxSubject::Conversation), Some(id)) if fact.cause != FactCause::Rule => {
                self.changed.insert(id);
                self.room = true;
            }
            (Some(InboxSubject::Teams | InboxSubject::OpeningHours), _) => {
                (self.room, self.schedules) = (true, true);
            }
            (Some(InboxSubject::Operators | InboxSubject::Labels), _) => self.room = true,
            _ => {}
        }
    }

    fn conversations(&self) -> Vec<ConversationId> {
        self.received.keys().chain(&self.changed).copied().collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// Whether a message of the batch opened the conversation's ticket, and the assignee is still the one of then.
    fn have_opened(&self, one: &Conversation) -> bool {
        let operator = match one.assignee {
            Some(Assignee::Operator { id, .. }) => Some(id),
            _ => None,
        };
        let opens = |fact: &&Fact| fact.at.to_millis() == one.opened_at && Body::of(fact).assigned_id == operator;
        self.received.get(&one.id).is_some_and(|facts| facts.iter().any(opens))
    }
}

/// What is done with a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reaction {
    /// It does not wait.
    Forget,
    /// What it waits for has not changed.
    Nothing,
    /// It waits in the team that somebody has assigned it to.
    WaitInTeam,
    ApplyRules,
}

fn reaction(one: &Conversation, row: Option<&WaitingRow>, causes: &Causes<'_>) -> Reaction {
    if one.status != ConversationStatus::Open || one.snoozed_until.is_some() {
        return Reaction::Forget;
    }
    let is_changed = causes.changed.contains(&one.id);
    match &one.assignee {
        Some(Assignee::Bot) => Reaction::Forget,
        _ if causes.have_opened(one) => Reaction::ApplyRules,
        Some(Assignee::Operator { .. }) => Reaction::Forget,
        Some(Assignee::Team { id, .. }) => match row {
            Some(row) if row.queue.target != RoutingTarget::Team(*id) => Reaction::WaitInTeam,
            Some(row) if is_changed && row.by_rule => Reaction::ApplyRules,
            Some(_) if !is_changed => Reaction::Nothing,
            _ => Reaction::WaitInTeam,
        },
        None if is_changed || row.is_none() => Reaction::ApplyRules,
        None => Reaction::Nothing,
    }
}

async fn react(tx: &mut Tx<'_>, batch: FactBatch<'_>) -> Result<()> {
    let (tenant, causes) = (batch.tenant, Causes::of(batch));
    let mut teams = Vec::new();
    let mut to_route = Vec::new();
    let ids = causes.conversations();
    if !ids.is_empty() {
        let found = waiting::conversations_of(tx, tenant, &ids).await?;
        let rows = waiting::of(tx, tenant, &ids).await?;
        let rows: HashMap<ConversationId, WaitingRow> =
            rows.into_iter().map(|row| (row.conversation_id, row)).collect();
        for gone in rows.keys().filter(|id| found.iter().all(|one| one.id != **id)) {
            waiting::remove(tx, tenant, *gone).await?;
        }
        for one in found {
            match reaction(&one, rows.get(&one.id), &causes) {
                Reaction::Forget if rows.contains_key(&one.id) => waiting::remove(tx, tenant, one.id).await?,
                Reaction::Forget | Reaction::Nothing => {}
                Reaction::WaitInTeam => teams.push(one),
                Reaction::ApplyRules => to_route.push(one),
            }
        }
    }
    let is_waited = !teams.is_empty() || (causes.room && has_queues(tx, tenant).await?);
    if !is_waited && to_route.is_empty() && !causes.schedules {
        return Ok(());
    }
    let mut snapshot = RoutingSnapshot::load(tx, tenant, batch.now, causes.depth).await?;
    for one in &teams {
        snapshot.wait_in_team(tx, one).await?;
    }
    let mut has_more = is_waited && snapshot.drain(tx).await?;
    to_route.sort_by_key(|one| (one.opened_at, one.id));
    has_more |= route_all(tx, &mut snapshot, &to_route, has_more).await?;
    if has_more || causes.schedules {
        set_next(tx, &snapshot, has_more).await?;
    }
    Ok(())
}

/// Whether a conversation waits for a team or an operator.
async fn has_queues(tx: &mut Tx<'_>, tenant: TenantId) -> Result<bool> {
    let queues = waiting::queues(tx, tenant).await?;
    Ok(queues.iter().any(|queue| queue.target != RoutingTarget::Unassigned))
}

/// Applies the rules. While older conversations have to be given first, new ones without an operator wait for a pass of
/// the rules. Returns whether there may be more to give.
async fn route_all(
    tx: &mut Tx<'_>,
    snapshot: &mut RoutingSnapshot,
    opened: &[Conversation],
    is_behind: bool,
) -> Result<bool> {
    let (mut is_freed, mut is_postponed) = (false, false);
    for one in opened {
        if is_behind && !matches!(one.assignee, Some(Assignee::Operator { .. })) {
            snapshot.wait_for_rules(tx, one).await?;
            is_postponed = true;
        } else {
            is_freed |= snapshot.route(tx, one.id, Some(one.version)).await?;
        }
    }
    if is_postponed {
        let first = ConversationId::LEAST;
        store::base::timers::set(tx, snapshot.tenant, TimerKind::RoutingPass, first, snapshot.now).await?;
    }
    Ok(is_freed && !is_behind && snapshot.drain(tx).await?)
}
