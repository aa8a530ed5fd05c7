//! Targets: the forms in which a request names a person, recognized by their shape.

use crate::TargetId;
use crate::people::bsuid::Bsuid;
use crate::people::phone::PhoneNumber;

/// `[channel:]` and a phone number, a contact id or a BSUID.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Name or number of a channel.
    pub channel: Option<String>,
    pub person: TargetRef,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum TargetRef {
    Id(TargetId),
    /// Digits in their normalized spelling. Validity is checked only when a contact is created from it.
    Phone(String),
    Bsuid(Bsuid),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotATarget {
    #[error(
        "expected a phone number (14155552671), a contact id (24 hex digits) or a BSUID (US.13491208655302741918), optionally after a channel (MyChannel:14155552671)"
    )]
    Shape,
    #[error("expected a channel name or number before the colon")]
    Channel,
}

impl Target {
    /// Parses a target. Also accepts a colon that was percent-encoded twice.
    pub fn parse(text: &str) -> Result<Self, NotATarget> {
        let text = text.replace("%3A", ":").replace("%3a", ":");
        // Names of channels may contain colons, the other forms do not: the last colon separates them.
        match text.rsplit_once(':') {
            Some((channel, _)) if channel.trim().is_empty() => Err(NotATarget::Channel),
            Some((channel, person)) => {
                Ok(Self { channel: Some(channel.trim().to_owned()), person: TargetRef::parse(person)? })
            }
            None => Ok(Self { channel: None, person: TargetRef::parse(&text)? }),
        }
    }
}

impl TargetRef {
    fn parse(text: &str) -> Result<Self, NotATarget> {
        let text = text.trim();
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        if let Ok(bsuid) = text.parse() {
            return Ok(Self::Bsuid(bsuid));
        }
        PhoneNumber::spelled(text).map(Self::Phone).ok_or(NotATarget::Shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_recognized_by_shape() {
        let person = |text: &str| Target::parse(text).map(|target| target.person);
        assert!(matches!(person("507f1f77bcf86cd799439011"), Ok(TargetRef::Id(_))));
        assert!(matches!(person("US.13491208655302741918"), Ok(TargetRef::Bsuid(_))));
        assert!(matches!(person("+1 (415) 555-2671"), Ok(TargetRef::Phone(_))));
        assert_eq!(person("551187654321"), person("5511987654321"));
        for (text, channel) in [
            ("MyChannel:14155552671", "MyChannel"),
            ("85264318722:US.1231", "85264318722"),
            ("a:b:US.1", "a:b"),
            ("c%3AUS.1", "c"),
        ] {
            assert_eq!(Target::parse(text).unwrap().channel.as_deref(), Some(channel));
        }
        for bad in ["", "ada", ":14155552671", "MyChannel:", "507F1f77bcf86cd799439011", "us.1"] {
            assert!(Target::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn the_channel_is_what_stands_before_the_last_colon() {
        let parse = |text: &str| Target::parse(text).map(|target| (target.channel, target.person));
        let person = || TargetRef::Phone("14155552671".to_owned());
        assert_eq!(parse("14155552671"), Ok((None, person())));
        assert_eq!(parse(" Sales : +1 415 555 2671 "), Ok((Some("Sales".to_owned()), person())), "spaces do not count");
        assert_eq!(parse("a%3a14155552671"), Ok((Some("a".to_owned()), person())));
        assert_eq!(parse(" :14155552671"), Err(NotATarget::Channel));
        assert_eq!(parse("Sales:ada"), Err(NotATarget::Shape));
        assert_eq!(parse("ada"), Err(NotATarget::Shape));
    }
}
