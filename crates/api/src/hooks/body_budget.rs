//! Bounds the bytes of posts that are held in memory at a time: a body must be read before its signature can be
//! checked.

use axum::http::{HeaderMap, header};
use tokio::sync::{Semaphore, SemaphorePermit};

/// Of all posts together, in KiB.
const ALL: usize = 64 << 10;

#[derive(Debug)]
pub(crate) struct BodyBudget(Semaphore);

impl Default for BodyBudget {
    fn default() -> Self {
        Self(Semaphore::new(ALL))
    }
}

impl BodyBudget {
    /// Reserves the announced length, at most `most` bytes; `most` when the request announces none. None when the
    /// budget is used up: the network posts again later.
    pub fn reserve(&self, headers: &HeaderMap, most: usize) -> Option<SemaphorePermit<'_>> {
        let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok());
        let bytes = announced.and_then(|length| length.parse::<usize>().ok()).unwrap_or(most).min(most);
        let kibibytes = u32::try_from(bytes.div_ceil(1024)).unwrap_or(u32::MAX);
        self.0.try_acquire_many(kibibytes).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn announced(bytes: &str) -> HeaderMap {
        HeaderMap::from_iter([(header::CONTENT_LENGTH, bytes.parse().unwrap())])
    }

    #[test]
    fn there_is_room_for_so_much_and_no_more() {
        let (budget, most) = (BodyBudget::default(), 4 << 20);
        let held: Vec<_> = (0..16).map(|_| budget.reserve(&HeaderMap::new(), most).unwrap()).collect();
        assert!(budget.reserve(&announced("1"), most).is_none());
        drop(held);
        let small: Vec<_> = (0..1000).map(|_| budget.reserve(&announced("900"), most).unwrap()).collect();
        assert!(
            budget.reserve(&announced("99999999999999999999"), most).is_some(),
            "nothing is reserved beyond the limit"
        );
        drop(small);
    }
}
