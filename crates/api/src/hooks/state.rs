//! What the hooks keep in memory, as part of the state of the API.

use super::warnings::Warnings;
use crate::edge::memory::{Bounds, MemoryBudget};

/// What the hooks keep in memory between posts.
#[derive(Debug)]
pub(crate) struct HookState {
    pub(super) warnings: Warnings,
    /// Bounds the posts that are held in memory at a time, for each channel and in all: a body must be read before its
    /// signature can be checked.
    pub(super) memory: MemoryBudget,
}

impl HookState {
    pub fn new(bounds: &Bounds) -> Self {
        Self { warnings: Warnings::default(), memory: MemoryBudget::for_hooks(bounds) }
    }
}
