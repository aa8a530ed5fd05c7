//! Gives conversations to operators and to teams.

use domain::ConversationId;
use domain::automation::routing::{
    AssignedOperator, OperatorName, RoutingStep, RoutingTarget, WaitingConversation, WaitingQueue, assign, explain,
    is_waiting, route_and_assign,
};
use domain::messaging::conversations::{Assignee, Conversation};
use domain::people::contacts::Team;
use domain::people::teams::TeamRouting;
use store::Tx;
use store::automation::routing::waiting::{self, WaitingRow};

use super::snapshot::RoutingSnapshot;
use crate::Result;
use crate::inbox::conversations::{RuledAssignment, assign_by_rule};

/// Most waiting conversations that one transaction gives to operators.
pub(super) const MOST_PLACED: i64 = 50;

impl RoutingSnapshot {
    /// Gives waiting conversations to operators who have room, the oldest first. Returns whether there may be more to
    /// give.
    pub async fn drain(&mut self, tx: &mut Tx<'_>) -> Result<bool> {
        let mut left = MOST_PLACED;
        while left > 0 {
            let mut oldest = Vec::new();
            for queue in waiting::queues(tx, self.tenant).await? {
                if queue.can_be_given(&self.roster) {
                    oldest.extend(waiting::oldest(tx, self.tenant, &queue, left).await?);
                }
            }
            if oldest.is_empty() {
                return Ok(false);
            }
            oldest.sort_by_key(|row| (row.since, row.conversation_id));
            for row in oldest {
                if left > 0 && row.queue.can_be_given(&self.roster) {
                    left -= 1;
                    self.place(tx, &row).await?;
                }
            }
        }
        Ok(true)
    }

    /// Gives a conversation to an operator, who has room. If it does not wait any more, removes its row.
    async fn place(&mut self, tx: &mut Tx<'_>, row: &WaitingRow) -> Result<()> {
        let id = row.conversation_id;
        let found = store::messaging::conversations::for_update(tx, self.tenant, id).await?;
        let Some(mut conversation) = found.filter(|one| is_waiting(one) && is_with(one, row.queue.target)) else {
            return Ok(waiting::remove(tx, self.tenant, id).await?);
        };
        let one = row.queue.waiting(id, row.since);
        for decision in assign(std::slice::from_ref(&one), &mut self.roster, self.now) {
            if let Some(given) = decision.assigned {
                self.give(tx, &mut conversation, given, &decision.steps).await?;
            }
        }
        Ok(())
    }

    /// Applies the rules to a conversation. With a version, the conversation must still have it; without one, it must
    /// wait. Returns whether an operator has lost it.
    pub async fn route(&mut self, tx: &mut Tx<'_>, id: ConversationId, version: Option<i64>) -> Result<bool> {
        let found = store::messaging::conversations::for_update(tx, self.tenant, id).await?;
        let is_meant = |one: &Conversation| version.map_or_else(|| is_waiting(one), |version| one.version == version);
        let Some(mut conversation) = found.filter(is_meant) else {
            if version.is_none() {
                waiting::remove(tx, self.tenant, id).await?;
            }
            return Ok(false);
        };
        let former = match conversation.assignee {
            Some(Assignee::Operator { id, .. }) => Some(id),
            _ => None,
        };
        // While the rules decide, the operator does not have it.
        if let Some(operator) = former {
            self.roster.add_open(operator, -1);
        }
        let one = self.waiting(tx, &conversation, former).await?;
        let (to, decision) = route_and_assign(&one, &self.rules, &mut self.roster, self.now);
        if decision.steps.first() == Some(&RoutingStep::NoRuleMatched) {
            if let Some(operator) = former {
                self.roster.add_open(operator, 1);
            }
            self.keep(tx, &conversation, &one).await?;
            return Ok(false);
        }
        let given_to = decision.assigned.as_ref().map(|given| given.operator.id);
        match decision.assigned {
            Some(given) => self.give(tx, &mut conversation, given, &decision.steps).await?,
            None => self.let_wait(tx, &mut conversation, &one, to, &decision.steps).await?,
        }
        Ok(former.is_some() && given_to != former)
    }

    /// No rule applies: the conversation stays where it is.
    async fn keep(&self, tx: &mut Tx<'_>, conversation: &Conversation, one: &WaitingConversation) -> Result<()> {
        match conversation.assignee {
            None => self.save(tx, conversation, one, RoutingTarget::Unassigned, true).await,
            Some(Assignee::Team { id, .. }) => self.save(tx, conversation, one, RoutingTarget::Team(id), false).await,
            Some(_) => Ok(waiting::remove(tx, self.tenant, conversation.id).await?),
        }
    }

    /// Lets a conversation wait in the team that somebody has assigned it to.
    pub async fn wait_in_team(&self, tx: &mut Tx<'_>, conversation: &Conversation) -> Result<()> {
        let one = self.waiting(tx, conversation, None).await?;
        self.keep(tx, conversation, &one).await
    }

    /// Lets a new conversation wait until the rules are applied to it.
    pub async fn wait_for_rules(&self, tx: &mut Tx<'_>, conversation: &Conversation) -> Result<()> {
        let one = self.waiting(tx, conversation, None).await?;
        let target = match conversation.assignee {
            Some(Assignee::Team { id, .. }) => RoutingTarget::Team(id),
            _ => RoutingTarget::Unassigned,
        };
        self.save(tx, conversation, &one, target, true).await
    }

    /// Nobody has room: the conversation waits for what the rules say.
    async fn let_wait(
        &self,
        tx: &mut Tx<'_>,
        conversation: &mut Conversation,
        one: &WaitingConversation,
        to: RoutingTarget,
        steps: &[RoutingStep],
    ) -> Result<()> {
        let team = match to {
            RoutingTarget::Team(id) => self.roster.team(id).map(TeamRouting::team),
            RoutingTarget::Operator(_) | RoutingTarget::Unassigned => None,
        };
        // Nobody is in a team that was deleted.
        let is_gone = matches!(to, RoutingTarget::Team(_)) && team.is_none();
        let target = if is_gone { RoutingTarget::Unassigned } else { to };
        if !is_with(conversation, target) {
            let assignee = team.map(|Team { id, name }| Assignee::Team { id, name });
            self.assign(tx, conversation, assignee, steps).await?;
        }
        self.save(tx, conversation, one, target, true).await
    }

    async fn save(
        &self,
        tx: &mut Tx<'_>,
        conversation: &Conversation,
        one: &WaitingConversation,
        target: RoutingTarget,
        by_rule: bool,
    ) -> Result<()> {
        let queue = WaitingQueue::new(target, one.language.clone(), &conversation.labels);
        let row = WaitingRow { conversation_id: conversation.id, queue, by_rule, since: conversation.opened_at };
        Ok(waiting::save(tx, self.tenant, &row).await?)
    }

    async fn give(
        &self,
        tx: &mut Tx<'_>,
        conversation: &mut Conversation,
        given: AssignedOperator,
        steps: &[RoutingStep],
    ) -> Result<()> {
        let AssignedOperator { operator: OperatorName { id, name }, at } = given;
        let email = self.emails.get(&id).cloned().unwrap_or_default();
        self.assign(tx, conversation, Some(Assignee::Operator { id, email, name }), steps).await?;
        store::automation::routing::operators::assigned(tx, self.tenant, id, at).await?;
        Ok(waiting::remove(tx, self.tenant, conversation.id).await?)
    }

    async fn assign(
        &self,
        tx: &mut Tx<'_>,
        conversation: &mut Conversation,
        to: Option<Assignee>,
        steps: &[RoutingStep],
    ) -> Result<()> {
        let assignment = RuledAssignment { to, reason: explain(steps), depth: self.depth, now: self.now };
        assign_by_rule(tx, self.tenant, conversation, assignment).await
    }
}

/// Whether a conversation that waits for a target is assigned as such a conversation is: to the team, or to nobody.
fn is_with(conversation: &Conversation, target: RoutingTarget) -> bool {
    match (&conversation.assignee, target) {
        (Some(Assignee::Team { id, .. }), RoutingTarget::Team(team)) => *id == team,
        (None, RoutingTarget::Operator(_) | RoutingTarget::Unassigned) => true,
        _ => false,
    }
}
