//! Maps by id, with a fast hash. The standard hash protects against clients that choose colliding keys and would take
//! most of a plan's time; the server makes these ids itself.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

pub type ByIds<K, V> = HashMap<K, V, BuildHasherDefault<IdHasher>>;
pub type Ids = HashSet<crate::ContactId, BuildHasherDefault<IdHasher>>;

#[derive(Debug, Default, Clone, Copy)]
pub struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        // An id is three words of four bytes.
        let (words, rest) = bytes.as_chunks();
        for word in words {
            self.mix(u32::from_be_bytes(*word).into());
        }
        for byte in rest {
            self.mix(u64::from(*byte));
        }
    }

    /// Lengths and indexes of short lists. The next word mixes them in.
    fn write_usize(&mut self, number: usize) {
        self.0 = self.0.rotate_left(8) ^ number as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

impl IdHasher {
    /// Joins both halves of the product, since the map uses the lowest and the highest bits.
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0xa076_1d64_78bd_642f) * 0x9e37_79b9_7f4a_7c15;
        let [low, high] = [product & u128::from(u64::MAX), product >> 64];
        self.0 = u64::try_from(low ^ high).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use super::*;
    use crate::Id;
    use crate::{ContactId, Timestamp};

    #[test]
    fn ids_that_are_alike_fall_far_apart() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let hash = |id: ContactId| BuildHasherDefault::<IdHasher>::default().hash_one(id);
        let of_one_second = (0..20_000).map(|count| Id::seeded(now, count));
        let of_many_processes = (0..20_000).map(|process| Id::seeded(now, process << 44));
        let of_many_seconds = (0..20_000).map(|second| Id::seeded(now.plus_seconds(second), 7));
        for ids in [of_one_second.collect::<Vec<_>>(), of_many_processes.collect(), of_many_seconds.collect()] {
            for shift in [0, 48] {
                let mut seen = ids.iter().map(|id| (hash(*id) >> shift) & 0xffff).collect::<Vec<_>>();
                seen.sort_unstable();
                seen.dedup();
                // Chance leaves 17 237 of 65 536 places taken.
                assert!(seen.len() > 16_500, "{} places", seen.len());
            }
        }
    }

    #[test]
    fn every_part_of_what_is_hashed_counts() {
        let of = |write: &dyn Fn(&mut IdHasher)| {
            let mut hasher = IdHasher::default();
            write(&mut hasher);
            hasher.finish()
        };
        let bytes = |bytes: &'static [u8]| of(&|hasher| hasher.write(bytes));
        assert_ne!(bytes(&[1, 2, 3, 4]), bytes(&[1, 2, 3, 5]));
        assert_ne!(bytes(&[1, 2, 3, 4, 5]), bytes(&[1, 2, 3, 4, 6]), "what is no whole word too");
        assert_ne!(bytes(&[1, 2, 3, 4, 5, 6, 7, 8]), bytes(&[5, 6, 7, 8, 1, 2, 3, 4]), "and the order");
        assert_ne!(of(&|hasher| hasher.write_usize(1)), of(&|hasher| hasher.write_usize(2)));
        let twice = |one: usize, other: usize| {
            of(&|hasher| {
                hasher.write_usize(one);
                hasher.write_usize(other);
            })
        };
        assert_ne!(twice(1, 2), twice(2, 1));
        assert_ne!(twice(1, 1), 0);
        assert_ne!(twice(1, 0x100), twice(1, 0), "where both have the same bit too");
    }
}
