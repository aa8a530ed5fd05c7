//! Pages of conversations, the one with the latest message first.

use std::collections::HashMap;

use domain::channels::Channel;
use domain::contacts::{ContactView, fold};
use domain::conversations::{AssignedTo, Conversation, ConversationFilter, ConversationStatus};
use domain::{ChannelId, ContactId, ConversationId, TenantId};
use store::Db;

use super::Conversations;
use crate::contacts::Start;
use crate::{ActsFor, Error, Result};

/// Filters of a list; None does not filter.
#[derive(Debug, Clone, Default)]
pub struct ConversationQuery {
    pub status: Option<ConversationStatus>,
    /// An operator's e-mail address, a team's name, `bot` or `unassigned`.
    pub assignee: Option<String>,
    /// Name, number or id.
    pub channel: Option<String>,
    /// Part of the contact's name, number or handle.
    pub search: Option<String>,
}

/// A conversation with its contact and channel.
#[derive(Debug, Clone)]
pub struct ConversationView {
    pub conversation: Conversation,
    pub contact: ContactSummary,
    /// None when the channel was removed.
    pub channel: Option<Channel>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactSummary {
    pub name: String,
    pub phone: Option<String>,
    pub bsuid: String,
}

/// A page by number and size, within `MAX_LIST_DEPTH` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    number: i64,
    size: i64,
}

/// Most rows that the pages of a list reach.
pub const MAX_LIST_DEPTH: i64 = 10_000;
/// A search covers the conversations of this many matching contacts, newest first.
const MAX_SEARCHED_CONTACTS: i64 = 1000;

impl PageRequest {
    /// `number` counts from 1; `member` is its name on the wire, for errors.
    pub fn new(number: i64, size: i64, member: &str) -> Result<Self> {
        if number < 1 || size < 1 || number.saturating_mul(size) > MAX_LIST_DEPTH {
            let last = MAX_LIST_DEPTH / size.max(1);
            return Err(Error::invalid(
                member,
                format!("a list goes {MAX_LIST_DEPTH} rows deep: at most {last} at this size"),
            ));
        }
        Ok(Self { number, size })
    }

    pub const fn number(self) -> i64 {
        self.number
    }

    pub const fn size(self) -> i64 {
        self.size
    }

    pub const fn offset(self) -> i64 {
        (self.number - 1) * self.size
    }
}

impl Conversations<'_> {
    pub async fn list(
        &self,
        caller: &impl ActsFor,
        filter: &ConversationQuery,
        page: PageRequest,
    ) -> Result<Vec<ConversationView>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let channels: Vec<Channel> =
            store::channels::list(db, tenant).await?.into_iter().map(|stored| stored.channel).collect();
        let wanted = ConversationFilter {
            status: filter.status,
            assignee: assignee(db, tenant, filter.assignee.as_deref()).await?,
            channel: filter.channel.as_deref().map(|name| channel(&channels, name)).transpose()?,
        };
        let found = match &filter.search {
            Some(search) => self.search(caller, search, &wanted, page).await?,
            None => store::conversations::list(db, tenant, &wanted, page.size, page.offset()).await?,
        };
        let mut people = contact_summaries(db, tenant, &found).await?;
        let listed = found.into_iter().map(|conversation| ConversationView {
            contact: people.remove(&conversation.id).unwrap_or_default(),
            channel: channels.iter().find(|channel| channel.id == conversation.channel_id).cloned(),
            conversation,
        });
        Ok(listed.collect())
    }

    async fn search(
        &self,
        caller: &impl ActsFor,
        search: &str,
        wanted: &ConversationFilter,
        page: PageRequest,
    ) -> Result<Vec<Conversation>> {
        let filter = domain::contacts::ContactFilter { search: Some(search.to_owned()), ..Default::default() };
        let mut contacts = Vec::new();
        let note = |contact: &ContactView<'_>| contacts.push(contact.id);
        self.0.contacts().list(caller, &filter, Start::Page(0), MAX_SEARCHED_CONTACTS, false, note).await?;
        let found = store::conversations::of_any(self.0.db(), caller.tenant(), &contacts).await?;
        let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
        let size = usize::try_from(page.size).unwrap_or(0);
        Ok(found.into_iter().filter(|one| wanted.allows(one)).skip(skipped).take(size).collect())
    }
}

async fn assignee(db: &Db, tenant: TenantId, named: Option<&str>) -> Result<Option<AssignedTo>> {
    let Some(name) = named.map(str::trim) else { return Ok(None) };
    let id = match fold(name).as_str() {
        "bot" => return Ok(Some(AssignedTo::Bot)),
        "unassigned" => return Ok(Some(AssignedTo::Unassigned)),
        email if email.contains('@') => {
            store::accounts::by_email(db, tenant, email).await?.map(|account| account.id.into())
        }
        team => store::teams::by_key(db, tenant, team).await?.map(|team| team.id.into()),
    };
    let unknown =
        || Error::invalid("assignee", "expected an operator's e-mail address, a team's name, bot or unassigned");
    id.map(|id| Some(AssignedTo::Id(id))).ok_or_else(unknown)
}

fn channel(channels: &[Channel], name: &str) -> Result<ChannelId> {
    let found = channels.iter().find(|channel| channel.matches(name)).map(|channel| channel.id);
    found.ok_or_else(|| Error::NoChannel { parameter: "channel".to_owned(), name: name.to_owned() })
}

/// The contact of each conversation.
async fn contact_summaries(
    db: &Db,
    tenant: TenantId,
    found: &[Conversation],
) -> Result<HashMap<ConversationId, ContactSummary>> {
    let mut ids: Vec<ContactId> = found.iter().map(|one| one.contact_id).collect();
    ids.sort_unstable_by(|a, b| b.cmp(a));
    ids.dedup();
    let mut contacts = HashMap::new();
    let note = |contact: &ContactView<'_>| {
        let phone = contact.phone.map(str::to_owned);
        let person = ContactSummary { name: contact.name.to_owned(), phone, bsuid: contact.bsuid.to_owned() };
        contacts.insert(contact.id, person);
        Ok(())
    };
    store::contacts::show_each(db, tenant, &ids, note).await?;
    let person = |one: &Conversation| Some((one.id, contacts.get(&one.contact_id)?.clone()));
    Ok(found.iter().filter_map(person).collect())
}
