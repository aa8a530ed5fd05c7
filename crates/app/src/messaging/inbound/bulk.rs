//! Applies many records of one kind with few statements. For PostgreSQL, where a round trip to the database costs more
//! than most statements' work.
//!
//! All look-ups come first: one each for the identities of all people, their contacts, their conversations and the
//! messages. The effects are computed in memory, in the order of arrival and by the rules of `effects/mod.rs`; then
//! each table is written with one statement. Nothing is written before everything is decided. If a record is not simple
//! (a sighting that joins contacts, a status that does not name our message id), `effects/mod.rs` applies the whole run
//! instead, record by record, in the same transaction.
//!
//! Crashes and concurrency are handled as in `process.rs`: one transaction with the deletion of the journal entries,
//! under the lease of the channel.

use std::collections::{HashMap, HashSet};

use channels::webhook::{Message, Status};
use domain::messaging::channels::Channel;
use domain::messaging::conversations::Conversation;
use domain::messaging::messages::MessageDirection;
use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Contact, Sighting};
use domain::{ContactId, MessageId, TenantId, Timestamp};
use store::Tx;
use store::messaging::media::fetches::PendingFetch;

use super::arrival::{Arrival, lost_race};
use super::effects::{messages, people, statuses};
use crate::Result;
use crate::base::emit::emit;
use crate::messaging::conversations::opening_row;
use crate::messaging::messages::emit::{ReportedChange, emit_reported_all};
use crate::people::contacts::{apply_sighting, sighted_contact};

/// The channel and the time of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub tenant: TenantId,
    pub channel: &'a Channel,
    pub now: Timestamp,
}

/// What a run writes besides the contacts that it sights.
#[derive(Debug)]
pub(super) enum Effects {
    Messages(ReceivedMessages),
    Statuses(Vec<StatusChange>),
}

/// The rows and facts of messages that people wrote.
#[derive(Debug, Default)]
pub(super) struct ReceivedMessages {
    new_conversations: Vec<Conversation>,
    changed_conversations: Vec<Conversation>,
    rows: Vec<domain::messaging::messages::Message>,
    fetches: Vec<PendingFetch>,
    facts: Vec<domain::delivery::events::Fact>,
}

#[derive(Debug)]
pub(super) struct StatusChange {
    before: domain::messaging::messages::Message,
    after: domain::messaging::messages::Message,
    at: Timestamp,
}

/// Decides the effects of messages, none of which answers another one. None when they must be applied one by one.
pub(super) async fn decide_messages(
    tx: &mut Tx<'_>,
    run: Run<'_>,
    arrived: &[(Arrival<'_>, &Message)],
) -> Result<Option<(People, Effects)>> {
    let ids: Vec<&str> = arrived.iter().map(|(_, message)| message.id.as_str()).collect();
    let known = store::messaging::messages::known_network_ids(tx, run.tenant, run.channel.id, &ids).await?;
    let mut seen: HashSet<&str> = known.iter().map(String::as_str).collect();
    let fresh: Vec<_> = arrived.iter().filter(|(_, message)| seen.insert(&message.id)).collect();
    let sighting =
        |(arrival, message): &&(Arrival<'_>, &Message)| people::sighting(&message.from, arrival.when(message.at));
    let sightings: Vec<Sighting> = fresh.iter().map(sighting).collect();
    let Some(mut people) = People::load(tx, run.tenant, &sightings).await? else { return Ok(None) };
    let Some(mut conversations) = Conversations::load(tx, run, &people).await? else { return Ok(None) };
    let mut received = ReceivedMessages::default();
    for ((arrival, message), sighting) in fresh.iter().map(|one| **one).zip(&sightings) {
        let person = if sighting.keys().is_empty() { None } else { Some(people.resolve(sighting, run.now)) };
        let (contact, is_new) = match person {
            Some(None) => return Ok(None),
            Some(Some((contact, is_new))) => (Some(contact), is_new),
            None => (None, false),
        };
        let conversation = contact.as_ref().map(|contact| {
            let (conversation, opening) =
                conversations.record(run, contact.id, arrival.when(message.at), message.text.as_deref());
            received.rows.extend(opening);
            conversation
        });
        let (row, facts) = messages::received(&arrival, message, contact.as_ref(), conversation.as_ref(), is_new);
        received.fetches.extend(messages::pending_fetch(&arrival, message, &row));
        received.rows.push(row);
        received.facts.extend(facts);
    }
    (received.new_conversations, received.changed_conversations) = conversations.changed();
    Ok(Some((people, Effects::Messages(received))))
}

/// Decides the effects of statuses. None when one of them does not lead to our message by callback data, or when a row
/// with its network id exists that would have to be joined.
pub(super) async fn decide_statuses(
    tx: &mut Tx<'_>,
    run: Run<'_>,
    arrived: &[(Arrival<'_>, &Status)],
) -> Result<Option<(People, Effects)>> {
    let our_id = |status: &Status| status.callback_data.as_deref()?.parse::<MessageId>().ok();
    let Some(ids) = arrived.iter().map(|(_, status)| our_id(status)).collect::<Option<Vec<MessageId>>>() else {
        return Ok(None);
    };
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    let found = store::messaging::messages::by_ids_for_update(tx, run.tenant, &distinct).await?;
    let mut current: HashMap<MessageId, domain::messaging::messages::Message> =
        found.into_iter().map(|message| (message.id, message)).collect();
    let network_ids: Vec<&str> = arrived.iter().map(|(_, status)| status.id.as_str()).collect();
    let known = store::messaging::messages::known_network_ids(tx, run.tenant, run.channel.id, &network_ids).await?;
    let sightings: Vec<Sighting> =
        arrived.iter().map(|(arrival, status)| people::sighting(&status.recipient, arrival.when(status.at))).collect();
    let Some(mut people) = People::load(tx, run.tenant, &sightings).await? else { return Ok(None) };
    let mut changes = Vec::new();
    for (((arrival, status), id), sighting) in arrived.iter().zip(&ids).zip(&sightings) {
        let ours = current.get(id);
        let ours = ours.filter(|one| one.channel_id == run.channel.id && one.direction == MessageDirection::Outbound);
        let Some(before) = ours.cloned() else { return Ok(None) };
        if before.network_id.is_none() && known.contains(&status.id) {
            return Ok(None);
        }
        let mut contact = None;
        if !sighting.keys().is_empty() {
            let Some((found, _)) = people.resolve(sighting, run.now) else { return Ok(None) };
            contact = Some(found.id);
        }
        let at = arrival.when(status.at);
        let after = statuses::applied(before.clone(), status, contact, at);
        if after != before {
            current.insert(*id, after.clone());
            changes.push(StatusChange { before, after, at });
        }
    }
    Ok(Some((people, Effects::Statuses(changes))))
}

/// Writes the contacts and the effects of a run.
pub(super) async fn write(tx: &mut Tx<'_>, run: Run<'_>, people: &People, effects: &Effects) -> Result<()> {
    people.write(tx, run.tenant).await?;
    match effects {
        Effects::Messages(received) => received.write(tx, run.tenant).await,
        Effects::Statuses(changes) => {
            let last: HashMap<MessageId, &domain::messaging::messages::Message> =
                changes.iter().map(|change| (change.after.id, &change.after)).collect();
            let mut last: Vec<_> = last.into_values().collect();
            last.sort_unstable_by_key(|message| message.id);
            store::messaging::messages::update_many(tx, run.tenant, &last).await?;
            let reported: Vec<ReportedChange<'_>> = changes
                .iter()
                .map(|change| ReportedChange { before: &change.before, after: &change.after, at: change.at })
                .collect();
            emit_reported_all(tx, run.tenant, run.channel, &reported, run.now).await
        }
    }
}

impl ReceivedMessages {
    async fn write(&self, tx: &mut Tx<'_>, tenant: TenantId) -> Result<()> {
        store::messaging::conversations::insert_many(tx, tenant, &self.new_conversations).await?;
        store::messaging::conversations::update_many(tx, tenant, &self.changed_conversations).await?;
        let inserted = store::messaging::messages::insert_many(tx, tenant, &self.rows).await?;
        if inserted != u64::try_from(self.rows.len()).unwrap_or(0) {
            return Err(lost_race());
        }
        store::messaging::media::fetches::insert_many(tx, tenant, &self.fetches).await?;
        emit(tx, tenant, &self.facts).await
    }
}

/// The contacts that a run sights, as they are stored and as they become.
#[derive(Debug)]
pub(super) struct People {
    holders: HashMap<(IdentityKind, String), ContactId>,
    people: HashMap<ContactId, SightedPerson>,
}

#[derive(Debug)]
struct SightedPerson {
    /// None for a contact that the run creates.
    before: Option<Contact>,
    contact: Contact,
    stored: Vec<Identity>,
    identities: Vec<Identity>,
}

impl People {
    /// Loads the contacts that have an identity of the sightings. None when one of these contacts is gone.
    async fn load(tx: &mut Tx<'_>, tenant: TenantId, sightings: &[Sighting]) -> Result<Option<Self>> {
        let keys: Vec<Identity> = sightings.iter().flat_map(Sighting::keys).collect();
        let mut holders = HashMap::with_capacity(keys.len());
        for kind in [IdentityKind::Phone, IdentityKind::Bsuid] {
            let values: HashSet<&str> =
                keys.iter().filter(|key| key.kind == kind).map(|key| key.value.as_str()).collect();
            let values: Vec<&str> = values.into_iter().collect();
            let found = store::people::contacts::holders_of(tx, tenant, kind, &values).await?;
            holders.extend(found.into_iter().map(|(value, contact)| ((kind, value), contact)));
        }
        let ids: HashSet<ContactId> = holders.values().copied().collect();
        let ids: Vec<ContactId> = ids.into_iter().collect();
        let contacts = store::people::contacts::by_ids_for_update(tx, tenant, &ids).await?;
        if contacts.len() < ids.len() {
            return Ok(None);
        }
        let mut identities: HashMap<ContactId, Vec<Identity>> = HashMap::with_capacity(ids.len());
        for (contact, identity) in store::people::contacts::identities_of(tx, tenant, &ids).await? {
            identities.entry(contact).or_default().push(identity);
        }
        let people = contacts.into_iter().map(|contact| {
            let stored = identities.remove(&contact.id).unwrap_or_default();
            let person = SightedPerson { before: Some(contact.clone()), identities: stored.clone(), stored, contact };
            (person.contact.id, person)
        });
        Ok(Some(Self { holders, people: people.collect() }))
    }

    /// Applies a sighting in memory. Returns the contact after it, and whether the sighting created the contact. None
    /// when the sighting shows several contacts to be one person.
    fn resolve(&mut self, sighting: &Sighting, now: Timestamp) -> Option<(Contact, bool)> {
        let keys = sighting.keys();
        let holders: HashSet<ContactId> =
            keys.iter().filter_map(|key| self.holders.get(&(key.kind, key.value.clone()))).copied().collect();
        let known = match holders.len() {
            0 => None,
            1 => holders.into_iter().next(),
            _ => return None,
        };
        let id = if let Some(id) = known {
            let person = self.people.get_mut(&id)?;
            person.contact = apply_sighting(&person.contact, &mut person.identities, sighting, now);
            id
        } else {
            let (contact, identities) = sighted_contact(sighting, now);
            let id = contact.id;
            self.people.insert(id, SightedPerson { before: None, contact, stored: Vec::new(), identities });
            id
        };
        let person = self.people.get(&id)?;
        for identity in person.identities.iter().filter(|one| one.kind != IdentityKind::Username) {
            self.holders.insert((identity.kind, identity.value.clone()), id);
        }
        Some((person.contact.clone(), known.is_none()))
    }

    fn ids(&self) -> Vec<ContactId> {
        let mut ids: Vec<ContactId> = self.people.keys().copied().collect();
        ids.sort_unstable();
        ids
    }

    async fn write(&self, tx: &mut Tx<'_>, tenant: TenantId) -> Result<()> {
        let mut people: Vec<&SightedPerson> = self.people.values().collect();
        people.sort_unstable_by_key(|person| person.contact.id);
        let is_new = |person: &&&SightedPerson| person.before.is_none();
        let new: Vec<_> =
            people.iter().filter(is_new).map(|person| (&person.contact, person.identities.as_slice())).collect();
        if !new.is_empty() {
            store::people::contacts::insert_many(tx, tenant, &new).await?;
        }
        let news: Vec<(ContactId, &Identity)> = people
            .iter()
            .filter(|person| person.before.is_some())
            .flat_map(|person| {
                let news = person.identities.iter().filter(move |identity| !person.stored.contains(identity));
                news.map(move |identity| (person.contact.id, identity))
            })
            .collect();
        store::people::contacts::save_identities_of(tx, tenant, &news).await?;
        let changes: Vec<(Contact, Contact)> = people
            .iter()
            .filter_map(|person| Some((person.before.clone()?, person.contact.clone())))
            .filter(|(before, after)| before != after)
            .collect();
        Ok(store::people::contacts::update_many(tx, tenant, &changes).await?)
    }
}

/// The conversations of the sighted contacts over the channel of the run.
#[derive(Debug)]
struct Conversations(HashMap<ContactId, OpenConversation>);

#[derive(Debug)]
struct OpenConversation {
    is_new: bool,
    is_changed: bool,
    conversation: Conversation,
}

impl Conversations {
    /// Loads the conversations. None when one is snoozed: a message ends the snooze with an event, which is not emitted
    /// here.
    async fn load(tx: &mut Tx<'_>, run: Run<'_>, people: &People) -> Result<Option<Self>> {
        let found =
            store::messaging::conversations::of_contacts_for_update(tx, run.tenant, run.channel.id, &people.ids())
                .await?;
        if found.iter().any(|conversation| conversation.snoozed_until.is_some()) {
            return Ok(None);
        }
        let known = |conversation: Conversation| {
            (conversation.contact_id, OpenConversation { is_new: false, is_changed: false, conversation })
        };
        Ok(Some(Self(found.into_iter().map(known).collect())))
    }

    /// Records a message of the person. Returns the conversation after it, and the row about the opening of its ticket,
    /// if the message opened it.
    fn record(
        &mut self,
        run: Run<'_>,
        contact: ContactId,
        at: Timestamp,
        text: Option<&str>,
    ) -> (Conversation, Option<domain::messaging::messages::Message>) {
        let mut is_new = false;
        let open = self.0.entry(contact).or_insert_with(|| {
            is_new = true;
            let conversation = Conversation::new(run.channel.id, contact, run.now);
            OpenConversation { is_new, is_changed: false, conversation }
        });
        let reopened = open.conversation.record_inbound(at, text, run.now);
        open.is_changed = true;
        let opening = (is_new || reopened).then(|| opening_row(&open.conversation, is_new, at, run.now));
        (open.conversation.clone(), opening)
    }

    /// The new conversations, and the known ones that changed, each in the order of their ids.
    fn changed(self) -> (Vec<Conversation>, Vec<Conversation>) {
        let mut changed: Vec<OpenConversation> = self.0.into_values().filter(|open| open.is_changed).collect();
        changed.sort_unstable_by_key(|open| open.conversation.id);
        let (new, known): (Vec<_>, Vec<_>) = changed.into_iter().partition(|open| open.is_new);
        let plain = |all: Vec<OpenConversation>| all.into_iter().map(|open| open.conversation).collect();
        (plain(new), plain(known))
    }
}
