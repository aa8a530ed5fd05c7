//! Channels: the numbers over which a tenant talks to people, and what must hold of one. Secrets are kept apart, sealed;
//! a `Channel` never holds them.

use std::borrow::Cow;

use crate::phone::PhoneNumber;
use crate::{ChannelId, MemberError, Timestamp};

/// The network that our own sandbox plays.
pub const SANDBOX: &str = "sandbox";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    pub id: ChannelId,
    pub name: String,
    /// Digits, as people dial it.
    pub phone_number: String,
    /// The network's id of the number.
    pub phone_number_id: String,
    /// The network's id of the business account that the number belongs to.
    pub account_id: String,
    /// A name in the server's list of networks.
    pub network: String,
    /// The one that is meant when nobody names one.
    pub is_default: bool,
    pub enabled: bool,
    /// What the network last said of the number.
    pub quality: Option<Quality>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The network's opinion of a number, as of when it was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quality {
    /// `FLAGGED`, `UNFLAGGED`, `UPGRADE`, …: the network's own word.
    pub event: String,
    /// `TIER_1K`, …: how many people it lets the number write to in a day.
    pub limit: Option<String>,
    pub at: Timestamp,
}

/// What somebody who adds a channel says of it.
#[derive(Debug, Clone)]
pub struct NewChannel {
    pub name: String,
    pub phone_number: String,
    pub phone_number_id: String,
    pub account_id: String,
    pub network: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    #[error("expected 1 to {MAX_NAME} characters, not all of them digits or spaces")]
    Name,
    #[error("{0}")]
    PhoneNumber(crate::phone::NotAPhoneNumber),
    #[error("expected 1 to 32 digits, as the network shows it")]
    NetworkId(&'static str),
}

impl MemberError for Unfit {
    fn member(&self) -> Cow<'static, str> {
        match self {
            Self::Name => "name".into(),
            Self::PhoneNumber(_) => "phone_number".into(),
            Self::NetworkId(member) => (*member).into(),
        }
    }
}

const MAX_NAME: usize = 100;

impl NewChannel {
    pub fn checked(self, id: ChannelId, is_default: bool, now: Timestamp) -> Result<Channel, Unfit> {
        let name = self.name.trim();
        // A name of digits could not be told from a number in a target.
        let telling = name.chars().any(|c| !c.is_ascii_digit() && !c.is_whitespace() && c != '+');
        if !telling || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(Unfit::Name);
        }
        let number = PhoneNumber::parse(&self.phone_number).map_err(Unfit::PhoneNumber)?;
        for (member, id) in [("phone_number_id", &self.phone_number_id), ("account_id", &self.account_id)] {
            if !(1..=32).contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(Unfit::NetworkId(member));
            }
        }
        Ok(Channel {
            id,
            name: name.to_owned(),
            phone_number: number.digits().to_owned(),
            phone_number_id: self.phone_number_id,
            account_id: self.account_id,
            network: self.network,
            is_default,
            enabled: true,
            quality: None,
            created_at: now.to_millis(),
            updated_at: now.to_millis(),
        })
    }
}

impl Channel {
    /// Names are told apart without regard to letter case.
    pub fn name_key(name: &str) -> String {
        name.trim().to_lowercase()
    }

    /// By its id, its name or its number.
    pub fn is_meant(&self, text: &str) -> bool {
        text.parse() == Ok(self.id) || self.is_called(text)
    }

    /// Does a caller mean this one? By its name or its number.
    pub fn is_called(&self, text: &str) -> bool {
        Self::name_key(&self.name) == Self::name_key(text)
            || PhoneNumber::spelled(text).is_some_and(|digits| digits == self.phone_number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn new(name: &str, phone_number: &str, phone_number_id: &str) -> NewChannel {
        NewChannel {
            name: name.to_owned(),
            phone_number: phone_number.to_owned(),
            phone_number_id: phone_number_id.to_owned(),
            account_id: "102290129340398".to_owned(),
            network: "whatsapp".to_owned(),
        }
    }

    #[test]
    fn what_a_channel_must_be() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let check = |new: NewChannel| new.checked(Id::new(now), true, now);
        let channel = check(new(" Support ", "+1 (415) 555-2671", "106540352242922")).unwrap();
        assert_eq!((channel.name.as_str(), channel.phone_number.as_str()), ("Support", "14155552671"));
        for called in ["support", "SUPPORT ", "+1 415 555 2671", "14155552671"] {
            assert!(channel.is_called(called), "{called}");
        }
        assert!(!channel.is_called("Sales"));
        for name in ["", "  ", "14155552671", "+1 415", "a\nb", "x".repeat(101).as_str()] {
            assert_eq!(check(new(name, "14155552671", "1")), Err(Unfit::Name), "{name:?}");
        }
        assert!(matches!(check(new("a", "123", "1")), Err(Unfit::PhoneNumber(_))));
        assert_eq!(check(new("a", "14155552671", "../1")), Err(Unfit::NetworkId("phone_number_id")));
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn check(new: NewChannel) -> Result<Channel, Unfit> {
        new.checked(Id::from_bytes([1; 12]), false, Timestamp::from_micros(NOW.micros() + 999))
    }

    #[test]
    fn a_name_has_a_letter_and_at_most_100_characters() {
        for good in ["x", "1st", "+a", "ä".repeat(100).as_str(), format!(" {} ", "x".repeat(100)).as_str()] {
            assert_eq!(check(new(good, "14155552671", "1")).map(|channel| channel.name), Ok(good.trim().to_owned()));
        }
        for bad in ["+", "1", "+ 1\u{a0}2", "ä".repeat(101).as_str(), "a\u{7}"] {
            assert_eq!(check(new(bad, "14155552671", "1")), Err(Unfit::Name), "{bad:?}");
        }
    }

    #[test]
    fn ids_of_the_network_are_1_to_32_digits() {
        let numbered = |id: &str| check(new("a", "14155552671", id)).map(drop);
        let account =
            |id: &str| check(NewChannel { account_id: id.to_owned(), ..new("a", "14155552671", "1") }).map(drop);
        for good in ["1", "1".repeat(32).as_str()] {
            assert_eq!((numbered(good), account(good)), (Ok(()), Ok(())), "{good}");
        }
        for bad in ["", "1".repeat(33).as_str(), "1a", " 1", "１"] {
            assert_eq!(numbered(bad), Err(Unfit::NetworkId("phone_number_id")), "{bad}");
            assert_eq!(account(bad), Err(Unfit::NetworkId("account_id")), "{bad}");
        }
    }

    #[test]
    fn a_new_channel_is_enabled_and_nothing_is_known_of_its_quality() {
        let channel = check(new("a", "14155552671", "106540352242922")).unwrap();
        assert!(channel.enabled && !channel.is_default && channel.quality.is_none());
        assert_eq!((channel.id, channel.network.as_str()), (Id::from_bytes([1; 12]), "whatsapp"));
        assert_eq!(
            (channel.phone_number_id.as_str(), channel.account_id.as_str()),
            ("106540352242922", "102290129340398")
        );
        assert_eq!((channel.created_at, channel.updated_at), (NOW, NOW), "cut to milliseconds");
    }

    #[test]
    fn a_channel_is_meant_by_its_id_too() {
        let channel = check(new("Support", "14155552671", "1")).unwrap();
        assert!(channel.is_meant("010101010101010101010101") && !channel.is_called("010101010101010101010101"));
        assert!(channel.is_meant(" SUPPORT") && channel.is_meant("+1 415 555-2671"));
        assert!(!channel.is_meant("020202020202020202020202") && !channel.is_meant("Sales"));
        assert!(!channel.is_meant("14155552672") && !channel.is_meant(""));
        assert_eq!(Channel::name_key("  ÄRZTE "), "ärzte");
    }
}
