//! All buckets of this node, found without one lock for everybody; those of past windows vanish.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{TenantId, Timestamp};
use parking_lot::RwLock;

use super::bucket::Bucket;
use super::meter::Meter;
use super::terms::Terms;

const SHARDS: usize = 16;
/// A request that began just before its window ended may still be on its way to its bucket.
const GRACE_SECONDS: i64 = 10;

type Shard = HashMap<(TenantId, Meter), Arc<Bucket>>;

#[derive(Debug, Default)]
pub(super) struct Buckets([RwLock<Shard>; SHARDS]);

impl Buckets {
    pub(super) fn get(&self, tenant: TenantId, meter: Meter, terms: Terms, now: Timestamp) -> Arc<Bucket> {
        let shard = self.shard(tenant);
        let known = shard.read().get(&(tenant, meter)).cloned();
        known.unwrap_or_else(|| {
            let mut shard = shard.write();
            let bucket =
                shard.entry((tenant, meter)).or_insert_with(|| Arc::new(Bucket::new(tenant, meter, terms, now)));
            Arc::clone(bucket)
        })
    }

    pub(super) fn all(&self) -> Vec<Arc<Bucket>> {
        let mut all = Vec::new();
        for shard in &self.0 {
            all.extend(shard.read().values().cloned());
        }
        all
    }

    /// Forgets what no request can want any more. Nobody can be handed a bucket while its shard is held for writing,
    /// so one that is in no other hand is in nobody's.
    pub(super) fn sweep(&self, now: Timestamp) {
        for shard in &self.0 {
            let mut shard = shard.write();
            shard.retain(|_, bucket| {
                let wanted = Arc::strong_count(bucket) > 1;
                wanted || bucket.lock().window.end.plus_seconds(GRACE_SECONDS) > now
            });
            if shard.len() * 4 < shard.capacity() {
                shard.shrink_to_fit();
            }
        }
    }

    fn shard(&self, tenant: TenantId) -> &RwLock<Shard> {
        let place = usize::try_from(tenant.number().unsigned_abs() % SHARDS as u64).unwrap_or(0);
        &self.0[place]
    }
}

#[cfg(test)]
mod tests {
    use domain::plans::Family;
    use store::Engine;

    use super::*;

    #[test]
    fn past_windows_vanish_unless_somebody_holds_them() {
        let (buckets, tenant) = (Buckets::default(), TenantId::FIRST);
        let now = Timestamp::from_seconds(1_776_000_000);
        let rate = Terms::rate(Engine::Sqlite, 10, 1);
        let held = buckets.get(tenant, Meter::Family(Family::Other), rate, now);
        buckets.get(tenant, Meter::Family(Family::Contacts), rate, now);
        buckets.get(tenant, Meter::Usage, Terms::usage(10), now);
        buckets.sweep(now.plus_seconds(19));
        assert_eq!(buckets.all().len(), 3);
        buckets.sweep(now.plus_seconds(20));
        assert_eq!(buckets.all().len(), 2, "the month and the one in a hand stay");
        drop(held);
        buckets.sweep(now.plus_seconds(20));
        assert_eq!(buckets.all().len(), 1);
    }
}
