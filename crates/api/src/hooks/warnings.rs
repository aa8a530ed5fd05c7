//! Limits warnings in the log to one a minute for each channel.

use std::collections::HashMap;

use domain::{ChannelId, Timestamp};
use parking_lot::Mutex;

const SECONDS_BETWEEN: i64 = 60;
/// Channels of which the last warning is kept. Further ones are not warned about until some are a minute old.
const MANY: usize = 10_000;

/// The time of the last warning, by channel.
#[derive(Debug, Default)]
pub(crate) struct Warnings(Mutex<HashMap<ChannelId, Timestamp>>);

impl Warnings {
    /// Whether to warn now: true at most once a minute for each channel.
    pub fn is_due(&self, channel: ChannelId, now: Timestamp) -> bool {
        let mut last = self.0.lock();
        // Ids of posts are not all of channels: while the database fails, they cannot be checked.
        if last.len() >= MANY {
            last.retain(|_, at| now < at.plus_seconds(SECONDS_BETWEEN));
        }
        if last.len() >= MANY && !last.contains_key(&channel) {
            return false;
        }
        let due = last.get(&channel).is_none_or(|last| now >= last.plus_seconds(SECONDS_BETWEEN));
        if due {
            last.insert(channel, now);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::Id;

    #[test]
    fn each_channel_is_warned_about_once_a_minute() {
        let warnings = Warnings::default();
        let now = Timestamp::from_seconds(1_776_000_000);
        let (one, other) = (Id::new(now), Id::new(now));
        assert!(warnings.is_due(one, now) && warnings.is_due(other, now));
        assert!(!warnings.is_due(one, now.plus_seconds(59)));
        assert!(warnings.is_due(one, now.plus_seconds(60)));
        assert!(!warnings.is_due(one, now.plus_seconds(61)));
    }

    #[test]
    fn ids_without_end_take_no_memory_without_end() {
        let warnings = Warnings::default();
        let now = Timestamp::from_seconds(1_776_000_000);
        let due = (0..MANY + 100).filter(|_| warnings.is_due(Id::new(now), now)).count();
        assert_eq!((due, warnings.0.lock().len()), (MANY, MANY));
        assert!(warnings.is_due(Id::new(now), now.plus_seconds(SECONDS_BETWEEN)));
        assert_eq!(warnings.0.lock().len(), 1);
    }
}
