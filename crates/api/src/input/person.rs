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
pub(crate) struct Named {
    pub member: &'static str,
    pub target: String,
}

impl Named {
    /// In an entry of a list that has members for both. Empty counts as absent.
    pub fn of(target: Option<Scalar>, number: Option<Scalar>) -> Option<Self> {
        let named = |member, text: Option<Scalar>| {
            let Scalar(target) = text.filter(|Scalar(text)| !text.trim().is_empty())?;
            Some(Self { member, target })
        };
        named(TARGET, target).or_else(|| named(NUMBER, number))
    }
}

impl LegacyInput {
    /// `path` is the number as the last segment of the path, where the route has one.
    pub fn person(&self, path: Option<String>) -> ApiResult<Named> {
        if let Some(target) = self.text(TARGET)? {
            return Ok(Named { member: TARGET, target });
        }
        let number = match path {
            Some(number) => number,
            None => required(NUMBER, self.text(NUMBER)?)?,
        };
        Ok(Named { member: NUMBER, target: number })
    }

    /// The same where it matters over which channel: the one that stands apart is put in front of a target without one.
    pub fn person_over(&self, path: Option<String>) -> ApiResult<Named> {
        self.over_channel(self.person(path)?)
    }

    /// A target with the channel that stands apart from it, if there is one, in front.
    pub fn over_channel(&self, named: Named) -> ApiResult<Named> {
        let Named { member, target } = named;
        let has_channel = target.contains(':') || target.to_ascii_uppercase().contains("%3A");
        Ok(match self.channel()?.filter(|_| !has_channel) {
            Some(channel) => Named { member, target: format!("{channel}:{target}") },
            None => Named { member, target },
        })
    }

    /// The channel that is meant, where one is named.
    pub fn channel(&self) -> ApiResult<Option<String>> {
        for name in CHANNEL {
            if let Some(channel) = self.text(name)? {
                return Ok(Some(channel));
            }
        }
        Ok(None)
    }
}
