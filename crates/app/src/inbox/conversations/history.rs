//! The history of a conversation: messages, ticket changes and broadcasts in one list, newest first.

use domain::messaging::conversations::Conversation;
use domain::messaging::messages::{HistoryKind, HistoryRange, Message, MessageDirection, local_id};
use domain::messaging::templates::Template;
use domain::people::phone::PhoneNumber;
use domain::{Field, MediaId, MessageId, TemplateId, TenantId};
use serde_json::Value;
use store::Db;

use super::Conversations;
use crate::base::page_request::PageRequest;
use crate::messaging::conversations::target::{ConversationTarget, contact_by_phone, find_conversation};
use crate::messaging::media::{FileView, data_in_history};
use crate::{ActsFor, Error, Result, Thing};

/// One row of a history.
#[derive(Debug, Clone)]
pub struct HistoryEntry {
    pub message: Message,
    /// For a message with a file, in either direction: the complete address of the file. For another received message
    /// that is no text: its structured content.
    pub data: Option<Value>,
    /// The state of the message's file; none for a message without a file.
    pub file: Option<FileView>,
    /// The template that the message was made from, as it is now.
    pub template: Option<Template>,
    /// The operator's name, or the e-mail address if no account has that address any more.
    pub operator_name: Option<String>,
}

#[derive(Debug)]
pub struct ConversationHistory {
    pub conversation: Conversation,
    pub entries: Vec<HistoryEntry>,
    /// Number of all rows of the history, if requested.
    pub total: Option<i64>,
}

/// Most messages read for one local id: senders should choose unique ids, but nothing enforces it.
const NAMESAKES: i64 = 100;

#[boxed::futures]
impl Conversations<'_> {
    pub async fn history(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        page: PageRequest,
        with_total: bool,
    ) -> Result<ConversationHistory> {
        self.history_between(caller, target, page, HistoryRange::default(), with_total).await
    }

    /// Returns a page of the rows between two times, both included.
    pub async fn history_between(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        page: PageRequest,
        range: HistoryRange,
        with_total: bool,
    ) -> Result<ConversationHistory> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let conversation = find_conversation(db, tenant, target).await?;
        let rows =
            store::messaging::messages::history(db, tenant, conversation.id, range, page.size(), page.offset()).await?;
        let entries = self.entries(tenant, rows).await?;
        let count = store::messaging::messages::history_count(db, tenant, conversation.id, range);
        let total = if with_total { Some(count.await?) } else { None };
        Ok(ConversationHistory { conversation, entries, total })
    }

    /// Returns up to `size` rows that are older than the row `before`. Costs the same at any depth, and rows that arrive
    /// meanwhile move nothing.
    pub async fn history_before(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        before: MessageId,
        size: i64,
    ) -> Result<ConversationHistory> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let conversation = find_conversation(db, tenant, target).await?;
        let found = store::messaging::messages::find(db, tenant, before).await?;
        let row = found.filter(|row| row.conversation_id == Some(conversation.id));
        let row = row.ok_or_else(|| Error::invalid(Field::Before, "there is no such message in the conversation"))?;
        let rows =
            store::messaging::messages::history_before(db, tenant, conversation.id, (row.at, row.id), size).await?;
        Ok(ConversationHistory { conversation, entries: self.entries(tenant, rows).await?, total: None })
    }

    /// Finds the message with this local id whose channel or whose contact has this number, and its conversation.
    pub async fn message(
        &self,
        caller: &dyn ActsFor,
        number: &str,
        local_id: &str,
    ) -> Result<(HistoryEntry, Option<Conversation>)> {
        const NO_MESSAGE: Error = Error::NotFound(Thing::Message);
        let (db, tenant) = (self.0.db(), caller.tenant());
        let number = PhoneNumber::spelled(number).ok_or(NO_MESSAGE)?;
        let channels = store::messaging::channels::list(db, tenant).await?;
        let channel = channels.iter().map(|one| &one.channel).find(|one| one.phone_number == number).map(|one| one.id);
        let contact = contact_by_phone(db, tenant, &number).await?;
        let of_them = |message: &Message| {
            let is_theirs = channel == Some(message.channel_id) || (contact.is_some() && contact == message.contact_id);
            is_theirs && message.event != HistoryKind::Note
        };
        let found = named(db, tenant, local_id).await?.into_iter().find(of_them).ok_or(NO_MESSAGE)?;
        self.history_entry(caller, found).await
    }

    /// Builds the history entry of a message, and reads its conversation.
    pub async fn history_entry(
        &self,
        caller: &dyn ActsFor,
        message: Message,
    ) -> Result<(HistoryEntry, Option<Conversation>)> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let conversation = match message.conversation_id {
            Some(id) => store::messaging::conversations::by_id(db, tenant, id).await?,
            None => None,
        };
        let entry = self.entries(tenant, vec![message]).await?.pop().ok_or(Error::NotFound(Thing::Message))?;
        Ok((entry, conversation))
    }
}

/// Messages with this local id: first those for which the sender chose it, newest first, then the one for which
/// Switchboard generated it.
async fn named(db: &Db, tenant: TenantId, text: &str) -> Result<Vec<Message>> {
    let mut found = store::messaging::messages::by_local_id(db, tenant, text, NAMESAKES).await?;
    if let Some(id) = local_id::parse_default(text) {
        found.extend(store::messaging::messages::find(db, tenant, id).await?.filter(|one| one.local_id.is_none()));
    }
    Ok(found)
}

impl Conversations<'_> {
    /// Builds history entries: adds files, structured data, templates and names of operators to messages.
    pub(super) async fn entries(&self, tenant: TenantId, messages: Vec<Message>) -> Result<Vec<HistoryEntry>> {
        let db = self.0.db();
        let address = self.0.file_address(tenant);
        let files: Vec<MediaId> = messages.iter().filter_map(|message| message.media_id).collect();
        let files = store::messaging::conversations::file_names(db, tenant, &files).await?;
        let templates = templates_of(db, tenant, &messages).await?;
        let any_operator = messages.iter().any(|message| message.operator.is_some());
        let accounts = if any_operator { store::identity::accounts::list(db, tenant).await? } else { Vec::new() };
        let name = |email: &str| {
            let known = accounts.iter().find(|account| account.email == email);
            known.map_or(email, |account| account.name.as_str()).to_owned()
        };
        let views = self.0.messaging().media().views(tenant, &messages).await?;
        let entry = |(message, view): (Message, Option<FileView>)| {
            // A received file keeps the name that its event had.
            let is_sent = message.direction == MessageDirection::Outbound;
            let file = files.iter().find(|(id, _)| is_sent && Some(*id) == message.media_id);
            let data = data_in_history(&message, file.map(|(_, name)| name.clone()));
            HistoryEntry {
                data: data.map(|data| match data {
                    Value::String(name) => Value::String(format!("{address}{name}")),
                    structured => structured,
                }),
                file: view,
                template: templates.iter().find(|one| Some(one.id) == message.template_id).cloned(),
                operator_name: message.operator.as_ref().and_then(|operator| operator.email.as_deref()).map(name),
                message,
            }
        };
        Ok(messages.into_iter().zip(views).map(entry).collect())
    }
}

async fn templates_of(db: &Db, tenant: TenantId, messages: &[Message]) -> Result<Vec<Template>> {
    let mut ids: Vec<TemplateId> = messages.iter().filter_map(|message| message.template_id).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(store::messaging::templates::find_many(db, tenant, &ids).await?)
}
