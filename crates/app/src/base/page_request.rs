//! Pages of a list by number.

use domain::Field;

use crate::{Error, Result};

/// A page by number and size, within `MAX_LIST_DEPTH` rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    number: i64,
    size: i64,
}

/// Most rows of a list that pages can reach.
pub const MAX_LIST_DEPTH: i64 = 10_000;

impl PageRequest {
    /// `number` counts from 1.
    pub fn new(number: i64, size: i64) -> Result<Self> {
        if number < 1 || size < 1 || number.saturating_mul(size) > MAX_LIST_DEPTH {
            let last = MAX_LIST_DEPTH / size.max(1);
            return Err(Error::invalid(
                Field::PageNumber,
                format!("pages can reach at most {MAX_LIST_DEPTH} rows: expected 1 to {last} at this page size"),
            ));
        }
        Ok(Self { number, size })
    }

    pub const fn number(self) -> i64 {
        self.number
    }

    pub const fn size(self) -> i64 {
        self.size
    }

    pub const fn offset(self) -> i64 {
        (self.number - 1) * self.size
    }
}
