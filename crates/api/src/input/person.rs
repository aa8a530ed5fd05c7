//! The person that a V1 request names: in `target` or `whatsappNumber`, in query, form or JSON body. `target` wins.

use domain::{Field, Step};

use super::legacy::required;
use super::{LegacyInput, Scalar};
use crate::error::ApiResult;

const NUMBER: &str = "whatsappNumber";
/// Spellings of the member that names a channel by number or name.
const CHANNEL: [&str; 3] = ["channelPhoneNumber", "channelNumber", "channel_number"];

/// A target, and the member that held it, which errors mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedPerson {
    pub named_by: Field,
    pub target: String,
}

impl NamedPerson {
    /// The person of a list entry that may have both members; `target` wins. None if both are absent or empty.
    pub fn from_members(target: Option<Scalar>, number: Option<Scalar>) -> Option<Self> {
        let named = |named_by, text: Option<Scalar>| {
            let Scalar(target) = text.filter(|Scalar(text)| !text.trim().is_empty())?;
            Some(Self { named_by, target })
        };
        named(Field::Target, target).or_else(|| named(Field::WhatsappNumber, number))
    }
}

impl NamedPerson {
    /// The person in `target`, otherwise in `number`. An error if both are absent.
    pub fn choose(target: Option<String>, number: Option<String>) -> ApiResult<Self> {
        match target {
            Some(target) => Ok(Self { named_by: Field::Target, target }),
            None => Ok(Self { named_by: Field::WhatsappNumber, target: required(NUMBER, number)? }),
        }
    }

    /// Puts the channel in front of a target that names none.
    pub fn via_channel(self, channel: Option<&str>) -> Self {
        let Self { named_by, target } = self;
        let has_channel = target.contains(':') || target.to_ascii_uppercase().contains("%3A");
        match channel.filter(|_| !has_channel) {
            Some(channel) => Self { named_by, target: format!("{channel}:{target}") },
            None => Self { named_by, target },
        }
    }
}

/// Makes errors about the target name the member that held it.
pub(crate) fn about_person(named_by: Field) -> impl Fn(app::Error) -> app::Error {
    move |error| error.renamed(|field| (field == Field::Target).then_some(Step::Field(named_by)))
}

impl LegacyInput {
    /// The person in the member `target`, otherwise in `number`. An error if both are absent.
    pub fn person(&self, &[target, number]: &[&str; 2]) -> ApiResult<NamedPerson> {
        match self.text(&[target])? {
            None => NamedPerson::choose(None, self.text(&[number])?),
            target => NamedPerson::choose(target, None),
        }
    }

    /// Like `person`. If the target names no channel, the channel that the request names is put in front of it.
    pub fn person_via_channel(&self, spellings: &[&str; 2]) -> ApiResult<NamedPerson> {
        Ok(self.person(spellings)?.via_channel(self.channel()?.as_deref()))
    }

    /// The channel that the request names, if any.
    pub fn channel(&self) -> ApiResult<Option<String>> {
        self.text(&CHANNEL)
    }
}
