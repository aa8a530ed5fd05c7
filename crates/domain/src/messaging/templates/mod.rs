//! Templates: messages that the network reviews before they are sent. Their rules, their parameters, and their text
//! when filled in. This module knows neither the network's JSON nor the API's.

mod buttons;
mod cards;
mod check;
mod content;
mod fill;
mod filter;
mod history;
pub mod languages;
mod links;
mod media_checks;
mod naming;
mod new;
mod parameters;
mod problem;
mod problems;
mod samples;
pub mod text;
mod text_checks;
mod values;

pub use content::{Action, Authentication, Button, Card, Content, Header, Media, MediaKind, Offer, card_parameter};
pub use fill::{ButtonValue, Filled, FilledButton, FilledHeader, FilledLocation, FilledPart, FilledValue};
pub use filter::TemplateFilter;
pub use history::{TemplateChange, TemplateChangeKind};
pub use links::{check_link, fill_url};
pub use naming::{COPY_CODE, HEADER_LINK, Naming, card_header};
pub use new::{CheckedTemplate, NewButton, NewCard, NewHeader, NewOffer, NewTemplate};
pub use parameters::TemplateParameter;
pub use problem::MemberProblem;
pub use samples::{HeaderSample, SampleProblem, SampleSource};

use crate::base::named::named;
use crate::messaging::messages::Urgency;
use crate::{ChannelId, TemplateId, Timestamp};

named! {
    /// The purpose of a template. It decides the urgency of its messages.
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
    /// Ordered: of two verdicts with the same time the later one in this list is kept.
    TemplateStatus {
        Draft => "DRAFT",
        Pending => "PENDING",
        Approved => "APPROVED",
        Paused => "PAUSED",
        Rejected => "REJECTED",
        Disabled => "DISABLED",
        Deleted => "DELETED",
    }
}

impl TemplateStatus {
    /// The number of the status in events.
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

    /// Parses the network's word for a verdict or a status. None for one that changes no status, such as a warning.
    pub fn from_network(word: &str) -> Option<Self> {
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
    /// The network's id of its business account.
    pub account_id: String,
    /// The channel through which it was created or found.
    pub channel_id: ChannelId,
    pub name: String,
    pub language: String,
    pub category: Category,
    pub status: TemplateStatus,
    /// The network's rating by people's reactions: `GREEN`, `YELLOW`, `RED`, `UNKNOWN`.
    pub quality: Option<String>,
    /// Why the network rejected it.
    pub reason: Option<String>,
    pub network_id: Option<String>,
    pub content: Content,
    /// `API`, `WEB`, or `NETWORK` for one created elsewhere.
    pub origin: String,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Time of the network's last verdict; 1970 before the first.
    pub reported_at: Timestamp,
    pub deleted_at: Option<Timestamp>,
}

impl Template {
    /// True when the network accepts messages with it now.
    pub fn is_usable(&self) -> bool {
        self.status == TemplateStatus::Approved
    }

    /// Applies a verdict and returns true, unless a later verdict was applied.
    pub fn apply_verdict(&mut self, status: TemplateStatus, reason: Option<&str>, at: Timestamp) -> bool {
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
        let codes: Vec<i64> = TemplateStatus::ALL.iter().map(|status| status.code()).collect();
        assert_eq!(codes, [0, 1, 2, 7, 3, 6, 4]);
        assert_eq!(Category::Authentication.urgency(), Urgency::Authentication);
    }

    #[test]
    fn the_words_of_the_network() {
        assert_eq!(TemplateStatus::from_network("approved"), Some(TemplateStatus::Approved));
        assert_eq!(TemplateStatus::from_network("REINSTATED"), Some(TemplateStatus::Approved));
        assert_eq!(TemplateStatus::from_network("PENDING_DELETION"), Some(TemplateStatus::Deleted));
        assert_eq!(TemplateStatus::from_network("FLAGGED"), None);
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn template(status: TemplateStatus) -> Template {
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
            (vec!["APPROVED", "REINSTATED", "UNPAUSED"], TemplateStatus::Approved),
            (vec!["PENDING", "IN_APPEAL"], TemplateStatus::Pending),
            (vec!["REJECTED"], TemplateStatus::Rejected),
            (vec!["PAUSED", "LIMIT_EXCEEDED"], TemplateStatus::Paused),
            (vec!["DISABLED", "LOCKED"], TemplateStatus::Disabled),
            (vec!["DELETED", "PENDING_DELETION"], TemplateStatus::Deleted),
        ] {
            for word in words {
                assert_eq!(TemplateStatus::from_network(&word.to_lowercase()), Some(status), "{word}");
            }
        }
    }

    #[test]
    fn only_an_approved_template_can_be_sent() {
        for status in TemplateStatus::ALL {
            assert_eq!(template(*status).is_usable(), *status == TemplateStatus::Approved, "{status}");
        }
    }

    #[test]
    fn the_later_verdict_is_kept_and_of_two_at_once_the_graver() {
        for (second, status, newer) in [
            (1, TemplateStatus::Pending, true),
            (0, TemplateStatus::Paused, true),
            (0, TemplateStatus::Approved, false),
            (0, TemplateStatus::Pending, false),
            (-1, TemplateStatus::Deleted, false),
        ] {
            let mut one = template(TemplateStatus::Approved);
            let at = NOW.plus_seconds(second);
            assert_eq!(one.apply_verdict(status, None, at), newer, "{status} at {second}");
            let (expected, reason) =
                if newer { ((status, at), None) } else { ((TemplateStatus::Approved, NOW), Some("old")) };
            assert_eq!(
                ((one.status, one.reported_at), one.reason.as_deref()),
                (expected, reason),
                "{status} at {second}"
            );
        }
    }
}
