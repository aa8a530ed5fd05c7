//! The person that a V1 request names: in `target` or `whatsappNumber`, in query, form or JSON body. `target` wins.

use super::legacy::required;
use super::{LegacyInput, Scalar};
use crate::error::ApiResult;

const TARGET: &str = "target";
const NUMBER: &str = "whatsappNumber";
/// Spellings of the member that names a channel by number or name.
const CHANNEL: [&str; 3] = ["channelPhoneNumber", "channelNumber", "channel_number"];

/// A target, and the name of the member that held it, which errors mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedPerson {
    pub member: &'static str,
    pub target: String,
}

impl NamedPerson {
    /// The person of a list entry that may have both members; `target` wins. None if both are absent or empty.
    pub fn from_members(target: Option<Scalar>, number: Option<Scalar>) -> Option<Self> {
        let named = |member, text: Option<Scalar>| {
            let Scalar(target) = text.filter(|Scalar(text)| !text.trim().is_empty())?;
            Some(Self { member, target })
        };
        named(TARGET, target).or_else(|| named(NUMBER, number))
    }
}

impl NamedPerson {
    /// The person in `target`, otherwise in `number`. An error if both are absent.
    pub fn choose(target: Option<String>, number: Option<String>) -> ApiResult<Self> {
        match target {
            Some(target) => Ok(Self { member: TARGET, target }),
            None => Ok(Self { member: NUMBER, target: required(NUMBER, number)? }),
        }
    }

    /// Puts the channel in front of a target that names none.
    pub fn via_channel(self, channel: Option<&str>) -> Self {
        let Self { member, target } = self;
        let has_channel = target.contains(':') || target.to_ascii_uppercase().contains("%3A");
        match channel.filter(|_| !has_channel) {
            Some(channel) => Self { member, target: format!("{channel}:{target}") },
            None => Self { member, target },
        }
    }
}

impl LegacyInput {
    /// The value of the first of these members that has one. An error about `whatsappNumber` if none has.
    pub fn person(&self, spellings: &[&'static str]) -> ApiResult<NamedPerson> {
        for &member in spellings {
            if let Some(target) = self.text(&[member])? {
                return Ok(NamedPerson { member, target });
            }
        }
        NamedPerson::choose(None, None)
    }

    /// The value of the first of these members that has one. If it names no channel, the channel that the request names
    /// is put in front of it.
    pub fn person_via_channel(&self, spellings: &[&'static str]) -> ApiResult<NamedPerson> {
        Ok(self.person(spellings)?.via_channel(self.channel()?.as_deref()))
    }

    /// The channel that the request names, if any.
    pub fn channel(&self) -> ApiResult<Option<String>> {
        self.text(&CHANNEL)
    }
}
