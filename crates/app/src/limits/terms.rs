//! How a limit is kept: in memory, shared exactly, or in leased shares, and how large these are.

use store::Engine;

/// Limits under this are exact also where several nodes share them.
const EXACT_UNDER: i64 = 100;
/// What all nodes together may hold unused (in percent of a rate limit) ...
const HELD_PERCENT: i64 = 8;
/// ... and what all together may use before they have leased it: both under the ten percent that are promised.
const DEBT_PERCENT: i64 = 4;
/// The largest integer that a header's structured field can carry.
const LARGEST: i64 = 999_999_999_999_999;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// In this process, which is the only one.
    Counted,
    /// Shares are leased from the database ahead of their use.
    Leased,
    /// Every request asks the database.
    Exact,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) mode: Mode,
    pub(super) limit: i64,
    /// What this node holds at most.
    pub(super) share: i64,
    /// What it may use ahead of a lease that is on its way.
    pub(super) debt: i64,
    /// The same while the database cannot be reached.
    pub(super) debt_in_outage: i64,
    /// A share that runs low is filled up behind the requests.
    pub(super) ahead: bool,
}

impl Terms {
    pub(super) fn rate(engine: Engine, limit: i64, nodes: i64) -> Self {
        let limit = limit.clamp(0, LARGEST);
        let nodes = nodes.max(1);
        let mode = match engine {
            Engine::Sqlite => Mode::Counted,
            Engine::Postgres if limit < EXACT_UNDER => Mode::Exact,
            Engine::Postgres => Mode::Leased,
        };
        // A debt of one for each of very many nodes would be too much.
        let least_debt = i64::from(nodes * 10 <= limit);
        Self {
            mode,
            limit,
            share: (limit * HELD_PERCENT / 100 / nodes).max(1),
            debt: (limit * DEBT_PERCENT / 100 / nodes).max(least_debt),
            debt_in_outage: i64::MAX,
            ahead: true,
        }
    }

    /// Usage is never taken ahead of a lease, so that what was used is always in the database already.
    pub(super) fn usage(limit: i64) -> Self {
        let limit = limit.clamp(0, LARGEST);
        Self {
            mode: Mode::Leased,
            limit,
            share: (limit / 100).clamp(1, 1000),
            debt: 0,
            debt_in_outage: limit / 100,
            // One held ahead would be more than a hundredth of so small a limit.
            ahead: limit >= EXACT_UNDER,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn small_limits_are_exact_and_one_process_counts_for_itself() {
        assert_eq!(Terms::rate(Engine::Postgres, 99, 3).mode, Mode::Exact);
        assert_eq!(Terms::rate(Engine::Postgres, 100, 3).mode, Mode::Leased);
        assert_eq!(Terms::rate(Engine::Sqlite, 100, 3).mode, Mode::Counted);
    }

    #[test]
    fn usage_is_held_by_the_hundredth_and_at_most_a_thousand() {
        let shares = [10, 100, 10_000, 20_000_000].map(|limit| Terms::usage(limit).share);
        assert_eq!(shares, [1, 1, 100, 1000]);
    }

    proptest! {
        #[test]
        fn all_nodes_together_stay_within_a_tenth(limit in 100_i64..1_000_000, nodes in 1_i64..200) {
            let terms = Terms::rate(Engine::Postgres, limit, nodes);
            prop_assert!(terms.debt * nodes * 10 <= limit);
            prop_assert!(terms.share * nodes * 10 <= limit || terms.share == 1);
        }
    }
}
