//! Messages: the states that one goes through. A report about a message moves it forward or not at all, so the same
//! reports end in the same state, whatever their order and repeats.

use crate::named::named;

named! {
    /// In the order of what is known: a later one is never replaced by an earlier one.
    ///
    /// `unknown` is a message that the network may have taken while its answer was lost: a status resolves it. `failed`
    /// is not cleared by a late `sent`; that it arrived after all is.
    State {
        Accepted => "accepted",
        Queued => "queued",
        Submitted => "submitted",
        Unknown => "unknown",
        Sent => "sent",
        Expired => "expired",
        Failed => "failed",
        Delivered => "delivered",
        Read => "read",
    }
}

named! {
    /// Who wrote: `inbound` is a person to the business.
    Direction { Inbound => "inbound", Outbound => "outbound" }
}

impl State {
    pub const fn rank(self) -> i64 {
        self as i64
    }

    /// The state after a report.
    #[must_use]
    pub const fn advanced(self, reported: Self) -> Self {
        if reported as u8 > self as u8 { reported } else { self }
    }

    /// A person's own message is as far as it gets when it is here.
    pub const RECEIVED: Self = Self::Delivered;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_in_any_order_end_in_the_same_state() {
        for first in State::ALL {
            for second in State::ALL {
                assert_eq!(first.advanced(*second), second.advanced(*first));
                assert!(first.advanced(*second).rank() >= first.rank());
            }
        }
    }

    #[test]
    fn a_late_sent_does_not_clear_a_failure_but_an_arrival_does() {
        assert_eq!(State::Failed.advanced(State::Sent), State::Failed);
        assert_eq!(State::Failed.advanced(State::Delivered), State::Delivered);
        assert_eq!(State::Unknown.advanced(State::Sent), State::Sent);
        assert_eq!(State::Read.advanced(State::Failed), State::Read);
    }
}
