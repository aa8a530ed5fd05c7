//! The terms of a limit: how it is enforced (counted in memory, taken exactly from the database, or leased in shares),
//! and how large a node's share and debt may be.

use store::Engine;

/// Rate limits under this number are exact even when nodes share them; usage limits under this number are leased one by
/// one.
const EXACT_UNDER: i64 = 100;
/// What all nodes together may hold unused, in percent of a rate limit. Each node may hold at least one unit.
const HELD_PERCENT: i64 = 8;
/// The debt: what all nodes together may use before they have leased it, in percent of a rate limit. Each node may owe
/// at least one unit, if that is at most ten percent of the limit for all nodes together. This keeps the promise that
/// all nodes together exceed a limit by at most a tenth (`mod.rs`).
const DEBT_PERCENT: i64 = 4;
/// The largest integer that a structured header field can hold; higher limits are lowered to it.
const LARGEST: i64 = 999_999_999_999_999;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// Counted in the memory of this process, which is the only one.
    Counted,
    /// Shares are leased from the database ahead of their use.
    Leased,
    /// Every request takes from the database, while it can be reached.
    Exact,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Terms {
    pub(super) mode: Mode,
    pub(super) limit: i64,
    /// The most units that this node holds, leased and not used yet.
    pub(super) share: i64,
    /// The most units that this node may use before a lease grants them.
    pub(super) debt: i64,
    /// The most units that this node may use before a lease grants them, while the database cannot be reached.
    pub(super) debt_in_outage: i64,
    /// Whether a share that runs low is filled up in the background.
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
        // With very many nodes a debt of one for each would exceed a tenth of the limit: then no debt is allowed.
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

    /// The terms of a usage limit. Usage is taken only after its lease, so that the database has counted everything
    /// that was used, except for up to a hundredth of the limit on each node while the database cannot be reached.
    pub(super) fn usage(limit: i64) -> Self {
        let limit = limit.clamp(0, LARGEST);
        Self {
            mode: Mode::Leased,
            limit,
            share: (limit / 100).clamp(1, 1000),
            debt: 0,
            debt_in_outage: limit / 100,
            // One unit held ahead would be more than a hundredth of a small limit.
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
