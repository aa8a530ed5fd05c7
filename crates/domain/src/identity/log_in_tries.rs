//! How many tries a log-in gets: counts of tries and the growing pauses between them.
//!
//! Every try is counted before the password is looked at, so that parallel guesses count. It is counted three times:
//! for the account from one network, for the network, and for the account from everywhere. A log-in that succeeds gets
//! its try back, and sets the first count to zero. A network from which the account has logged in before is not held up
//! by the third count, so that guesses from elsewhere cannot lock the owner out.

use crate::Timestamp;

/// Tries before the first pause.
const FREE_OF_ACCOUNT_AND_NETWORK: i64 = 5;
const FREE_OF_NETWORK: i64 = 10;
/// More than the free tries of one network.
const FREE_OF_ACCOUNT: i64 = 12;

/// A count falls by one in this time. It is also the longest pause: a guesser that waits gets this rate and no more.
const LEAK_SECONDS: i64 = 15 * 60;

/// How long a network stays known after the account's last log-in from it.
pub const KNOWN_NETWORK_SECONDS: i64 = 90 * 86_400;

/// What a count is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TryScope {
    /// One e-mail address from one network.
    AddressFromNetwork,
    /// One network, whatever the e-mail address.
    Network,
    /// One e-mail address from all networks. Its pause does not hold up a network that is known for the address.
    Address,
}

impl TryScope {
    pub const ALL: [Self; 3] = [Self::AddressFromNetwork, Self::Network, Self::Address];

    const fn free(self) -> i64 {
        match self {
            Self::AddressFromNetwork => FREE_OF_ACCOUNT_AND_NETWORK,
            Self::Network => FREE_OF_NETWORK,
            Self::Address => FREE_OF_ACCOUNT,
        }
    }

    /// The pause after this many tries: 1 s after the last free one, twice as long after each further one.
    fn pause_seconds(self, tries: i64) -> i64 {
        let beyond = tries - self.free();
        if beyond < 0 {
            return 0;
        }
        let doublings = u32::try_from(beyond).unwrap_or(u32::MAX).min(10);
        (1_i64 << doublings).min(LEAK_SECONDS)
    }
}

/// The tries so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryCount {
    pub tries: i64,
    pub last_at: Timestamp,
    /// The end of the pause.
    pub next_at: Timestamp,
}

impl TryCount {
    /// Nothing tried yet.
    pub const fn none(now: Timestamp) -> Self {
        Self { tries: 0, last_at: now, next_at: now }
    }

    fn present(self, now: Timestamp) -> i64 {
        let leaked = now.seconds_since(self.last_at).max(0) / LEAK_SECONDS;
        self.tries.saturating_sub(leaked).max(0)
    }

    /// The end of the present pause; none if there is no pause.
    pub fn paused_until(self, now: Timestamp) -> Option<Timestamp> {
        // A clock that was set back must not make the pause longer than any pause is.
        let longest = now.plus_seconds(LEAK_SECONDS);
        (self.next_at > now).then(|| self.next_at.min(longest))
    }

    /// Counts one more try. The caller has seen that there is no pause.
    #[must_use]
    pub fn with_try(self, scope: TryScope, now: Timestamp) -> Self {
        let tries = self.present(now) + 1;
        Self { tries, last_at: now, next_at: now.plus_seconds(scope.pause_seconds(tries)) }
    }

    /// Takes a try back that turned out to be the owner's. The pause that it caused ends.
    #[must_use]
    pub fn without_try(self, now: Timestamp) -> Self {
        Self { tries: (self.tries - 1).max(0), next_at: self.next_at.min(now), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Timestamp = Timestamp::from_seconds(1_776_000_000);

    /// Tries as often as the pauses allow until `seconds` have passed; returns the number of tries.
    fn guess_for(scope: TryScope, seconds: i64) -> i64 {
        let (mut count, mut now, mut tries) = (TryCount::none(START), START, 0);
        let end = START.plus_seconds(seconds);
        while now <= end {
            count = count.with_try(scope, now);
            tries += 1;
            now = count.paused_until(now).unwrap_or(now);
        }
        tries
    }

    #[test]
    fn guessing_gets_20_tries_in_a_minute_and_about_a_hundred_in_a_day() {
        for scope in TryScope::ALL {
            assert!(guess_for(scope, 60) <= 20, "{scope:?}");
            let day = guess_for(scope, 86_400);
            assert!((90..130).contains(&day), "{scope:?}: {day}");
        }
        assert_eq!(guess_for(TryScope::AddressFromNetwork, 0), 5);
    }

    #[test]
    fn one_network_cannot_use_up_the_tries_of_an_address() {
        assert!(guess_for(TryScope::Network, 0) < guess_for(TryScope::Address, 0));
    }

    #[test]
    fn pauses_double_up_to_a_quarter_of_an_hour() {
        let pauses: Vec<_> = (4..18).map(|tries| TryScope::AddressFromNetwork.pause_seconds(tries)).collect();
        assert_eq!(pauses, [0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
        assert_eq!(TryScope::Network.pause_seconds(i64::MAX), 900);
    }

    #[test]
    fn counts_fall_with_time_and_a_success_gives_its_try_back() {
        let scope = TryScope::AddressFromNetwork;
        let five = (0..5).fold(TryCount::none(START), |count, _| count.with_try(scope, START));
        assert_eq!(five.paused_until(START), Some(START.plus_seconds(1)));
        let later = START.plus_seconds(2 * 900);
        assert_eq!(five.with_try(scope, later).tries, 4);
        let back = five.without_try(START);
        assert_eq!((back.tries, back.paused_until(START)), (4, None));
        assert_eq!(TryCount::none(START).without_try(START).tries, 0);
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_endless_pause() {
        let ahead = START.plus_seconds(86_400);
        let count = (0..30).fold(TryCount::none(ahead), |count, _| count.with_try(TryScope::Network, ahead));
        assert_eq!(count.paused_until(START), Some(START.plus_seconds(900)));
    }
}
