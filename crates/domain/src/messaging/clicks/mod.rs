//! Clicks on tracked links: the stored part of a request, and its class. The class is a pure function of the request
//! and of earlier hits on the same link.

mod class;
mod filter;
mod link;
mod request;
mod rules;

pub use class::{ClickClass, ClickSource};
pub use filter::ClickFilter;
pub use link::{Link, PastHit, rescore};
pub use request::Request;
pub use rules::{VERSION, classify};

use crate::Timestamp;

/// The day of a time in UTC, counted from 1970.
pub const fn day(at: Timestamp) -> i64 {
    at.seconds().div_euclid(SECONDS_OF_DAY)
}

/// The first instant of a day.
pub const fn start_of_day(day: i64) -> Timestamp {
    Timestamp::from_seconds(day * SECONDS_OF_DAY)
}

const SECONDS_OF_DAY: i64 = 86_400;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_midnight() {
        for (second, number) in [(0, 0), (86_399, 0), (86_400, 1), (-1, -1), (-86_400, -1), (-86_401, -2)] {
            assert_eq!(day(Timestamp::from_seconds(second)), number, "{second}");
        }
        assert_eq!(start_of_day(2), Timestamp::from_seconds(172_800));
        let at = Timestamp::from_seconds(1_776_000_000);
        assert!(start_of_day(day(at)) <= at && at < start_of_day(day(at) + 1));
    }
}
