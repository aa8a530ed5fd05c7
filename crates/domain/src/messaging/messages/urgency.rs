//! The urgency of a message: which messages leave first under the limits, and when a message expires.

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// In the order of leaving: a person waits for a code or an answer, and not for an offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Urgency {
    Authentication,
    Service,
    Utility,
    Marketing,
}

impl Urgency {
    pub const ALL: [Self; 4] = [Self::Authentication, Self::Service, Self::Utility, Self::Marketing];

    pub const fn rank(self) -> i64 {
        self as i64
    }

    pub fn ranked(rank: i64) -> Option<Self> {
        Self::ALL.into_iter().find(|urgency| urgency.rank() == rank)
    }

    /// When a message that is due at `due` expires. A free message also expires with its window.
    pub const fn expires(self, due: Timestamp) -> Timestamp {
        match self {
            Self::Authentication => due.plus_seconds(10 * 60),
            Self::Service => due.plus_seconds(24 * 60 * 60),
            // As long as the network itself tries to deliver.
            Self::Utility | Self::Marketing => due.plus_seconds(30 * 24 * 60 * 60),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_leave_first_and_expire_first() {
        let due = Timestamp::from_seconds(1_776_000_000);
        for (rank, (urgency, minutes)) in (0..).zip([
            (Urgency::Authentication, 10),
            (Urgency::Service, 24 * 60),
            (Urgency::Utility, 30 * 24 * 60),
            (Urgency::Marketing, 30 * 24 * 60),
        ]) {
            assert_eq!((urgency.rank(), Urgency::ranked(rank)), (rank, Some(urgency)));
            assert_eq!(urgency.expires(due), due.plus_seconds(minutes * 60), "{urgency:?}");
        }
        assert_eq!((Urgency::ranked(-1), Urgency::ranked(4)), (None, None));
    }
}
