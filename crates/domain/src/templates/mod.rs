//! Templates: messages that the network has read beforehand. What one may be, which values it asks for, and what a person
//! reads when it is filled in. Knows neither the network's JSON nor ours.

mod asked;
mod buttons;
mod cards;
mod check;
mod content;
mod fill;
mod filter;
mod flaw;
mod given;
pub mod languages;
mod links;
mod naming;
mod new;
pub mod text;

pub use asked::Asked;
pub use content::{Action, Authentication, Button, Card, Content, Header, Media, MediaKind, Offer, card_parameter};
pub use fill::{ButtonValue, Filled, FilledButton, FilledHeader, FilledPart, Given, Place};
pub use filter::TemplateFilter;
pub use flaw::Flaw;
pub use links::{address, check as check_link};
pub use naming::{COPY_CODE, HEADER_LINK, Naming, card_header};
pub use new::{Checked, NewButton, NewCard, NewHeader, NewOffer, NewTemplate};

use crate::messages::Urgency;
use crate::named::named;
use crate::{ChannelId, TemplateId, Timestamp};

named! {
    /// What a template is for. It decides how urgent the message is.
    Category { Marketing => "MARKETING", Utility => "UTILITY", Authentication => "AUTHENTICATION" }
}

impl Category {
    pub const fn urgency(self) -> Urgency {
        match self {
            Self::Marketing => Urgency::Marketing,
            Self::Utility => Urgency::Utility,
            Self::Authentication => Urgency::Authentication,
        }
    }
}

named! {
    /// In the order of what is told: of two verdicts of the same moment the later one here stands.
    Status {
        Draft => "DRAFT",
        Pending => "PENDING",
        Approved => "APPROVED",
        Paused => "PAUSED",
        Rejected => "REJECTED",
        Disabled => "DISABLED",
        Deleted => "DELETED",
    }
}

impl Status {
    /// The number that events carry.
    pub const fn code(self) -> i64 {
        match self {
            Self::Draft => 0,
            Self::Pending => 1,
            Self::Approved => 2,
            Self::Rejected => 3,
            Self::Deleted => 4,
            Self::Disabled => 6,
            Self::Paused => 7,
        }
    }

    /// The network's word for what happened to a template, or how it stands. None for what changes nothing that we show,
    /// such as a warning.
    pub fn of_network(word: &str) -> Option<Self> {
        Some(match word.to_ascii_uppercase().as_str() {
            "APPROVED" | "REINSTATED" | "UNPAUSED" => Self::Approved,
            "PENDING" | "IN_APPEAL" => Self::Pending,
            "REJECTED" => Self::Rejected,
            "PAUSED" | "LIMIT_EXCEEDED" => Self::Paused,
            "DISABLED" | "LOCKED" => Self::Disabled,
            "DELETED" | "PENDING_DELETION" => Self::Deleted,
            _ => return None,
        })
    }

    const fn rank(self) -> u8 {
        self as u8
    }
}

/// One template in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    pub id: TemplateId,
    /// The network's id of the business account that has it.
    pub account_id: String,
    /// The channel over which it was made, or found.
    pub channel_id: ChannelId,
    pub name: String,
    pub language: String,
    pub category: Category,
    pub status: Status,
    /// `GREEN`, `YELLOW`, `RED`, `UNKNOWN`: what the network makes of people's reactions.
    pub quality: Option<String>,
    /// Why the network does not want it.
    pub reason: Option<String>,
    pub network_id: Option<String>,
    pub content: Content,
    /// Who made it: `API`, `WEB`, or `NETWORK` when it was made elsewhere.
    pub origin: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// When the network last told how it stands; 1970 while it has not.
    pub reported_at: Timestamp,
    pub deleted_at: Option<Timestamp>,
}

impl Template {
    /// Does the network take messages with it at the moment?
    pub fn is_usable(&self) -> bool {
        self.status == Status::Approved
    }

    /// How it stands, as told at that moment. False when something later was told: then that stays.
    pub fn told(&mut self, status: Status, reason: Option<&str>, at: Timestamp) -> bool {
        let newer = at > self.reported_at || (at == self.reported_at && status.rank() > self.status.rank());
        if !newer {
            return false;
        }
        (self.status, self.reason, self.reported_at) = (status, reason.map(str::to_owned), at);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn every_status_has_its_number() {
        let codes: Vec<i64> = Status::ALL.iter().map(|status| status.code()).collect();
        assert_eq!(codes, [0, 1, 2, 7, 3, 6, 4]);
        assert_eq!(Category::Authentication.urgency(), Urgency::Authentication);
    }

    #[test]
    fn the_words_of_the_network() {
        assert_eq!(Status::of_network("approved"), Some(Status::Approved));
        assert_eq!(Status::of_network("REINSTATED"), Some(Status::Approved));
        assert_eq!(Status::of_network("PENDING_DELETION"), Some(Status::Deleted));
        assert_eq!(Status::of_network("FLAGGED"), None);
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn template(status: Status) -> Template {
        Template {
            id: Id::from_bytes([1; 12]),
            account_id: "1".into(),
            channel_id: Id::from_bytes([2; 12]),
            name: "offer".into(),
            language: "en".into(),
            category: Category::Utility,
            status,
            quality: None,
            reason: Some("old".into()),
            network_id: None,
            content: Content::default(),
            origin: "API".into(),
            created_at: NOW,
            updated_at: NOW,
            reported_at: NOW,
            deleted_at: None,
        }
    }

    #[test]
    fn the_category_decides_how_urgent_a_message_is() {
        for (category, urgency) in [
            (Category::Marketing, Urgency::Marketing),
            (Category::Utility, Urgency::Utility),
            (Category::Authentication, Urgency::Authentication),
        ] {
            assert_eq!(category.urgency(), urgency);
        }
    }

    #[test]
    fn every_word_of_the_network_has_its_status() {
        for (words, status) in [
            (vec!["APPROVED", "REINSTATED", "UNPAUSED"], Status::Approved),
            (vec!["PENDING", "IN_APPEAL"], Status::Pending),
            (vec!["REJECTED"], Status::Rejected),
            (vec!["PAUSED", "LIMIT_EXCEEDED"], Status::Paused),
            (vec!["DISABLED", "LOCKED"], Status::Disabled),
            (vec!["DELETED", "PENDING_DELETION"], Status::Deleted),
        ] {
            for word in words {
                assert_eq!(Status::of_network(&word.to_lowercase()), Some(status), "{word}");
            }
        }
    }

    #[test]
    fn only_an_approved_template_can_be_sent() {
        for status in Status::ALL {
            assert_eq!(template(*status).is_usable(), *status == Status::Approved, "{status}");
        }
    }

    #[test]
    fn a_later_verdict_stands_and_of_two_at_once_the_graver() {
        for (second, status, newer) in [
            (1, Status::Pending, true),
            (0, Status::Paused, true),
            (0, Status::Approved, false),
            (0, Status::Pending, false),
            (-1, Status::Deleted, false),
        ] {
            let mut one = template(Status::Approved);
            let at = NOW.plus_seconds(second);
            assert_eq!(one.told(status, None, at), newer, "{status} at {second}");
            let (expected, reason) = if newer { ((status, at), None) } else { ((Status::Approved, NOW), Some("old")) };
            assert_eq!(
                ((one.status, one.reported_at), one.reason.as_deref()),
                (expected, reason),
                "{status} at {second}"
            );
        }
    }
}
