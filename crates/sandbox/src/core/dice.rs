//! Repeatable randomness: a number is a hash of the seed and of a key that names its use.

use sha2::{Digest as _, Sha256};

#[derive(Debug, Clone)]
pub struct Dice {
    seed: u64,
}

impl Dice {
    pub const fn new(seed: u64) -> Self {
        Self { seed }
    }

    /// 32 bytes that depend on seed and key only.
    pub fn bytes(&self, key: &[&str]) -> [u8; 32] {
        let mut hash = Sha256::new();
        hash.update(self.seed.to_be_bytes());
        for part in key {
            // The length keeps `["ab", ""]` and `["a", "b"]` apart.
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part.as_bytes());
        }
        hash.finalize().into()
    }

    pub fn number(&self, key: &[&str]) -> u64 {
        let bytes = self.bytes(key);
        bytes.iter().take(8).fold(0, |number, byte| (number << 8) | u64::from(*byte))
    }

    /// A number from `low` to `high`, inclusive.
    pub fn between(&self, key: &[&str], low: i64, high: i64) -> i64 {
        let width = high.saturating_sub(low).max(0).unsigned_abs();
        let step = width.checked_add(1).map_or(0, |count| self.number(key) % count);
        low.saturating_add_unsigned(step)
    }

    /// True for about `percent` of 100 keys.
    pub fn chance(&self, key: &[&str], percent: u64) -> bool {
        self.number(key) % 100 < percent
    }

    /// `count` decimal digits; the first is not zero.
    pub fn digits(&self, key: &[&str], count: usize) -> String {
        let bytes = self.bytes(key);
        let digit = |index: usize| {
            let byte = bytes.get(index % bytes.len()).copied().unwrap_or_default();
            if index == 0 { b'1' + byte % 9 } else { b'0' + byte % 10 }
        };
        (0..count).map(|index| char::from(digit(index))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_and_key_give_the_same_number_and_no_other_does() {
        let dice = Dice::new(7);
        assert_eq!(dice.bytes(&["a", "b"]), Dice::new(7).bytes(&["a", "b"]));
        for (seed, key) in [(8, ["a", "b"]), (7, ["b", "a"]), (7, ["ab", ""]), (7, ["", "ab"])] {
            assert_ne!(dice.number(&["a", "b"]), Dice::new(seed).number(&key), "{seed} {key:?}");
        }
    }

    #[test]
    fn numbers_stay_between_their_bounds_and_reach_both() {
        let dice = Dice::new(1);
        let rolled: Vec<i64> = (0..200).map(|index: u32| dice.between(&[&index.to_string()], -2, 2)).collect();
        assert_eq!((rolled.iter().min(), rolled.iter().max()), (Some(&-2), Some(&2)));
        assert_eq!(dice.between(&["x"], 5, 5), 5);
        let _ = dice.between(&["x"], i64::MIN, i64::MAX);
        assert!(dice.chance(&["x"], 100) && !dice.chance(&["x"], 0));
    }

    #[test]
    fn digits_make_a_number_of_this_length() {
        let digits = Dice::new(1).digits(&["x"], 16);
        assert!(digits.len() == 16 && !digits.starts_with('0') && digits.bytes().all(|digit| digit.is_ascii_digit()));
    }
}
