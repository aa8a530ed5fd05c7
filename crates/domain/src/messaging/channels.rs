//! Channels: a tenant's phone numbers at a network, and the rules of a new one. A `Channel` has no secrets; those are
//! stored sealed.

use crate::people::phone::PhoneNumber;
use crate::{ChannelId, Field, FieldError, Place, Timestamp};

/// Name of the network that the sandbox simulates.
pub const SANDBOX: &str = "sandbox";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Channel {
    pub id: ChannelId,
    pub name: String,
    /// Digits only, with the country code.
    pub phone_number: String,
    /// The network's id of the number.
    pub phone_number_id: String,
    /// The network's id of the business account that the number belongs to.
    pub account_id: String,
    /// A name in the server's list of networks.
    pub network: String,
    /// Used by requests that name no channel.
    pub is_default: bool,
    pub enabled: bool,
    /// The network's last report about the number.
    pub quality: Option<Quality>,
    /// Why the network does not serve the number at present.
    pub problem: Option<ChannelProblem>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// The network's rating of a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quality {
    /// The network's word: `FLAGGED`, `UNFLAGGED`, `UPGRADE`, …
    pub event: String,
    /// `TIER_1K`, …: how many people the number may write to in a day.
    pub limit: Option<String>,
    pub at: Timestamp,
}

/// The network refuses everything that a channel sends: its access token has expired, or its number is not
/// registered. Messages wait until that is repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelProblem {
    /// The cause in words.
    pub message: String,
    /// The network's code; none when the channel cannot be used as it is stored.
    pub code: Option<i64>,
    pub since: Timestamp,
}

/// What the network said about a channel's access token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCheck {
    pub is_valid: bool,
    /// None: it does not expire, or the network does not say.
    pub expires_at: Option<Timestamp>,
    pub checked_at: Timestamp,
}

/// A channel before it is checked.
#[derive(Debug, Clone)]
pub struct NewChannel {
    pub name: String,
    pub phone_number: String,
    pub phone_number_id: String,
    pub account_id: String,
    pub network: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidChannel {
    #[error("expected 1 to {MAX_NAME} characters, not all of them digits or spaces")]
    Name,
    #[error("{0}")]
    PhoneNumber(crate::people::phone::NotAPhoneNumber),
    #[error("expected 1 to 32 digits, as the network shows it")]
    NetworkId(Field),
}

impl FieldError for InvalidChannel {
    fn place(&self) -> Place {
        match self {
            Self::Name => Field::Name.into(),
            Self::PhoneNumber(_) => Field::PhoneNumber.into(),
            Self::NetworkId(field) => (*field).into(),
        }
    }
}

const MAX_NAME: usize = 100;

impl NewChannel {
    /// The channel, which is not the default one.
    pub fn checked(self, id: ChannelId, now: Timestamp) -> Result<Channel, InvalidChannel> {
        let name = self.name.trim();
        // A target may begin with a name or a number, so a name must not look like a number.
        let has_letter = name.chars().any(|c| !c.is_ascii_digit() && !c.is_whitespace() && c != '+');
        if !has_letter || name.chars().count() > MAX_NAME || name.chars().any(char::is_control) {
            return Err(InvalidChannel::Name);
        }
        let number = PhoneNumber::parse(&self.phone_number).map_err(InvalidChannel::PhoneNumber)?;
        for (field, id) in [(Field::PhoneNumberId, &self.phone_number_id), (Field::AccountId, &self.account_id)] {
            if !(1..=32).contains(&id.len()) || !id.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(InvalidChannel::NetworkId(field));
            }
        }
        Ok(Channel {
            id,
            name: name.to_owned(),
            phone_number: number.digits().to_owned(),
            phone_number_id: self.phone_number_id,
            account_id: self.account_id,
            network: self.network,
            is_default: false,
            enabled: true,
            quality: None,
            problem: None,
            created_at: now.to_millis(),
            updated_at: now.to_millis(),
        })
    }
}

impl Channel {
    /// The form in which names are compared: two names that differ only in letter case or surrounding spaces are the
    /// same.
    pub fn name_key(name: &str) -> String {
        name.trim().to_lowercase()
    }

    /// True for the id, the name or the number of the channel.
    pub fn matches(&self, text: &str) -> bool {
        text.parse() == Ok(self.id) || self.matches_name_or_number(text)
    }

    /// True for the name or the number of the channel.
    pub fn matches_name_or_number(&self, text: &str) -> bool {
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
    fn a_channel_is_checked_member_by_member() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let check = |new: NewChannel| new.checked(Id::new(now), now);
        let channel = check(new(" Support ", "+1 (415) 555-2671", "106540352242922")).unwrap();
        assert_eq!((channel.name.as_str(), channel.phone_number.as_str()), ("Support", "14155552671"));
        for called in ["support", "SUPPORT ", "+1 415 555 2671", "14155552671"] {
            assert!(channel.matches_name_or_number(called), "{called}");
        }
        assert!(!channel.matches_name_or_number("Sales"));
        for name in ["", "  ", "14155552671", "+1 415", "a\nb", "x".repeat(101).as_str()] {
            assert_eq!(check(new(name, "14155552671", "1")), Err(InvalidChannel::Name), "{name:?}");
        }
        assert!(matches!(check(new("a", "123", "1")), Err(InvalidChannel::PhoneNumber(_))));
        assert_eq!(check(new("a", "14155552671", "../1")), Err(InvalidChannel::NetworkId(Field::PhoneNumberId)));
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn check(new: NewChannel) -> Result<Channel, InvalidChannel> {
        new.checked(Id::from_bytes([1; 12]), Timestamp::from_micros(NOW.micros() + 999))
    }

    #[test]
    fn a_name_has_a_letter_and_at_most_100_characters() {
        for good in ["x", "1st", "+a", "ä".repeat(100).as_str(), format!(" {} ", "x".repeat(100)).as_str()] {
            assert_eq!(check(new(good, "14155552671", "1")).map(|channel| channel.name), Ok(good.trim().to_owned()));
        }
        for bad in ["+", "1", "+ 1\u{a0}2", "ä".repeat(101).as_str(), "a\u{7}"] {
            assert_eq!(check(new(bad, "14155552671", "1")), Err(InvalidChannel::Name), "{bad:?}");
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
            assert_eq!(numbered(bad), Err(InvalidChannel::NetworkId(Field::PhoneNumberId)), "{bad}");
            assert_eq!(account(bad), Err(InvalidChannel::NetworkId(Field::AccountId)), "{bad}");
        }
    }

    #[test]
    fn a_new_channel_is_enabled_and_has_no_quality() {
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
    fn a_channel_matches_its_id_name_and_number() {
        let channel = check(new("Support", "14155552671", "1")).unwrap();
        assert!(
            channel.matches("010101010101010101010101") && !channel.matches_name_or_number("010101010101010101010101")
        );
        assert!(channel.matches(" SUPPORT") && channel.matches("+1 415 555-2671"));
        assert!(!channel.matches("020202020202020202020202") && !channel.matches("Sales"));
        assert!(!channel.matches("14155552672") && !channel.matches(""));
        assert_eq!(Channel::name_key("  ÄRZTE "), "ärzte");
    }
}
