//! Who looks after a conversation. Of several who take it at the same time, one has it and the others are told so.

use domain::accounts::Account;
use domain::contacts::fold;
use domain::conversations::{Assignee, Conversation};
use domain::messages::MessageOperator;
use domain::{ConversationId, TenantId, Timestamp};
use store::Tx;

use super::events::note;
use super::target::existing;
use super::{Conversations, NO_CONVERSATION, operator};
use crate::{ActsFor, Error, Result, Thing};

/// Whom a conversation is given to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum To {
    Bot,
    /// An account of the tenant, by its e-mail address.
    Operator(String),
    /// By name.
    Team(String),
}

#[derive(Debug, Clone)]
pub struct Assignment {
    pub to: To,
    /// Only if it is with this one now: an e-mail address, a team's name, `bot` or `unassigned`.
    pub from: Option<String>,
    /// Whoever has it now.
    pub take_over: bool,
    /// What the caller calls the one whom it is given to.
    pub member: &'static str,
}

#[derive(Debug)]
struct Change {
    tenant: TenantId,
    id: ConversationId,
    assignment: Assignment,
    operator: Option<MessageOperator>,
    now: Timestamp,
}

impl Conversations<'_> {
    /// An operator's conversation becomes another operator's only if the caller knows whose it is (`from`) or does not
    /// mind (`take_over`): so of two who take it at the same time the second is refused. Giving it to the bot or to a
    /// team takes it from nobody who did not want that, and saying again who has it changes nothing.
    pub async fn assign(
        &self,
        caller: &impl ActsFor,
        target: &str,
        member: &str,
        assignment: Assignment,
    ) -> Result<Conversation> {
        let tenant = caller.tenant();
        let id = existing(self.0.db(), tenant, target, member).await?.id;
        let change = Change { tenant, id, assignment, operator: operator(caller), now: self.0.now() };
        self.0.db().write(change, |tx, change| Box::pin(assign(tx, change))).await
    }
}

async fn assign(tx: &mut Tx<'_>, change: &Change) -> Result<Conversation> {
    let Change { tenant, id, assignment, operator, now } = change;
    let next = assignee(tx, *tenant, assignment).await?;
    let mut conversation = store::conversations::held(tx, *tenant, *id).await?.ok_or(NO_CONVERSATION)?;
    if is_same(conversation.assignee.as_ref(), &next) {
        return Ok(conversation);
    }
    may_take(conversation.assignee.as_ref(), &next, assignment)?;
    let text = told(&next);
    conversation.assign(Some(next), *now);
    store::conversations::update(tx, *tenant, &conversation).await?;
    note(tx, *tenant, &conversation, &text, operator.clone(), *now).await?;
    Ok(conversation)
}

async fn assignee(tx: &mut Tx<'_>, tenant: TenantId, assignment: &Assignment) -> Result<Assignee> {
    let missing = |what| Error::Missing { parameter: assignment.member.to_owned(), what };
    match &assignment.to {
        To::Bot => Ok(Assignee::Bot),
        To::Operator(email) => {
            let found = store::accounts::by_email_in(tx, tenant, &email.trim().to_lowercase()).await?;
            let Account { id, email, name, .. } =
                found.filter(Account::is_active).ok_or_else(|| missing(Thing::Operator))?;
            Ok(Assignee::Operator { id, email, name })
        }
        To::Team(name) => {
            let found = store::teams::by_key_in(tx, tenant, &fold(name.trim())).await?;
            let team = found.ok_or_else(|| missing(Thing::Team))?;
            Ok(Assignee::Team { id: team.id, name: team.name })
        }
    }
}

/// Names may have changed since; ids do not.
fn is_same(present: Option<&Assignee>, next: &Assignee) -> bool {
    match (present, next) {
        (Some(Assignee::Operator { id, .. }), Assignee::Operator { id: next, .. }) => id == next,
        (Some(Assignee::Team { id, .. }), Assignee::Team { id: next, .. }) => id == next,
        (Some(Assignee::Bot), Assignee::Bot) => true,
        _ => false,
    }
}

fn may_take(present: Option<&Assignee>, next: &Assignee, assignment: &Assignment) -> Result<()> {
    if let Some(from) = &assignment.from {
        let message = || format!("it is with {} now", shown(present));
        return if is_called(present, from) { Ok(()) } else { Err(Error::conflict("from", message())) };
    }
    match (present, next) {
        (Some(Assignee::Operator { email, .. }), Assignee::Operator { .. }) if !assignment.take_over => {
            let message = format!("{email} has taken it; ask to take it over, or name {email} as from");
            Err(Error::conflict(assignment.member, message))
        }
        _ => Ok(()),
    }
}

fn is_called(present: Option<&Assignee>, name: &str) -> bool {
    let name = fold(name.trim());
    match present {
        None => name == "unassigned",
        Some(Assignee::Bot) => name == "bot",
        Some(Assignee::Operator { email, .. }) => name == *email,
        Some(Assignee::Team { name: team, .. }) => name == fold(team),
    }
}

fn shown(assignee: Option<&Assignee>) -> String {
    match assignee {
        None => "nobody".to_owned(),
        Some(Assignee::Bot) => "the bot".to_owned(),
        Some(Assignee::Operator { email, .. }) => email.clone(),
        Some(Assignee::Team { name, .. }) => format!("the team {name}"),
    }
}

fn told(next: &Assignee) -> String {
    match next {
        Assignee::Operator { name, .. } => format!("The ticket was assigned to {name}"),
        other => format!("The ticket was assigned to {}", shown(Some(other))),
    }
}
