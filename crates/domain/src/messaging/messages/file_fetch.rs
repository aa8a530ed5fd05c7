//! Fetching the files of received messages: why one is not stored, and when the next attempt is due.

use std::time::Duration;

use crate::Timestamp;
use crate::base::named::named;

named! {
    /// Where the bytes of a file are.
    FileStore {
        Database => "database",
        Folder => "folder",
        S3 => "s3",
    }
}

named! {
    /// Why the file of a received message is not stored. `gone`: the network does not have it any more. `altered`: the
    /// bytes are not those that the network announced. `expired`: it was stored, and the time for which received files
    /// are kept is over.
    FetchFailure {
        Gone => "gone",
        Refused => "refused",
        Unavailable => "unavailable",
        Altered => "altered",
        TooLarge => "too_large",
        QuotaFull => "quota_full",
        ChannelRemoved => "channel_removed",
        Expired => "expired",
    }
}

/// Seconds before the second attempt, the third, and so on: together less than the seven days for which the network
/// keeps what people send.
const PAUSES: [i64; 12] = [2, 10, 60, 300, 1800, 7200, 21_600, 43_200, 86_400, 86_400, 86_400, 86_400];

impl FetchFailure {
    /// Whether a later attempt may succeed although people change nothing.
    pub const fn passes(self) -> bool {
        match self {
            Self::Refused | Self::Unavailable | Self::Altered => true,
            Self::Gone | Self::TooLarge | Self::QuotaFull | Self::ChannelRemoved | Self::Expired => false,
        }
    }

    /// When the next attempt is due after `attempts` failed ones. None: the file is fetched only on request. `asked` is
    /// the pause that the network asked for: it is kept, up to a day.
    pub fn next_attempt(self, attempts: u32, asked: Option<Duration>, now: Timestamp) -> Option<Timestamp> {
        if !self.passes() {
            return None;
        }
        let pause = *PAUSES.get(usize::try_from(attempts.max(1) - 1).ok()?)?;
        let asked = asked.map_or(0, |asked| i64::try_from(asked.as_secs()).unwrap_or(i64::MAX));
        Some(now.plus_seconds(pause.max(asked.min(86_400))))
    }
}

/// Whether a file of this size fits beside the bytes that are stored already.
pub const fn fits_quota(stored: u64, size: u64, quota: u64) -> bool {
    stored.saturating_add(size) <= quota
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn pause(failure: FetchFailure, attempts: u32, asked: Option<u64>) -> Option<i64> {
        let next = failure.next_attempt(attempts, asked.map(Duration::from_secs), NOW)?;
        Some(next.seconds_since(NOW))
    }

    #[test]
    fn pauses_grow_and_end_before_the_network_forgets() {
        let all: Vec<i64> = (1..100).map_while(|attempts| pause(FetchFailure::Unavailable, attempts, None)).collect();
        assert!(all.is_sorted() && all.first() == Some(&2), "{all:?}");
        assert!(all.iter().sum::<i64>() < 7 * 86_400 && all.iter().sum::<i64>() > 4 * 86_400, "{all:?}");
        assert_eq!(pause(FetchFailure::Unavailable, 0, None), Some(2));
    }

    #[test]
    fn the_network_may_ask_for_a_longer_pause() {
        assert_eq!(pause(FetchFailure::Refused, 1, Some(30)), Some(30));
        assert_eq!(pause(FetchFailure::Refused, 4, Some(30)), Some(300));
        assert_eq!(pause(FetchFailure::Refused, 1, Some(u64::MAX)), Some(86_400));
    }

    #[test]
    fn what_only_people_can_change_is_not_repeated() {
        for failure in FetchFailure::ALL {
            assert_eq!(pause(*failure, 1, None).is_some(), failure.passes(), "{failure}");
        }
        assert!(!FetchFailure::QuotaFull.passes() && !FetchFailure::Gone.passes());
    }

    #[test]
    fn a_quota_is_used_to_the_last_byte() {
        assert!(fits_quota(90, 10, 100) && !fits_quota(90, 11, 100) && !fits_quota(u64::MAX, 1, u64::MAX - 1));
    }
}
