//! Start times of seeded calls: mostly in office hours, and in rising order, because a database is fastest at
//! appending.

use domain::Timestamp;
use rand::RngExt as _;
use rand::rngs::Xoshiro256PlusPlus;

pub const DAYS: i64 = 180;
const HOURS: i64 = DAYS * 24;
const HOUR_MILLIS: u128 = 3_600_000;
/// Number of steps in which a call's random position in its interval is drawn.
const GRAIN: u128 = 1 << 20;

/// Weight of each hour of a working day (UTC).
const WORKING_DAY: [u8; 24] = [2, 1, 1, 1, 2, 5, 14, 38, 74, 96, 100, 92, 70, 82, 95, 90, 78, 55, 34, 22, 14, 9, 6, 3];

#[derive(Debug)]
pub struct Rhythm {
    first: Timestamp,
    count: u128,
    drawn: u128,
    /// Sum of the weights of all hours; `before` is the sum of those before the current hour.
    total: u128,
    before: u128,
    hour: i64,
}

impl Rhythm {
    /// Start times of `count` calls in the `DAYS` before `end`.
    pub fn new(end: Timestamp, count: u64) -> Self {
        let first = end.plus_seconds(-HOURS * 3600);
        let total = (0..HOURS).map(|hour| weight(first, hour)).sum();
        Self { first, count: u128::from(count.max(1)), drawn: 0, total, before: 0, hour: 0 }
    }

    /// The next start time: a random one in the next of `count` equal parts of the total weight.
    pub fn next(&mut self, rng: &mut Xoshiro256PlusPlus) -> Timestamp {
        let place = self.drawn * GRAIN + rng.random_range(0..GRAIN);
        self.drawn += 1;
        let target = self.total * place / (self.count * GRAIN);
        let mut here = weight(self.first, self.hour);
        while self.before + here <= target && self.hour < HOURS - 1 {
            self.before += here;
            self.hour += 1;
            here = weight(self.first, self.hour);
        }
        let within = (target - self.before) * HOUR_MILLIS / here;
        let millis = i64::try_from(within).unwrap_or(0);
        Timestamp::from_micros(self.first.micros() + self.hour * 3_600_000_000 + millis * 1000).to_millis()
    }
}

/// Weight of an hour after `first`, in millionths of the numbers of `WORKING_DAY`, for precision within the hour; a
/// quarter of it on weekends.
fn weight(first: Timestamp, hour: i64) -> u128 {
    let hours = first.seconds().div_euclid(3600) + hour;
    let of_day = usize::try_from(hours.rem_euclid(24)).unwrap_or(0);
    let busy = u128::from(WORKING_DAY.get(of_day).copied().unwrap_or(1));
    // 1970 began on a Thursday: days 2 and 3 were a weekend.
    let weekend = matches!(hours.div_euclid(24).rem_euclid(7), 2 | 3);
    if weekend { busy * 250_000 } else { busy * 1_000_000 }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn instants_rise_stay_in_their_days_and_keep_office_hours() {
        let end = Timestamp::from_seconds(1_776_000_000);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut rhythm = Rhythm::new(end, 20_000);
        let times: Vec<Timestamp> = (0..20_000).map(|_| rhythm.next(&mut rng)).collect();
        assert!(times.is_sorted());
        assert!(times[0] >= end.plus_seconds(-DAYS * 86_400) && times[19_999] < end);
        let (open, all) =
            (times.iter().filter(|at| (7..19).contains(&(at.seconds() / 3600 % 24))).count(), times.len());
        assert!(open * 100 / all > 85, "{open} of {all}");
    }
}
