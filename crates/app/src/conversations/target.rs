//! Whom and which conversation a target means. Makes nothing: an unknown person is for whoever sends to make.

use domain::channels::Channel;
use domain::contacts::identity::Kind;
use domain::contacts::{Target, TargetRef};
use domain::conversations::Conversation;
use domain::phone::PhoneNumber;
use domain::{ChannelId, ContactId, ConversationId, TenantId, Timestamp};
use store::contacts::Addressee;
use store::{Db, Tx};

use super::NO_CONVERSATION;
use crate::{Error, Result, Thing};

/// What a target means.
#[derive(Debug, Clone)]
pub(crate) struct Meant {
    /// None when nobody is known by this number or BSUID.
    pub contact: Option<Addressee>,
    pub channel: Channel,
    /// The contact's over this channel; one that is read here is held until the transaction ends only if it was named by
    /// its own id.
    pub conversation: Option<Conversation>,
}

/// One of several conversations that a target may mean.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    pub conversation_id: ConversationId,
    pub channel_id: ChannelId,
    pub channel_name: String,
    pub channel_phone_number: String,
    pub last_message_at: Timestamp,
}

/// For whoever writes: the person, the channel and, if they have talked, the conversation. `member` names the target in
/// what is said about it.
pub(crate) async fn meant(tx: &mut Tx<'_>, tenant: TenantId, target: &str, member: &str) -> Result<Meant> {
    let Target { channel, person } = Target::parse(target).map_err(|error| Error::invalid(member, error))?;
    let channels = channels_in(tx, tenant).await?;
    let named = channel.map(|name| called(&channels, &name, member)).transpose()?;
    if let TargetRef::Id(id) = &person
        && let Some(meant) = by_conversation(tx, tenant, id.conversation(), named.as_ref(), &channels).await?
    {
        return Ok(meant);
    }
    let contact = contact(tx, tenant, &person).await?;
    let Some(known) = &contact else {
        can_be_made(&person, member)?;
        let channel = named.map_or_else(|| default_of(&channels), Ok)?;
        return Ok(Meant { contact, channel, conversation: None });
    };
    let talks = store::conversations::of_contact_in(tx, tenant, known.id).await?;
    let conversation = chosen(talks, named.as_ref(), &channels, member)?;
    let over = conversation.as_ref().and_then(|one| channels.iter().find(|channel| channel.id == one.channel_id));
    let channel = match named.as_ref().or(over) {
        Some(channel) => channel.clone(),
        None => default_of(&channels)?,
    };
    Ok(Meant { contact, channel, conversation })
}

/// For whoever reads or changes a conversation: there is one, or it is not found. Those over channels that are gone are
/// read as before.
pub(crate) async fn existing(db: &Db, tenant: TenantId, target: &str, member: &str) -> Result<Conversation> {
    let Target { channel, person } = Target::parse(target).map_err(|_| NO_CONVERSATION)?;
    let channels: Vec<Channel> =
        store::channels::list(db, tenant).await?.into_iter().map(|stored| stored.channel).collect();
    let named = channel.map(|name| called(&channels, &name, member)).transpose()?;
    if let TargetRef::Id(id) = &person
        && let Some(found) = store::conversations::by_id(db, tenant, id.conversation()).await?
        && named.as_ref().is_none_or(|channel| channel.id == found.channel_id)
    {
        return Ok(found);
    }
    let contact = contact_id(db, tenant, &person).await?.ok_or(NO_CONVERSATION)?;
    let talks = store::conversations::of_contact(db, tenant, contact).await?;
    let latest = talks.first().filter(|_| named.is_none()).cloned();
    chosen(talks, named.as_ref(), &channels, member)?.or(latest).ok_or(NO_CONVERSATION)
}

async fn channels_in(tx: &mut Tx<'_>, tenant: TenantId) -> Result<Vec<Channel>> {
    Ok(store::channels::list_in(tx, tenant).await?.into_iter().map(|stored| stored.channel).collect())
}

fn called(channels: &[Channel], name: &str, member: &str) -> Result<Channel> {
    let found = channels.iter().find(|channel| channel.matches(name)).cloned();
    found.ok_or_else(|| Error::NoChannel { parameter: member.to_owned(), name: name.to_owned() })
}

fn default_of(channels: &[Channel]) -> Result<Channel> {
    channels.iter().find(|channel| channel.is_default).cloned().ok_or(Error::NotFound(Thing::Channel))
}

/// A conversation's own id means it and its contact; with another channel in front of it, it means nothing.
async fn by_conversation(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: ConversationId,
    named: Option<&Channel>,
    channels: &[Channel],
) -> Result<Option<Meant>> {
    let found = store::conversations::held(tx, tenant, id).await?;
    let Some(conversation) = found.filter(|one| named.is_none_or(|channel| channel.id == one.channel_id)) else {
        return Ok(None);
    };
    let channel = channels.iter().find(|channel| channel.id == conversation.channel_id);
    let channel = channel.cloned().ok_or(Error::NotFound(Thing::Channel))?;
    let contact = contact(tx, tenant, &TargetRef::Id(conversation.contact_id.into())).await?.ok_or(NO_CONVERSATION)?;
    Ok(Some(Meant { contact: Some(contact), channel, conversation: Some(conversation) }))
}

async fn contact(tx: &mut Tx<'_>, tenant: TenantId, person: &TargetRef) -> Result<Option<Addressee>> {
    let found = match person {
        TargetRef::Id(id) => {
            let found = store::contacts::addressed_by_id(tx, tenant, &[id.contact()]).await?;
            if found.is_empty() {
                store::contacts::addressed(tx, tenant, Kind::Id, &[&id.to_string()]).await?
            } else {
                found
            }
        }
        TargetRef::Phone(phone) => store::contacts::addressed(tx, tenant, Kind::Phone, &[phone]).await?,
        TargetRef::Bsuid(bsuid) => store::contacts::addressed(tx, tenant, Kind::Bsuid, &[bsuid.as_str()]).await?,
    };
    Ok(found.into_iter().next().map(|(_, contact)| contact))
}

async fn contact_id(db: &Db, tenant: TenantId, person: &TargetRef) -> Result<Option<ContactId>> {
    let mut found = None;
    let visit = |contact: &domain::contacts::ContactView<'_>| {
        found = Some(contact.id);
        Ok(())
    };
    match person {
        TargetRef::Id(id) => store::contacts::show(db, tenant, id.contact(), visit).await?,
        TargetRef::Phone(phone) => store::contacts::show_known_by(db, tenant, Kind::Phone, phone, visit).await?,
        TargetRef::Bsuid(bsuid) => {
            store::contacts::show_known_by(db, tenant, Kind::Bsuid, bsuid.as_str(), visit).await?
        }
    };
    Ok(found)
}

/// Who has this number, in the one spelling of its line.
pub(super) async fn contact_by_phone(db: &Db, tenant: TenantId, digits: &str) -> Result<Option<ContactId>> {
    contact_id(db, tenant, &TargetRef::Phone(digits.to_owned())).await
}

/// A number or BSUID can become a contact; an id of ours that nobody has cannot.
fn can_be_made(person: &TargetRef, member: &str) -> Result<()> {
    match person {
        TargetRef::Id(_) => Err(Error::Missing { parameter: member.to_owned(), what: Thing::ContactOrConversation }),
        TargetRef::Phone(digits) => PhoneNumber::parse(digits).map(drop).map_err(|error| Error::invalid(member, error)),
        TargetRef::Bsuid(_) => Ok(()),
    }
}

/// Of a contact's conversations, which stand latest first: that over the named channel, else the one that is active, else
/// the latest. A channel that is gone is no choice.
fn chosen(
    talks: Vec<Conversation>,
    named: Option<&Channel>,
    channels: &[Channel],
    member: &str,
) -> Result<Option<Conversation>> {
    if let Some(channel) = named {
        return Ok(talks.into_iter().find(|one| one.channel_id == channel.id));
    }
    let over = |one: &Conversation| channels.iter().find(|channel| channel.id == one.channel_id);
    let active: Vec<Choice> =
        talks.iter().filter(|one| one.is_active()).filter_map(|one| Some(choice(one, over(one)?))).collect();
    match active.as_slice() {
        [] => Ok(talks.into_iter().find(|one| over(one).is_some())),
        [only] => Ok(talks.into_iter().find(|one| one.id == only.conversation_id)),
        _ => Err(Error::Ambiguous { parameter: member.to_owned(), conversations: active }),
    }
}

fn choice(conversation: &Conversation, channel: &Channel) -> Choice {
    Choice {
        conversation_id: conversation.id,
        channel_id: channel.id,
        channel_name: channel.name.clone(),
        channel_phone_number: channel.phone_number.clone(),
        last_message_at: conversation.last_at,
    }
}

#[cfg(test)]
mod tests;
