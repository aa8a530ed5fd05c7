//! A call that a client records, checked as far as no read of the database is needed.

use domain::calls::{Call, CallDirection, CallParty, CallStatus, status_from_times};
use domain::messaging::channels::Channel;
use domain::people::phone::PhoneNumber;
use domain::{Field, Id, TenantId, Timestamp};

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

const MAX_TEXT: usize = 256;

/// A checked call without the columns that are read from the database.
#[derive(Debug, Clone)]
pub(crate) struct CallDraft {
    pub(super) tenant: TenantId,
    pub(super) call: Call,
    pub(super) operator: Option<String>,
    pub(super) via: ChannelReference,
    pub(super) now: Timestamp,
}

/// The channel of a call as the request names it.
#[derive(Debug, Clone)]
pub(super) enum ChannelReference {
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

    pub fn matches(&self, channel: &Channel) -> bool {
        match self {
            Self::Number(digits) => channel.phone_number == *digits,
            Self::Name(name) => channel.matches_name_or_number(name),
        }
    }
}

pub(super) fn draft(tenant: TenantId, new: NewCall, now: Timestamp) -> Result<CallDraft> {
    if !(1..=MAX_TEXT).contains(&new.call_id.chars().count()) {
        return Err(Error::invalid(Field::CallId, format!("expected 1 to {MAX_TEXT} characters")));
    }
    for (field, text) in [(Field::EndReason, &new.end_reason), (Field::TeamName, &new.team_name)] {
        check_text(field, text.as_deref())?;
    }
    let from_number = number(Field::FromNumber, &new.from_number)?;
    let to_number = number(Field::ToNumber, &new.to_number)?;
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
    call.check().map_err(|error| Error::of_field(&error))?;
    Ok(CallDraft { tenant, call, operator: new.operator, via, now })
}

pub(super) fn check_text(field: Field, text: Option<&str>) -> Result<()> {
    let fits = text.is_none_or(|text| text.chars().count() <= MAX_TEXT);
    if fits { Ok(()) } else { Err(Error::invalid(field, format!("at most {MAX_TEXT} characters"))) }
}

fn number(field: Field, text: &str) -> Result<String> {
    let number = PhoneNumber::parse(text).map_err(|error| Error::invalid(field, error))?;
    Ok(number.digits().to_owned())
}
