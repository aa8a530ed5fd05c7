//! Why a message is not sent: the code, the reason and the text that answers, recipients and the history show.

use serde::{Deserialize, Serialize};

use super::failure::MessageFailure;

/// Why no message is sent. Its code is the network's where the network has one for the same reason, else a code of
/// Switchboard below 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    InvalidTarget,
    InvalidNumber,
    UnknownContact,
    Duplicate,
    InvalidLocalId,
    BadParameters,
    OptedOut,
    Blocked,
    ContactGone,
    WindowClosed,
    Expired,
    TemplateGone,
    Unsendable,
}

impl Refusal {
    pub const fn code(self) -> i64 {
        match self {
            Self::InvalidTarget | Self::InvalidNumber => 131_009,
            Self::UnknownContact | Self::ContactGone | Self::Blocked => 131_026,
            Self::Duplicate | Self::InvalidLocalId => 100,
            Self::BadParameters => 132_000,
            Self::OptedOut => 131_050,
            Self::WindowClosed => 131_047,
            Self::Expired => 1,
            Self::TemplateGone => 132_001,
            Self::Unsendable => 2,
        }
    }

    /// The reason as a word for programs.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::InvalidTarget => "invalid_target",
            Self::InvalidNumber => "invalid_number",
            Self::UnknownContact => "unknown_contact",
            Self::Duplicate => "duplicate_recipient",
            Self::InvalidLocalId => "invalid_local_message_id",
            Self::BadParameters => "invalid_parameters",
            Self::OptedOut => "contact_opted_out",
            Self::Blocked => "contact_blocked",
            Self::ContactGone => "contact_deleted",
            Self::WindowClosed => "window_closed",
            Self::Expired => "expired",
            Self::TemplateGone => "template_unavailable",
            Self::Unsendable => "unsendable",
        }
    }

    pub const fn text(self) -> &'static str {
        match self {
            Self::InvalidTarget => "expected a phone number, a contact id or a BSUID",
            Self::InvalidNumber => "the phone number is not valid in any country",
            Self::UnknownContact => "there is no such contact",
            Self::Duplicate => "this person is already among the recipients",
            Self::InvalidLocalId => "the local message id must have 1 to 64 characters",
            Self::BadParameters => "the values do not match the template",
            Self::OptedOut => "the contact has opted out of such messages",
            Self::Blocked => "the contact is blocked",
            Self::ContactGone => "the contact was deleted",
            Self::WindowClosed => "the person has not messaged you in the last 24 hours; only a template can be sent",
            Self::Expired => "it could not be sent in time",
            Self::TemplateGone => "the template is no longer approved",
            Self::Unsendable => "the stored message cannot be sent",
        }
    }

    /// The failure as the row of a message stores it.
    pub fn failure(self) -> MessageFailure {
        let title = Some(self.reason().to_owned());
        MessageFailure { code: Some(self.code()), title, message: Some(self.text().to_owned()), details: None }
    }
}
