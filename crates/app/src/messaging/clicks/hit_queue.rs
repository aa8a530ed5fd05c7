//! Hits that wait to be written, and how often this process saw each link. `write_hits.rs` writes them.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use domain::TenantId;
use domain::messaging::clicks::Link;
use store::messaging::clicks::Hit;

use super::target::{LinkTarget, TemplateCache};
use crate::base::cache::Cache;
use crate::base::group_writer::GroupWriter;

/// After this many hits of a link in this process its rows are counted.
const FEW_HITS: u32 = 16;
/// Most links whose hits are counted in memory.
const LINKS: usize = 100_000;

/// The queue of this process, and the templates that the redirect needs.
#[derive(Debug, Default)]
pub(crate) struct HitWriter {
    pub(super) queue: GroupWriter<NewHit>,
    pub(super) templates: TemplateCache,
    pub(super) seen: SeenLinks,
}

/// How many hits of each link this process saw, for the links that were hit last.
#[derive(Debug)]
pub(super) struct SeenLinks(Cache<(TenantId, Link), Arc<AtomicU32>>);

impl Default for SeenLinks {
    fn default() -> Self {
        Self(Cache::new(LINKS))
    }
}

impl SeenLinks {
    /// Counts a hit. Returns true when this process saw at least `FEW_HITS` hits of the link before.
    pub fn count(&self, tenant: TenantId, link: Link) -> bool {
        let seen = self.0.get_with(&(tenant, link), Arc::default);
        // After four billion hits the number wraps around to zero, which does no harm.
        seen.fetch_add(1, Ordering::Relaxed) >= FEW_HITS
    }
}

/// A hit to write, and the target for its event if it is the first of a person on its link.
#[derive(Debug, Clone)]
pub(super) struct NewHit {
    pub tenant: TenantId,
    /// The class of the hit is that of the request alone; the transaction decides whether the hit is a `repeat`.
    pub hit: Hit,
    /// None where no event can be emitted: the hit is not a person's, the button is unknown, or the contact was erased.
    pub person: Option<Arc<LinkTarget>>,
}
