//! Pages of conversations, the one with the latest message first.

use std::collections::HashMap;

use domain::inbox::filter::{AssignedTo, ConversationFilter};
use domain::messaging::channels::Channel;
use domain::messaging::conversations::Conversation;
use domain::people::contacts::{ContactView, fold};
use domain::people::labels::Label;
use domain::{ChannelId, ContactId, ConversationId, Field, LabelId, TenantId};
use store::Db;
use store::messaging::messages::LastMessage;

use super::Conversations;
use super::query::ConversationQuery;
use super::reads::Positions;
use crate::base::page_request::PageRequest;
use crate::people::contacts::Start;
use crate::{ActsFor, Error, Result};

/// A conversation with its contact and channel.
#[derive(Debug, Clone)]
pub struct ConversationView {
    pub conversation: Conversation,
    pub contact: ContactSummary,
    /// None when the channel was removed.
    pub channel: Option<Channel>,
    /// Without labels that were removed.
    pub labels: Vec<Label>,
    /// None if not requested.
    pub details: Option<ConversationDetails>,
}

/// What an inbox shows besides the conversation itself.
#[derive(Debug, Clone)]
pub struct ConversationDetails {
    /// Messages of the person that the caller has not seen; None for a caller without an account.
    pub unread: Option<i64>,
    pub last_message: Option<LastMessage>,
}

/// What a contact is called and known by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContactSummary {
    pub name: String,
    pub username: Option<String>,
    pub phone: Option<String>,
    pub bsuid: String,
}

impl From<&ContactView<'_>> for ContactSummary {
    fn from(contact: &ContactView<'_>) -> Self {
        Self {
            name: contact.name.to_owned(),
            username: contact.username.map(str::to_owned),
            phone: contact.phone.map(str::to_owned),
            bsuid: contact.bsuid.to_owned(),
        }
    }
}

/// A search covers the conversations of at most this many matching contacts, the newest contacts first.
const MAX_SEARCHED_CONTACTS: i64 = 1000;

#[boxed::futures]
impl Conversations<'_> {
    pub async fn list(
        &self,
        caller: &dyn ActsFor,
        filter: &ConversationQuery,
        page: PageRequest,
    ) -> Result<Vec<ConversationView>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let channels = self.0.messaging().channels().list(caller).await?;
        let wanted = self.wanted(caller, filter, &channels).await?;
        let found = match (&filter.contact, &filter.search) {
            (Some(contact), _) => {
                let mut contacts = Vec::new();
                self.0.people().contacts().find(caller, contact, &mut |found| contacts.push(found.id)).await?;
                of_contacts(db, tenant, &contacts, &wanted, page).await?
            }
            (None, Some(search)) => self.search(caller, search, &wanted, page).await?,
            (None, None) => store::inbox::list::list(db, tenant, &wanted, page.size(), page.offset()).await?,
        };
        self.views(caller, found, &channels, filter.details).await
    }

    /// Resolves the names in a query to ids.
    pub(super) async fn wanted(
        &self,
        caller: &dyn ActsFor,
        filter: &ConversationQuery,
        channels: &[Channel],
    ) -> Result<ConversationFilter> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let label = match &filter.label {
            Some(name) => Some(crate::people::labels::of_filter(db, tenant, name).await?),
            None => None,
        };
        Ok(ConversationFilter {
            status: filter.status,
            assignee: assignee(db, caller, filter.assignee.as_deref()).await?,
            channel: filter.channel.as_deref().map(|name| channel(channels, name)).transpose()?,
            label,
            snoozed: filter.snoozed,
        })
    }

    /// Adds contact, channel, labels and, if requested, details to each conversation.
    pub(super) async fn views(
        &self,
        caller: &dyn ActsFor,
        found: Vec<Conversation>,
        channels: &[Channel],
        with_details: bool,
    ) -> Result<Vec<ConversationView>> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let detailed = if with_details { found.as_slice() } else { &[] };
        let ids: Vec<ConversationId> = detailed.iter().map(|one| one.id).collect();
        let last = store::messaging::messages::last_of(db, tenant, &ids).await?;
        let positions = Positions::load(db, caller, &ids).await?;
        let details = |conversation: &Conversation| ConversationDetails {
            unread: positions.as_ref().map(|positions| positions.unread(conversation)),
            last_message: last.iter().find(|one| one.conversation_id == conversation.id).cloned(),
        };
        let mut people = contact_summaries(db, tenant, &found).await?;
        let any_label = found.iter().any(|one| !one.labels.is_empty());
        let labels = if any_label { store::people::labels::list(db, tenant).await? } else { Vec::new() };
        let label = |id: &LabelId| labels.iter().find(|label| label.id == *id).cloned();
        let listed = found.into_iter().map(|conversation| ConversationView {
            contact: people.remove(&conversation.id).unwrap_or_default(),
            channel: channels.iter().find(|channel| channel.id == conversation.channel_id).cloned(),
            labels: conversation.labels.iter().filter_map(label).collect(),
            details: with_details.then(|| details(&conversation)),
            conversation,
        });
        Ok(listed.collect())
    }

    async fn search(
        &self,
        caller: &dyn ActsFor,
        search: &str,
        wanted: &ConversationFilter,
        page: PageRequest,
    ) -> Result<Vec<Conversation>> {
        let filter = domain::people::contacts::ContactFilter { search: Some(search.to_owned()), ..Default::default() };
        let mut contacts = Vec::new();
        let mut collect = |contact: &ContactView<'_>| contacts.push(contact.id);
        self.0
            .people()
            .contacts()
            .list(caller, &filter, Start::Page(0), MAX_SEARCHED_CONTACTS, false, &mut collect)
            .await?;
        of_contacts(self.0.db(), caller.tenant(), &contacts, wanted, page).await
    }
}

/// A page of the conversations of these contacts. A contact has at most one on each channel.
async fn of_contacts(
    db: &Db,
    tenant: TenantId,
    contacts: &[ContactId],
    wanted: &ConversationFilter,
    page: PageRequest,
) -> Result<Vec<Conversation>> {
    let found = store::messaging::conversations::of_any(db, tenant, contacts).await?;
    let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
    let size = usize::try_from(page.size()).unwrap_or(0);
    Ok(found.into_iter().filter(|one| wanted.allows(one)).skip(skipped).take(size).collect())
}

async fn assignee(db: &Db, caller: &dyn ActsFor, named: Option<&str>) -> Result<Option<AssignedTo>> {
    let Some(name) = named.map(str::trim) else { return Ok(None) };
    let tenant = caller.tenant();
    let id = match fold(name).as_str() {
        "me" => match caller.account() {
            Some(account) => Some(account.id.into()),
            None => return Err(Error::invalid(Field::Assignee, "this credential does not belong to an operator")),
        },
        "bot" => return Ok(Some(AssignedTo::Bot)),
        "unassigned" => return Ok(Some(AssignedTo::Unassigned)),
        email if email.contains('@') => {
            store::identity::accounts::by_email(db, tenant, email).await?.map(|account| account.id.into())
        }
        team => store::people::teams::by_key(db, tenant, team).await?.map(|team| team.id.into()),
    };
    let unknown = || {
        Error::invalid(Field::Assignee, "expected me, an operator's e-mail address, a team's name, bot or unassigned")
    };
    id.map(|id| Some(AssignedTo::Id(id))).ok_or_else(unknown)
}

fn channel(channels: &[Channel], name: &str) -> Result<ChannelId> {
    let found = channels.iter().find(|channel| channel.matches(name)).map(|channel| channel.id);
    found.ok_or_else(|| Error::NoChannel { place: Field::Channel.into(), name: name.to_owned() })
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
    let mut collect = |contact: &ContactView<'_>| {
        contacts.insert(contact.id, ContactSummary::from(contact));
        Ok(())
    };
    store::people::contacts::show_each(db, tenant, &ids, &mut collect).await?;
    let person = |one: &Conversation| Some((one.id, contacts.get(&one.contact_id)?.clone()));
    Ok(found.iter().filter_map(person).collect())
}
