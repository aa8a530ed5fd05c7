//! Messages and their states. A report about a message moves its state forward or not at all: the same reports end in
//! the same state in every order, and repeated reports change nothing.

mod consent;
mod data;
mod failure;
mod file_fetch;
pub mod files;
mod history_range;
pub mod interactive;
pub mod local_id;
mod message;
mod operator;
mod params;
mod refusal;
pub mod retry;
pub mod search;
mod urgency;

pub use consent::ContactPermissions;
pub use data::structured_data;
pub use failure::MessageFailure;
pub use file_fetch::{FetchFailure, FileStore, fits_quota};
pub use history_range::HistoryRange;
pub use message::Message;
pub use operator::{MessageOperator, MessageSource};
pub use params::TemplateParams;
pub use refusal::Refusal;
pub use urgency::Urgency;

/// Most characters of a text message.
pub const MAX_TEXT: usize = 4096;

/// Checks the text of a text message.
pub fn check_text(text: &str) -> Result<(), String> {
    match text.chars().count() {
        _ if text.trim().is_empty() => Err("is empty".to_owned()),
        long if long > MAX_TEXT => Err(format!("{long} characters, at most {MAX_TEXT}")),
        _ => Ok(()),
    }
}

/// Most characters of an emoji: several code points can make one sign, such as a family.
const MAX_EMOJI: usize = 16;

/// Checks the emoji of a reaction; an empty one removes the reaction.
pub fn check_emoji(emoji: &str) -> Result<(), &'static str> {
    let is_sign = |c: char| !c.is_alphanumeric() && !c.is_whitespace() && !c.is_control();
    // Key caps such as 1️⃣ begin with a digit, which is no emoji by itself.
    let is_key_cap = emoji.ends_with('\u{20e3}');
    if emoji.chars().count() <= MAX_EMOJI && (is_key_cap || emoji.chars().all(is_sign)) {
        return Ok(());
    }
    Err("expected one emoji, or an empty text to remove the reaction")
}

use crate::base::named::named;

named! {
    /// The state of a message. The order of the variants counts: a report never replaces a state by an earlier one.
    ///
    /// `unknown`: the network may have accepted the message while its answer was lost; an answer or a status resolves
    /// it. A late `sent` does not replace `failed`, but `delivered` does. A `stopped` message was never sent.
    MessageState {
        Accepted => "accepted",
        Queued => "queued",
        Submitted => "submitted",
        Unknown => "unknown",
        Sent => "sent",
        Stopped => "stopped",
        Expired => "expired",
        Failed => "failed",
        Delivered => "delivered",
        Read => "read",
        Replied => "replied",
    }
}

named! {
    /// What a row of a conversation's history is: a message, a change of the ticket, a message of a broadcast, or a
    /// note.
    HistoryKind { Message => "message", Ticket => "ticket", Broadcast => "broadcast", Note => "note" }
}

named! {
    /// `inbound` is from a person to the business.
    MessageDirection { Inbound => "inbound", Outbound => "outbound" }
}

impl MessageState {
    /// States of messages that are still to be sent, and may be stopped.
    pub const WAITING: [Self; 2] = [Self::Accepted, Self::Queued];
    /// States of messages that were not sent, or not yet: they wait for their scheduled time, or were stopped.
    pub const NEVER_LEFT: [Self; 2] = [Self::Accepted, Self::Stopped];
    /// States of messages about which the network has reported nothing yet.
    pub const UNREPORTED: [Self; 4] = [Self::Accepted, Self::Queued, Self::Submitted, Self::Unknown];
    /// The state of a received message.
    pub const RECEIVED: Self = Self::Delivered;

    pub const fn rank(self) -> i64 {
        self as i64
    }

    /// The state after a report: the reported one if it is further.
    #[must_use]
    pub const fn advanced(self, reported: Self) -> Self {
        if reported as u8 > self as u8 { reported } else { self }
    }

    /// The state after the network's answer that it accepted the message. Ends `unknown`.
    #[must_use]
    pub fn answered(self) -> Self {
        if Self::UNREPORTED.contains(&self) { Self::Submitted } else { self }
    }

    /// Whether the message is still to be sent and may be stopped.
    pub fn is_waiting(self) -> bool {
        Self::WAITING.contains(&self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_in_any_order_end_in_the_same_state() {
        for first in MessageState::ALL {
            for second in MessageState::ALL {
                assert_eq!(first.advanced(*second), second.advanced(*first));
                assert!(first.advanced(*second).rank() >= first.rank());
            }
        }
    }

    #[test]
    fn a_late_sent_does_not_clear_a_failure_but_an_arrival_does() {
        assert_eq!(MessageState::Failed.advanced(MessageState::Sent), MessageState::Failed);
        assert_eq!(MessageState::Failed.advanced(MessageState::Delivered), MessageState::Delivered);
        assert_eq!(MessageState::Unknown.advanced(MessageState::Sent), MessageState::Sent);
        assert_eq!(MessageState::Read.advanced(MessageState::Failed), MessageState::Read);
    }

    #[test]
    fn a_text_has_1_to_4096_characters_that_are_not_all_blank() {
        assert_eq!((check_text("x"), check_text(&"ä".repeat(4096))), (Ok(()), Ok(())));
        assert_eq!((check_text(""), check_text(" \n")), (Err("is empty".into()), Err("is empty".into())));
        assert_eq!(check_text(&"ä".repeat(4097)), Err("4097 characters, at most 4096".into()));
    }

    #[test]
    fn a_reaction_is_an_emoji_or_nothing() {
        for emoji in ["", "\u{1f44d}", "\u{1f44d}\u{1f3fd}", "\u{2764}\u{fe0f}", "1\u{fe0f}\u{20e3}"] {
            assert_eq!(check_emoji(emoji), Ok(()), "{emoji}");
        }
        for text in ["a", "ok", "1", " ", "\u{1f44d} !", &"\u{1f44d}".repeat(17)] {
            assert!(check_emoji(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_later_state_replaces_an_earlier_one_and_never_the_other_way_round() {
        for (place, state) in MessageState::ALL.iter().enumerate() {
            assert_eq!(state.rank(), i64::try_from(place).unwrap());
            for reported in MessageState::ALL {
                let expected = if reported.rank() > state.rank() { reported } else { state };
                assert_eq!(state.advanced(*reported), *expected, "{state} {reported}");
            }
        }
    }

    #[test]
    fn the_answer_of_the_network_ends_all_doubt_and_undoes_nothing_that_is_known() {
        for state in MessageState::ALL {
            let open = matches!(
                state,
                MessageState::Accepted | MessageState::Queued | MessageState::Submitted | MessageState::Unknown
            );
            assert_eq!(state.answered(), if open { MessageState::Submitted } else { *state }, "{state}");
            assert_eq!(state.is_waiting(), matches!(state, MessageState::Accepted | MessageState::Queued), "{state}");
        }
        assert_eq!(MessageState::RECEIVED, MessageState::Delivered);
    }
}
