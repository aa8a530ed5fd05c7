//! Records a call that was made on other equipment.

use std::collections::{BTreeSet, HashMap};

use domain::calls::{Call, CallDirection, CallParty, CallStatus, status_from_times};
use domain::channels::Channel;
use domain::events::Fact;
use domain::phone::PhoneNumber;
use domain::{Id, TenantId, Timestamp};
use store::Tx;

use crate::events::append;
use crate::{Error, Result};

#[derive(Debug, Clone)]
pub struct NewCall {
    pub call_id: String,
    pub direction: CallDirection,
    pub from_number: String,
    pub to_number: String,
    pub started_at: Timestamp,
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub status: Option<CallStatus>,
    pub end_reason: Option<String>,
    /// Id or e-mail address of an account.
    pub operator: Option<String>,
    pub team_name: Option<String>,
    /// A channel's name, or a business number, also one that is no channel. If absent, the number on the business side
    /// of the call: `to_number` of an inbound call, `from_number` of an outbound one.
    pub channel: Option<String>,
}

pub(super) const MAX_TEXT: usize = 256;

/// A checked call without the columns that are read from the database.
#[derive(Debug, Clone)]
pub(crate) struct CallDraft {
    tenant: TenantId,
    call: Call,
    operator: Option<String>,
    via: ChannelReference,
    now: Timestamp,
}

/// The channel of a call as the request names it.
#[derive(Debug, Clone)]
enum ChannelReference {
    Number(String),
    Name(String),
}

impl CallDraft {
    pub const fn tenant(&self) -> TenantId {
        self.tenant
    }
}

impl ChannelReference {
    fn parse(text: &str) -> Self {
        let number = PhoneNumber::parse(text).map(|number| Self::Number(number.digits().to_owned()));
        number.unwrap_or_else(|_| Self::Name(text.to_owned()))
    }

    fn matches(&self, channel: &Channel) -> bool {
        match self {
            Self::Number(digits) => channel.phone_number == *digits,
            Self::Name(name) => channel.matches_name_or_number(name),
        }
    }
}

pub(super) fn draft(tenant: TenantId, new: NewCall, now: Timestamp) -> Result<CallDraft> {
    if !(1..=MAX_TEXT).contains(&new.call_id.chars().count()) {
        return Err(Error::invalid("call_id", format!("expected 1 to {MAX_TEXT} characters")));
    }
    for (member, text) in [("end_reason", &new.end_reason), ("team_name", &new.team_name)] {
        check_text(member, text.as_deref())?;
    }
    let from_number = number("from_number", &new.from_number)?;
    let to_number = number("to_number", &new.to_number)?;
    let (person, business) = match new.direction {
        CallDirection::Inbound => (&from_number, &to_number),
        CallDirection::Outbound => (&to_number, &from_number),
    };
    let via =
        new.channel.as_deref().map_or_else(|| ChannelReference::Number(business.clone()), ChannelReference::parse);
    let caller = CallParty { wa_id: Some(person.clone()), ..CallParty::default() };
    let [answered_at, ended_at] = [new.answered_at, new.ended_at].map(|at| at.map(Timestamp::to_millis));
    let call = Call {
        id: Id::new(now),
        status: new.status.unwrap_or(status_from_times(answered_at.is_some(), ended_at.is_some())),
        call_id: new.call_id,
        direction: new.direction,
        from_number,
        to_number,
        started_at: new.started_at.to_millis(),
        answered_at,
        ended_at,
        end_reason: new.end_reason,
        operator: None,
        team_name: new.team_name,
        caller,
        conversation_id: None,
        channel_id: None,
        channel_phone_number: None,
        talk_seconds: None,
    };
    call.check().map_err(|error| Error::of_member(&error))?;
    Ok(CallDraft { tenant, call, operator: new.operator, via, now })
}

pub(super) fn check_text(member: &str, text: Option<&str>) -> Result<()> {
    let fits = text.is_none_or(|text| text.chars().count() <= MAX_TEXT);
    if fits { Ok(()) } else { Err(Error::invalid(member, format!("at most {MAX_TEXT} characters"))) }
}

fn number(member: &str, text: &str) -> Result<String> {
    let number = PhoneNumber::parse(text).map_err(|error| Error::invalid(member, error))?;
    Ok(number.digits().to_owned())
}

/// Records calls, which are all of one tenant. The result has an entry for each draft; a refused call is an error there and does not
/// stop the others.
pub(super) async fn insert(tx: &mut Tx<'_>, drafts: &[CallDraft]) -> Result<Vec<Result<Call>>> {
    let Some(tenant) = drafts.first().map(CallDraft::tenant) else { return Ok(Vec::new()) };
    let call_ids: Vec<&str> = drafts.iter().map(|draft| draft.call.call_id.as_str()).collect();
    let phones: BTreeSet<&str> = drafts.iter().filter_map(|draft| draft.call.caller.wa_id.as_deref()).collect();
    let phones: Vec<&str> = phones.into_iter().collect();
    let context = store::calls::context(tx, tenant, &call_ids, &phones).await?;
    let mut known: HashMap<String, Call> = context.known.into_iter().map(|call| (call.call_id.clone(), call)).collect();
    let people: HashMap<String, CallParty> = context.callers.into_iter().collect();
    let (mut outcomes, mut new, mut facts) = (Vec::with_capacity(drafts.len()), Vec::new(), Vec::new());
    for draft in drafts {
        if let Some(call) = known.get(&draft.call.call_id) {
            outcomes.push(Ok(call.clone()));
            continue;
        }
        let mut call = draft.call.clone();
        set_caller(&mut call, &people);
        let completed = match set_operator(tx, tenant, &mut call, draft.operator.as_deref()).await {
            Ok(()) => set_channel(&mut call, &draft.via, &context.channels),
            refused => refused,
        };
        match completed {
            Err(error @ Error::Store(_)) => return Err(error),
            Err(refused) => outcomes.push(Err(refused)),
            Ok(()) => {
                known.insert(call.call_id.clone(), call.clone());
                facts.push(Fact::call(draft.now, &call));
                new.push(call.clone());
                outcomes.push(Ok(call));
            }
        }
    }
    // In this order, so that two groups with the same calls wait for each other in the same order.
    new.sort_unstable_by(|one, other| one.call_id.cmp(&other.call_id));
    store::calls::insert_new(tx, tenant, &new).await?;
    append(tx, tenant, &facts).await?;
    Ok(outcomes)
}

async fn set_operator(tx: &mut Tx<'_>, tenant: TenantId, call: &mut Call, who: Option<&str>) -> Result<()> {
    if let Some(who) = who {
        call.operator = Some(super::find_operator(tx, tenant, who).await?);
    }
    Ok(())
}

/// Sets the channel of a call. A name must be that of a channel; a business number may also belong to other equipment.
fn set_channel(call: &mut Call, via: &ChannelReference, channels: &[Channel]) -> Result<()> {
    let known = channels.iter().find(|channel| via.matches(channel));
    call.channel_id = known.map(|channel| channel.id);
    call.channel_phone_number = match (known, via) {
        (Some(channel), _) => Some(channel.phone_number.clone()),
        (None, ChannelReference::Number(digits)) => Some(digits.clone()),
        (None, ChannelReference::Name(_)) => {
            return Err(Error::invalid("channel", "expected a channel's name or a phone number"));
        }
    };
    Ok(())
}

/// Completes the person on the call from the contact that has the person's number, if there is one.
fn set_caller(call: &mut Call, people: &HashMap<String, CallParty>) {
    if let Some(known) = call.caller.wa_id.as_ref().and_then(|phone| people.get(phone)) {
        call.caller = known.clone();
    }
}
