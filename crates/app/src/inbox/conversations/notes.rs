//! Notes: rows of a conversation's history that only the team sees. Nothing sends them: they have no row in the outbox.

use domain::delivery::events::{FactCause, InboxChange, InboxSubject};
use domain::inbox::notes::{Mention, NoteContent, check_note};
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{HistoryKind, Message, MessageDirection, MessageOperator, MessageState};
use domain::{ConversationId, Field, Id, MessageId, TenantId, Timestamp};
use store::Tx;

use super::history::HistoryEntry;
use super::{Conversations, author};
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::messaging::conversations::{NO_CONVERSATION, emit};
use crate::{ActsFor, Error, Result, Thing};

const NO_NOTE: Error = Error::NotFound(Thing::Note);

#[derive(Debug, Clone)]
pub struct NewNote {
    pub text: String,
    /// E-mail addresses of the operators who are mentioned.
    pub mentions: Vec<String>,
}

#[derive(Debug)]
struct NoteDraft {
    tenant: TenantId,
    conversation: ConversationId,
    note: NewNote,
    author: Option<MessageOperator>,
    now: Timestamp,
}

#[derive(Debug)]
struct NoteRemoval {
    tenant: TenantId,
    conversation: ConversationId,
    id: MessageId,
    /// The caller's e-mail address: only a note of this author is removed. None if the caller may remove notes of
    /// others.
    only_of: Option<String>,
    operator: Option<String>,
    cause: FactCause,
    now: Timestamp,
}

#[boxed::futures]
impl Conversations<'_> {
    /// Adds a note. It changes neither the last message nor the ticket.
    pub async fn add_note(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        note: NewNote,
    ) -> Result<(HistoryEntry, Option<Conversation>)> {
        check_note(&note.text, note.mentions.len()).map_err(|error| Error::of_field(&error))?;
        let tenant = caller.tenant();
        let conversation = find_conversation(self.0.db(), tenant, target).await?.id;
        let draft = NoteDraft { tenant, conversation, note, author: author(caller), now: self.0.now() };
        let added = self.0.db().write(draft, |tx, draft| Box::pin(add(tx, draft))).await?;
        self.history_entry(caller, added).await
    }

    /// Removes a note of the caller. With `of_others` the caller may remove notes of other operators too.
    pub async fn remove_note(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        id: MessageId,
        of_others: bool,
    ) -> Result<()> {
        let tenant = caller.tenant();
        let conversation = find_conversation(self.0.db(), tenant, target).await?.id;
        let (operator, now) = (caller.email(), self.0.now());
        let only_of = (!of_others).then(|| operator.clone().unwrap_or_default());
        let removal = NoteRemoval { tenant, conversation, id, only_of, operator, cause: caller.cause(), now };
        self.0.db().write(removal, |tx, removal| Box::pin(remove(tx, removal))).await
    }
}

async fn add(tx: &mut Tx<'_>, draft: &NoteDraft) -> Result<Message> {
    let NoteDraft { tenant, conversation, note, author, now } = draft;
    let content = NoteContent { mentions: mentioned(tx, *tenant, &note.mentions).await? };
    let conversation =
        store::messaging::conversations::for_update(tx, *tenant, *conversation).await?.ok_or(NO_CONVERSATION)?;
    let row = Message {
        contact_id: Some(conversation.contact_id),
        conversation_id: Some(conversation.id),
        ticket_id: Some(conversation.ticket_id),
        event: HistoryKind::Note,
        text: Some(note.text.clone()),
        content: Some(content.to_json()),
        operator: author.clone(),
        ..Message::bare(
            Id::new(*now),
            conversation.channel_id,
            MessageDirection::Outbound,
            MessageState::Read,
            HistoryKind::Note.name(),
            now.to_millis(),
        )
    };
    store::messaging::messages::insert(tx, *tenant, &row).await?;
    let change = InboxChange {
        conversation: Some(&conversation),
        note: Some(row.id),
        mentions: &content.mentions.iter().map(|mention| mention.email.as_str()).collect::<Vec<_>>(),
        operator: author.as_ref().and_then(|author| author.email.as_deref()),
        cause: FactCause::of(author.as_ref()),
        ..InboxChange::about(InboxSubject::Note)
    };
    emit::emit(tx, *tenant, &change, *now).await?;
    Ok(row)
}

/// The mentioned operators, each once. An address that no active account has is an error.
async fn mentioned(tx: &mut Tx<'_>, tenant: TenantId, emails: &[String]) -> Result<Vec<Mention>> {
    let mut all: Vec<Mention> = Vec::with_capacity(emails.len());
    for (i, email) in emails.iter().enumerate() {
        let found = store::identity::accounts::by_email_in(tx, tenant, &email.trim().to_lowercase()).await?;
        let missing = || Error::invalid(Field::Mentions.at(i), "no operator has this e-mail address");
        let account = found.filter(domain::identity::accounts::Account::is_active).ok_or_else(missing)?;
        if !all.iter().any(|mention| mention.id == account.id) {
            all.push(Mention { id: account.id, email: account.email, name: account.name });
        }
    }
    Ok(all)
}

async fn remove(tx: &mut Tx<'_>, removal: &NoteRemoval) -> Result<()> {
    let NoteRemoval { tenant, conversation, id, only_of, operator, cause, now } = removal;
    let found = store::messaging::messages::by_id_for_update(tx, *tenant, *id).await?;
    let is_it = |note: &Message| note.event == HistoryKind::Note && note.conversation_id == Some(*conversation);
    let note = found.filter(is_it).ok_or(NO_NOTE)?;
    let wrote = note.operator.and_then(|operator| operator.email);
    if only_of.as_ref().is_some_and(|own| wrote.as_ref() != Some(own)) {
        return Err(Error::conflict(Field::NoteId, "another operator wrote this note; an administrator can delete it"));
    }
    store::messaging::messages::remove(tx, *tenant, *id).await?;
    let conversation = store::messaging::conversations::for_update(tx, *tenant, *conversation).await?;
    let change = InboxChange {
        conversation: conversation.as_ref(),
        note: Some(*id),
        operator: operator.as_deref(),
        cause: *cause,
        ..InboxChange::about(InboxSubject::NoteDeleted)
    };
    emit::emit(tx, *tenant, &change, *now).await
}
