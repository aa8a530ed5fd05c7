//! What was said and done in a conversation: messages, tickets and broadcasts as one stream, the newest first.

use domain::conversations::Conversation;
use domain::messages::local_id;
use domain::phone::PhoneNumber;
use domain::{MediaId, TenantId};
use store::Db;
use store::messages::Message;

use super::target::{contact_by_phone, existing};
use super::{Conversations, Page};
use crate::media::name_in_history;
use crate::{ActsFor, Error, Result, Thing};

/// One row of a history.
#[derive(Debug, Clone)]
pub struct Entry {
    pub message: Message,
    /// Of its file, whoever sent it.
    pub file_name: Option<String>,
    /// The operator's name; the address where the account is gone.
    pub operator_name: Option<String>,
}

#[derive(Debug)]
pub struct History {
    pub conversation: Conversation,
    pub entries: Vec<Entry>,
    /// Of all rows, where it was asked for.
    pub total: Option<i64>,
}

/// Messages with one id of their sender's that are looked at: an id should be one message's, but nobody makes sure.
const NAMESAKES: i64 = 100;

impl Conversations<'_> {
    pub async fn history(
        &self,
        caller: &impl ActsFor,
        target: &str,
        member: &str,
        page: Page,
        with_total: bool,
    ) -> Result<History> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let conversation = existing(db, tenant, target, member).await?;
        let rows = store::messages::history(db, tenant, conversation.id, page.size(), page.offset()).await?;
        let entries = entries(db, tenant, rows).await?;
        let count = store::messages::history_count(db, tenant, conversation.id);
        let total = if with_total { Some(count.await?) } else { None };
        Ok(History { conversation, entries, total })
    }

    /// The message with this id of its sender's that went over the channel with this number, or to or from the person
    /// with it; with its conversation.
    pub async fn message(
        &self,
        caller: &impl ActsFor,
        number: &str,
        local_id: &str,
    ) -> Result<(Entry, Option<Conversation>)> {
        const NO_MESSAGE: Error = Error::NotFound(Thing::Message);
        let (db, tenant) = (self.0.db(), caller.tenant());
        let number = PhoneNumber::spelled(number).ok_or(NO_MESSAGE)?;
        let channels = store::channels::list(db, tenant).await?;
        let channel = channels.iter().map(|one| &one.channel).find(|one| one.phone_number == number).map(|one| one.id);
        let contact = contact_by_phone(db, tenant, &number).await?;
        let of_them = |message: &Message| {
            channel == Some(message.channel_id) || (contact.is_some() && contact == message.contact_id)
        };
        let found = named(db, tenant, local_id).await?.into_iter().find(of_them).ok_or(NO_MESSAGE)?;
        self.shown(caller, found).await
    }

    /// A message with what else is shown of it, and its conversation.
    pub async fn shown(&self, caller: &impl ActsFor, message: Message) -> Result<(Entry, Option<Conversation>)> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let conversation = match message.conversation_id {
            Some(id) => store::conversations::by_id(db, tenant, id).await?,
            None => None,
        };
        let entry = entries(db, tenant, vec![message]).await?.pop().ok_or(Error::NotFound(Thing::Message))?;
        Ok((entry, conversation))
    }
}

/// What a sender calls by this id: the newest first, then the one to whom we gave it.
async fn named(db: &Db, tenant: TenantId, text: &str) -> Result<Vec<Message>> {
    let mut found = store::messages::by_local_id(db, tenant, text, NAMESAKES).await?;
    if let Some(id) = local_id::held_in(text) {
        found.extend(store::messages::find(db, tenant, id).await?.filter(|one| one.local_id.is_none()));
    }
    Ok(found)
}

/// Messages with what else is shown of them.
async fn entries(db: &Db, tenant: TenantId, messages: Vec<Message>) -> Result<Vec<Entry>> {
    let files: Vec<MediaId> = messages.iter().filter_map(|message| message.media_id).collect();
    let files = store::conversations::file_names(db, tenant, &files).await?;
    let any_operator = messages.iter().any(|message| message.operator.is_some());
    let accounts = if any_operator { store::accounts::list(db, tenant).await? } else { Vec::new() };
    let name = |email: &str| {
        let known = accounts.iter().find(|account| account.email == email);
        known.map_or(email, |account| account.name.as_str()).to_owned()
    };
    let entry = |message: Message| {
        let file = files.iter().find(|(id, _)| Some(*id) == message.media_id);
        Entry {
            file_name: file.map(|(_, name)| name.clone()).or_else(|| name_in_history(&message)),
            operator_name: message.operator.as_ref().and_then(|operator| operator.email.as_deref()).map(name),
            message,
        }
    };
    Ok(messages.into_iter().map(entry).collect())
}
