//! Resolves a target to a contact, a channel and a conversation. Creates nothing: a number or BSUID that no contact has
//! resolves to a channel without a contact.

use domain::messaging::channels::Channel;
use domain::messaging::conversations::{Conversation, ConversationChoice};
use domain::people::contacts::identity::IdentityKind;
use domain::people::contacts::{Target, TargetRef};
use domain::people::phone::PhoneNumber;
use domain::{ContactId, ConversationId, Field, TenantId};
use store::people::contacts::Addressee;
use store::{Db, Tx};

use crate::{Error, Result, Thing};

pub(crate) const NO_CONVERSATION: Error = Error::NotFound(Thing::Conversation);

/// A resolved target.
#[derive(Debug, Clone)]
pub(crate) struct ResolvedTarget {
    /// None if no contact has this number or BSUID.
    pub contact: Option<Addressee>,
    pub channel: Channel,
    /// The contact's conversation over this channel. Locked until the transaction ends only if the target is the
    /// conversation's own id.
    pub conversation: Option<Conversation>,
}

/// What happens to a target without a channel while conversations are open on several channels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SeveralOpen {
    /// The request is refused with a list of them (V3).
    #[default]
    Refuse,
    /// The one with the latest message is meant: clients of V1 and V2 often name no channel.
    TakeLatest,
}

/// The target of a request, and how to choose among several open conversations.
#[derive(Debug, Clone, Copy)]
pub struct ConversationTarget<'a> {
    pub text: &'a str,
    pub several: SeveralOpen,
}

impl<'a> ConversationTarget<'a> {
    pub const fn latest(text: &'a str) -> Self {
        Self { text, several: SeveralOpen::TakeLatest }
    }
}

impl<'a> From<&'a str> for ConversationTarget<'a> {
    fn from(text: &'a str) -> Self {
        Self { text, several: SeveralOpen::Refuse }
    }
}

impl<'a> From<&'a String> for ConversationTarget<'a> {
    fn from(text: &'a String) -> Self {
        Self::from(text.as_str())
    }
}

/// Resolves a target for sending: the contact, the channel and, if there is one, the conversation.
pub(crate) async fn resolve_target(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    target: ConversationTarget<'_>,
) -> Result<ResolvedTarget> {
    let Target { channel, person } =
        Target::parse(target.text).map_err(|error| Error::invalid(Field::Target, error))?;
    let channels = channels_in(tx, tenant).await?;
    let named = channel.map(|name| called(&channels, &name)).transpose()?;
    if let TargetRef::Id(id) = &person
        && let Some(meant) = by_conversation(tx, tenant, id.conversation(), named.as_ref(), &channels).await?
    {
        return Ok(meant);
    }
    let contact = contact(tx, tenant, &person).await?;
    let Some(known) = &contact else {
        check_creatable(&person)?;
        let channel = named.map_or_else(|| default_of(&channels), Ok)?;
        return Ok(ResolvedTarget { contact, channel, conversation: None });
    };
    let conversations = store::messaging::conversations::of_contact_in(tx, tenant, known.id).await?;
    let conversation = choose(conversations, named.as_ref(), &channels, target.several)?;
    let over = conversation.as_ref().and_then(|one| channels.iter().find(|channel| channel.id == one.channel_id));
    let channel = match named.as_ref().or(over) {
        Some(channel) => channel.clone(),
        None => default_of(&channels)?,
    };
    Ok(ResolvedTarget { contact, channel, conversation })
}

/// Finds the conversation of a target, for reading or changing it; `NotFound` if there is none. A conversation over a
/// removed channel is found by its own id, or as the latest one if the contact has none over a present channel.
pub(crate) async fn find_conversation(
    db: &Db,
    tenant: TenantId,
    target: ConversationTarget<'_>,
) -> Result<Conversation> {
    let Target { channel, person } = Target::parse(target.text).map_err(|_| NO_CONVERSATION)?;
    let channels: Vec<Channel> =
        store::messaging::channels::list(db, tenant).await?.into_iter().map(|stored| stored.channel).collect();
    let named = channel.map(|name| called(&channels, &name)).transpose()?;
    if let TargetRef::Id(id) = &person
        && let Some(found) = store::messaging::conversations::by_id(db, tenant, id.conversation()).await?
        && named.as_ref().is_none_or(|channel| channel.id == found.channel_id)
    {
        return Ok(found);
    }
    let contact = contact_id(db, tenant, &person).await?.ok_or(NO_CONVERSATION)?;
    let conversations = store::messaging::conversations::of_contact(db, tenant, contact).await?;
    let latest = conversations.first().filter(|_| named.is_none()).cloned();
    choose(conversations, named.as_ref(), &channels, target.several)?.or(latest).ok_or(NO_CONVERSATION)
}

async fn channels_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Channel>> {
    Ok(store::messaging::channels::list_in(tx, tenant).await?.into_iter().map(|stored| stored.channel).collect())
}

fn called(channels: &[Channel], name: &str) -> Result<Channel> {
    let found = channels.iter().find(|channel| channel.matches(name)).cloned();
    found.ok_or_else(|| Error::NoChannel { place: Field::Target.into(), name: name.to_owned() })
}

fn default_of(channels: &[Channel]) -> Result<Channel> {
    channels.iter().find(|channel| channel.is_default).cloned().ok_or(Error::NotFound(Thing::Channel))
}

/// Resolves a target that is a conversation's own id. None if no conversation has this id, or if the target also names
/// another channel.
async fn by_conversation(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ConversationId,
    named: Option<&Channel>,
    channels: &[Channel],
) -> Result<Option<ResolvedTarget>> {
    let found = store::messaging::conversations::for_update(tx, tenant, id).await?;
    let Some(conversation) = found.filter(|one| named.is_none_or(|channel| channel.id == one.channel_id)) else {
        return Ok(None);
    };
    let channel = channels.iter().find(|channel| channel.id == conversation.channel_id);
    let channel = channel.cloned().ok_or(Error::NotFound(Thing::Channel))?;
    let contact = contact(tx, tenant, &TargetRef::Id(conversation.contact_id.into())).await?.ok_or(NO_CONVERSATION)?;
    Ok(Some(ResolvedTarget { contact: Some(contact), channel, conversation: Some(conversation) }))
}

async fn contact(tx: &mut Tx<'_>, tenant: TenantId, person: &TargetRef) -> Result<Option<Addressee>> {
    let found = match person {
        TargetRef::Id(id) => {
            let found = store::people::contacts::addressed_by_id(tx, tenant, &[id.contact()]).await?;
            if found.is_empty() {
                store::people::contacts::addressed(tx, tenant, IdentityKind::Id, &[&id.to_string()]).await?
            } else {
                found
            }
        }
        TargetRef::Phone(phone) => {
            store::people::contacts::addressed(tx, tenant, IdentityKind::Phone, &[phone]).await?
        }
        TargetRef::Bsuid(bsuid) => {
            store::people::contacts::addressed(tx, tenant, IdentityKind::Bsuid, &[bsuid.as_str()]).await?
        }
    };
    Ok(found.into_iter().next().map(|(_, contact)| contact))
}

async fn contact_id(db: &Db, tenant: TenantId, person: &TargetRef) -> Result<Option<ContactId>> {
    let mut found = None;
    let mut visit = |contact: &domain::people::contacts::ContactView<'_>| {
        found = Some(contact.id);
        Ok(())
    };
    match person {
        TargetRef::Id(id) => store::people::contacts::show(db, tenant, id.contact(), &mut visit).await?,
        TargetRef::Phone(phone) => {
            store::people::contacts::show_known_by(db, tenant, IdentityKind::Phone, phone, &mut visit).await?
        }
        TargetRef::Bsuid(bsuid) => {
            store::people::contacts::show_known_by(db, tenant, IdentityKind::Bsuid, bsuid.as_str(), &mut visit).await?
        }
    };
    Ok(found)
}

/// The contact with this number, which is given as digits only.
pub(crate) async fn contact_by_phone(db: &Db, tenant: TenantId, digits: &str) -> Result<Option<ContactId>> {
    contact_id(db, tenant, &TargetRef::Phone(digits.to_owned())).await
}

/// Checks that a contact can be created for a target that is not known: possible for a valid number or a BSUID, not for
/// an id.
fn check_creatable(person: &TargetRef) -> Result<()> {
    match person {
        TargetRef::Id(_) => Err(Error::missing(Field::Target, Thing::ContactOrConversation)),
        TargetRef::Phone(digits) => {
            PhoneNumber::parse(digits).map(drop).map_err(|error| Error::invalid(Field::Target, error))
        }
        TargetRef::Bsuid(_) => Ok(()),
    }
}

/// Picks one of a contact's conversations, which are given with the latest message first. With a named channel: the one
/// over that channel, or none. Without: the only active one, or the latest if none is active. Of several active ones
/// `several` decides: the latest, or `Ambiguous`. Without a named channel, conversations over removed channels do not
/// count.
fn choose(
    conversations: Vec<Conversation>,
    named: Option<&Channel>,
    channels: &[Channel],
    several: SeveralOpen,
) -> Result<Option<Conversation>> {
    if let Some(channel) = named {
        return Ok(conversations.into_iter().find(|one| one.channel_id == channel.id));
    }
    let over = |one: &Conversation| channels.iter().find(|channel| channel.id == one.channel_id);
    let active: Vec<ConversationChoice> =
        conversations.iter().filter(|one| one.is_active()).filter_map(|one| Some(choice(one, over(one)?))).collect();
    let find =
        |choice: &ConversationChoice| Ok(conversations.iter().find(|one| one.id == choice.conversation_id).cloned());
    match active.as_slice() {
        [] => Ok(conversations.iter().find(|one| over(one).is_some()).cloned()),
        [only] => find(only),
        [latest, ..] if several == SeveralOpen::TakeLatest => find(latest),
        _ => Err(Error::Ambiguous { place: Field::Target.into(), conversations: active }),
    }
}

fn choice(conversation: &Conversation, channel: &Channel) -> ConversationChoice {
    ConversationChoice {
        conversation_id: conversation.id,
        channel_id: channel.id,
        channel_name: channel.name.clone(),
        channel_phone_number: channel.phone_number.clone(),
        last_message_at: conversation.last_at,
    }
}

#[cfg(test)]
mod tests;
