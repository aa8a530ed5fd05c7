//! Whom a V1 request is about: `target` or `whatsappNumber`, wherever a client puts them. `target` wins.

use super::legacy::required;
use super::{LegacyInput, Scalar};
use crate::error::ApiResult;

const TARGET: &str = "target";
const NUMBER: &str = "whatsappNumber";
/// Three names of one thing: a channel's number, or its name.
const CHANNEL: [&str; 3] = ["channelPhoneNumber", "channelNumber", "channel_number"];

/// What was given, and the member that it stood in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedPerson {
    pub member: &'static str,
    pub target: String,
}

impl NamedPerson {
    /// In an entry of a list that has members for both. Empty counts as absent.
    pub fn of(target: Option<Scalar>, number: Option<Scalar>) -> Option<Self> {
        let named = |member, text: Option<Scalar>| {
            let Scalar(target) = text.filter(|Scalar(text)| !text.trim().is_empty())?;
            Some(Self { member, target })
        };
        named(TARGET, target).or_else(|| named(NUMBER, number))
    }
}

impl NamedPerson {
    /// `target` wins over the number.
    pub fn choose(target: Option<String>, number: Option<String>) -> ApiResult<Self> {
        match target {
            Some(target) => Ok(Self { member: TARGET, target }),
            None => Ok(Self { member: NUMBER, target: required(NUMBER, number)? }),
        }
    }

    /// The same where it matters over which channel: the one that stands apart is put in front of a target without one.
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
    /// The person that the first of these members names, `target` and the number among them.
    pub fn person(&self, spellings: &[&'static str]) -> ApiResult<NamedPerson> {
        for &member in spellings {
            if let Some(target) = self.text(&[member])? {
                return Ok(NamedPerson { member, target });
            }
        }
        NamedPerson::choose(None, None)
    }

    /// The same with the channel, where one is named.
    pub fn person_via_channel(&self, spellings: &[&'static str]) -> ApiResult<NamedPerson> {
        Ok(self.person(spellings)?.via_channel(self.channel()?.as_deref()))
    }

    /// The channel that is meant, where one is named.
    pub fn channel(&self) -> ApiResult<Option<String>> {
        self.text(&CHANNEL)
    }
}
