//! The rules that join two values of a ledger. Each is associative, commutative and idempotent.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A value with its time. The later value stays; of two at the same time the greater.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Latest<T> {
    pub at: Timestamp,
    pub value: T,
}

impl<T: Clone> Latest<T> {
    pub fn from_option(at: Timestamp, value: Option<&T>) -> Option<Self> {
        value.map(|value| Self { at, value: value.clone() })
    }
}

/// Keeps the later value; any value is later than none.
pub(super) fn keep_later<T: Ord + Clone>(known: &mut Option<T>, other: Option<&T>) {
    if known.as_ref() < other {
        *known = other.cloned();
    }
}

/// Keeps the earlier value; any value is earlier than none.
pub(super) fn keep_earlier<T: Ord + Clone>(known: &mut Option<T>, other: Option<&T>) {
    if let Some(other) = other.filter(|other| known.as_ref().is_none_or(|known| *other < known)) {
        *known = Some(other.clone());
    }
}

/// Unites the keys and joins the values of common keys.
pub(super) fn join_by_key<K: Ord + Clone, V: Clone>(
    known: &mut BTreeMap<K, V>,
    other: &BTreeMap<K, V>,
    join: impl Fn(&mut V, &V),
) {
    for (key, value) in other {
        known.entry(key.clone()).and_modify(|known| join(known, value)).or_insert_with(|| value.clone());
    }
}
