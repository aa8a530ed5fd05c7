//! Assigning conversations. Of several operators who take one at the same time, the first gets it and the others are
//! refused, unless they ask to take it over.

use domain::delivery::events::{FactCause, InboxChange, InboxSubject};
use domain::identity::accounts::Account;
use domain::messaging::conversations::{Assignee, Conversation};
use domain::messaging::messages::MessageOperator;
use domain::messaging::ticket_change::TicketChange;
use domain::people::contacts::fold;
use domain::{ConversationId, Field, TenantId, Timestamp};
use store::Tx;

use super::{Conversations, author};
use crate::messaging::conversations::NO_CONVERSATION;
use crate::messaging::conversations::emit::{self, emit_conversation};
use crate::messaging::conversations::record::add_ticket_row;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Error, Result, Thing};

/// The new assignee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AssignTo {
    /// No operator, no team and not the bot.
    Unassigned,
    Bot,
    /// The e-mail address of an account of the tenant.
    Operator(String),
    /// The name of a team.
    Team(String),
}

#[derive(Debug, Clone)]
pub struct Assignment {
    pub to: AssignTo,
    /// The expected present assignee: an e-mail address, a team's name, `bot` or `unassigned`. If the conversation has
    /// another assignee, the request is a conflict.
    pub from: Option<String>,
    /// Takes the conversation even if another operator has it.
    pub take_over: bool,
}

#[derive(Debug)]
struct AssignRequest {
    tenant: TenantId,
    id: ConversationId,
    assignment: Assignment,
    author: Option<MessageOperator>,
    now: Timestamp,
}

#[boxed::futures]
impl Conversations<'_> {
    /// Assigns a conversation. It goes from one operator to another only with `from` or `take_over`, so of two
    /// operators who take it at the same time the second is refused. Assigning to the bot, to a team or to no one needs
    /// neither. Repeating the present assignee changes nothing.
    pub async fn assign(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        assignment: Assignment,
    ) -> Result<Conversation> {
        let tenant = caller.tenant();
        let id = find_conversation(self.0.db(), tenant, target).await?.id;
        let change = AssignRequest { tenant, id, assignment, author: author(caller), now: self.0.now() };
        self.0.db().write(change, |tx, change| Box::pin(assign(tx, change))).await
    }
}

async fn assign(tx: &mut Tx<'_>, change: &AssignRequest) -> Result<Conversation> {
    let AssignRequest { tenant, id, assignment, author, now } = change;
    let next = assignee(tx, *tenant, assignment).await?;
    let mut conversation =
        store::messaging::conversations::for_update(tx, *tenant, *id).await?.ok_or(NO_CONVERSATION)?;
    if is_same(conversation.assignee.as_ref(), next.as_ref()) {
        return Ok(conversation);
    }
    may_take(conversation.assignee.as_ref(), next.as_ref(), assignment)?;
    let ticket_change = TicketChange::from(next.clone());
    conversation.assign(next, *now);
    store::messaging::conversations::update(tx, *tenant, &conversation).await?;
    add_ticket_row(tx, *tenant, &conversation, &ticket_change, author.clone(), *now).await?;
    emit_conversation(tx, *tenant, &conversation, author.as_ref(), *now).await?;
    Ok(conversation)
}

/// An assignment that follows from a rule.
#[derive(Debug)]
pub(crate) struct RuledAssignment {
    pub to: Option<Assignee>,
    /// Why, as the thread explains it.
    pub reason: String,
    /// The depth of its fact.
    pub depth: i64,
    pub now: Timestamp,
}

/// Assigns a conversation that the transaction has locked. Only explains it if the conversation already has the
/// assignee.
pub(crate) async fn assign_by_rule(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    conversation: &mut Conversation,
    assignment: RuledAssignment,
) -> Result<()> {
    let RuledAssignment { to, reason, depth, now } = assignment;
    if !is_same(conversation.assignee.as_ref(), to.as_ref()) {
        conversation.assign(to.clone(), now);
        store::messaging::conversations::update(tx, tenant, conversation).await?;
    }
    let ticket_change = TicketChange::assignment(to, Some(reason.clone()));
    add_ticket_row(tx, tenant, conversation, &ticket_change, None, now).await?;
    let change = InboxChange {
        conversation: Some(conversation),
        reason: Some(&reason),
        cause: FactCause::Rule,
        depth,
        ..InboxChange::about(InboxSubject::Conversation)
    };
    emit::emit(tx, tenant, &change, now).await
}

async fn assignee(tx: &mut Tx<'_>, tenant: TenantId, assignment: &Assignment) -> Result<Option<Assignee>> {
    match &assignment.to {
        AssignTo::Unassigned => Ok(None),
        AssignTo::Bot => Ok(Some(Assignee::Bot)),
        AssignTo::Operator(email) => {
            let found = store::identity::accounts::by_email_in(tx, tenant, &email.trim().to_lowercase()).await?;
            let Account { id, email, name, .. } = found
                .filter(Account::is_active)
                .ok_or_else(|| Error::missing(Field::AssigneeEmail, Thing::Operator))?;
            Ok(Some(Assignee::Operator { id, email, name }))
        }
        AssignTo::Team(name) => {
            let found = store::people::teams::by_key_in(tx, tenant, &fold(name.trim())).await?;
            let team = found.ok_or_else(|| Error::missing(Field::Team, Thing::Team))?;
            Ok(Some(Assignee::Team { id: team.id, name: team.name }))
        }
    }
}

/// Compares assignees by id: names may have changed since the assignment.
fn is_same(present: Option<&Assignee>, next: Option<&Assignee>) -> bool {
    match (present, next) {
        (Some(Assignee::Operator { id, .. }), Some(Assignee::Operator { id: next, .. })) => id == next,
        (Some(Assignee::Team { id, .. }), Some(Assignee::Team { id: next, .. })) => id == next,
        (Some(Assignee::Bot), Some(Assignee::Bot)) | (None, None) => true,
        _ => false,
    }
}

fn may_take(present: Option<&Assignee>, next: Option<&Assignee>, assignment: &Assignment) -> Result<()> {
    if let Some(from) = &assignment.from {
        let message = || format!("the conversation is assigned to {} now", display_name(present));
        return if is_called(present, from) { Ok(()) } else { Err(Error::conflict(Field::From, message())) };
    }
    match (present, next) {
        (Some(Assignee::Operator { email, .. }), Some(Assignee::Operator { .. })) if !assignment.take_over => {
            let message = format!("{email} has taken the conversation; request a take-over, or set `from` to {email}");
            Err(Error::conflict(Field::AssigneeEmail, message))
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

fn display_name(assignee: Option<&Assignee>) -> String {
    match assignee {
        None => "nobody".to_owned(),
        Some(Assignee::Bot) => "the bot".to_owned(),
        Some(Assignee::Operator { email, .. }) => email.clone(),
        Some(Assignee::Team { name, .. }) => format!("the team {name}"),
    }
}
