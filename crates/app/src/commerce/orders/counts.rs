//! Counts orders by day, payment and currency.

use domain::Timestamp;
use store::commerce::orders::OrderCount;

use super::Orders;
use crate::{ActsFor, Result};

/// Most orders that one request counts.
const MOST_COUNTED: i64 = 50_000;

#[derive(Debug, Clone)]
pub struct OrderCounts {
    pub counts: Vec<OrderCount>,
    /// False if there are more orders than a request counts: then the newest ones were counted.
    pub is_complete: bool,
}

#[boxed::futures]
impl Orders<'_> {
    /// Counts the orders that were created between two times, both included.
    pub async fn counts(&self, caller: &dyn ActsFor, between: (Timestamp, Timestamp)) -> Result<OrderCounts> {
        let counted = store::commerce::orders::counts(self.0.db(), caller.tenant(), between, MOST_COUNTED);
        let (counts, is_complete) = counted.await?;
        Ok(OrderCounts { counts, is_complete })
    }
}
