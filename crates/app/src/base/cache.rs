//! A bounded in-memory cache. A full cache evicts the entries that are used least; with a lifetime, entries also
//! expire.

use std::convert::Infallible;
use std::fmt;
use std::hash::Hash;
use std::time::{Duration, Instant};

pub(crate) struct Cache<K, V> {
    entries: quick_cache::sync::Cache<K, Entry<V>>,
    lifetime: Option<Duration>,
}

#[derive(Clone)]
struct Entry<V> {
    value: V,
    expires: Option<Instant>,
}

impl<K: Hash + Eq + Clone, V: Clone> Cache<K, V> {
    pub fn new(capacity: usize) -> Self {
        Self { entries: quick_cache::sync::Cache::new(capacity), lifetime: None }
    }

    pub fn with_lifetime(capacity: usize, lifetime: Duration) -> Self {
        Self { lifetime: Some(lifetime), ..Self::new(capacity) }
    }

    pub fn get(&self, key: &K) -> Option<V> {
        self.entries.get(key).filter(|entry| !entry.is_expired()).map(|entry| entry.value)
    }

    pub fn insert(&self, key: K, value: V) {
        self.entries.insert(key, self.entry(value));
    }

    pub fn remove(&self, key: &K) {
        self.entries.remove(key);
    }

    pub fn clear(&self) {
        self.entries.clear();
    }

    /// Returns the cached value, or makes one and caches it. Concurrent calls get the same value.
    pub fn get_with(&self, key: &K, make: impl FnOnce() -> V) -> V {
        if self.lifetime.is_some() {
            self.entries.remove_if(key, Entry::is_expired);
        }
        let Ok(entry) = self.entries.get_or_insert_with(key, || Ok::<_, Infallible>(self.entry(make())));
        entry.value
    }

    fn entry(&self, value: V) -> Entry<V> {
        Entry { value, expires: self.lifetime.map(|lifetime| Instant::now() + lifetime) }
    }
}

impl<V> Entry<V> {
    fn is_expired(&self) -> bool {
        self.expires.is_some_and(|expires| expires <= Instant::now())
    }
}

impl<K, V> fmt::Debug for Cache<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_made_once_and_shared() {
        let cache = Cache::new(10);
        assert_eq!((cache.get_with(&"key", || 1), cache.get_with(&"key", || 2)), (1, 1));
        cache.insert("key", 3);
        assert_eq!((cache.get(&"key"), cache.get(&"other")), (Some(3), None));
    }

    #[test]
    fn an_entry_expires() {
        let cache = Cache::with_lifetime(10, Duration::ZERO);
        cache.insert("key", 1);
        assert_eq!(cache.get(&"key"), None);
        assert_eq!(cache.get_with(&"key", || 2), 2);
    }

    #[test]
    fn the_number_of_entries_is_bounded() {
        let cache = Cache::new(100);
        (0..10_000).for_each(|key| cache.insert(key, key));
        assert!((0..10_000).filter(|key| cache.get(key).is_some()).count() <= 200);
    }
}
