//! The few ways in which two pieces of knowledge become one. None of them can tell which came first, nor whether one
//! came twice.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// A word and when it was said. The later one stays; of two at the same time the greater, whichever that is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct Latest<T> {
    pub at: Timestamp,
    pub value: T,
}

impl<T: Clone> Latest<T> {
    pub fn of(at: Timestamp, value: Option<&T>) -> Option<Self> {
        value.map(|value| Self { at, value: value.clone() })
    }
}

/// Something is later than nothing.
pub(super) fn later<T: Ord + Clone>(known: &mut Option<T>, told: Option<&T>) {
    if known.as_ref() < told {
        *known = told.cloned();
    }
}

/// Something is earlier than nothing.
pub(super) fn earlier<T: Ord + Clone>(known: &mut Option<T>, told: Option<&T>) {
    if let Some(told) = told.filter(|told| known.as_ref().is_none_or(|known| *told < known)) {
        *known = Some(told.clone());
    }
}

/// Keys of both; what both have is joined.
pub(super) fn by_key<K: Ord + Clone, V: Clone>(
    known: &mut BTreeMap<K, V>,
    told: &BTreeMap<K, V>,
    join: impl Fn(&mut V, &V),
) {
    for (key, value) in told {
        known.entry(key.clone()).and_modify(|known| join(known, value)).or_insert_with(|| value.clone());
    }
}
