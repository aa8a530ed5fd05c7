//! The limits of a number and of its portfolio.

use crate::base::rate::Bucket;

/// How fast a number may send. Zero switches a limit off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Messages of the number in any second.
    pub per_second: u32,
    /// Messages of the number to one person at once; after that one message every `pair_seconds` seconds.
    pub pair_burst: u32,
    pub pair_seconds: u32,
    /// People to whom the portfolio may open a conversation in any 24 hours; `None` switches the limit off.
    pub new_people: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { per_second: 80, pair_burst: 45, pair_seconds: 6, new_people: None }
    }
}

impl Limits {
    /// `None` where the limit of the pair is switched off.
    pub(super) fn pair_bucket(&self) -> Option<Bucket> {
        Bucket::with_burst(self.pair_burst, self.pair_seconds)
    }
}
