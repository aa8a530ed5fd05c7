//! All buckets of this node, in shards with a lock each. Buckets of past windows are dropped.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{TenantId, Timestamp};
use parking_lot::RwLock;

use super::bucket::Bucket;
use super::meter::Meter;
use super::terms::Terms;

const SHARDS: usize = 16;
/// Seconds that a bucket without requests stays after its window's end, so that a clock that is set back a little finds
/// its counts again. A bucket that a request uses is never dropped.
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

    /// Drops buckets of past windows that no request uses. While the shard is locked for writing no request can get a
    /// bucket, so a count of one reference is reliable.
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
        let index = usize::try_from(tenant.number().unsigned_abs() % SHARDS as u64).unwrap_or(0);
        &self.0[index]
    }
}

#[cfg(test)]
mod tests {
    use domain::identity::plans::Family;
    use store::Engine;

    use super::*;

    #[test]
    fn past_windows_are_dropped_unless_a_request_holds_them() {
        let (buckets, tenant) = (Buckets::default(), TenantId::FIRST);
        let now = Timestamp::from_seconds(1_776_000_000);
        let rate = Terms::rate(Engine::Sqlite, 10, 1);
        let held = buckets.get(tenant, Meter::Family(Family::Other), rate, now);
        buckets.get(tenant, Meter::Family(Family::Contacts), rate, now);
        buckets.get(tenant, Meter::Usage, Terms::usage(10), now);
        buckets.sweep(now.plus_seconds(19));
        assert_eq!(buckets.all().len(), 3);
        buckets.sweep(now.plus_seconds(20));
        assert_eq!(buckets.all().len(), 2, "the month and the held bucket stay");
        drop(held);
        buckets.sweep(now.plus_seconds(20));
        assert_eq!(buckets.all().len(), 1);
    }
}
