//! Counts orders by day, payment and currency.

use domain::commerce::orders::{OrderStatus, PaymentStage};
use domain::commerce::payments::{Ledger, PaymentStatus};
use domain::{TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Result, params, read};

statements! {
    /// Reads at most `$4` orders, the latest created first. They are grouped here: SQLite would sort them for that.
    CREATED = select!(
        CreatedOrder,
        " FROM orders {indexed_by orders_created}
         WHERE tenant_id = $1 AND created_at BETWEEN $2 AND $3
         ORDER BY created_at DESC, id DESC LIMIT $4"
    );
}

/// The orders of a day with the same payment status, stage and currency.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderCount {
    /// Days since 1970, in UTC.
    pub day: i64,
    pub payment_status: PaymentStatus,
    pub stage: PaymentStage,
    pub currency: String,
    pub orders: i64,
    /// The sum of the totals, in hundredths.
    pub total: i64,
}

/// What is counted of an order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct CreatedOrder {
    day: i64,
    status: OrderStatus,
    payment_status: PaymentStatus,
    ledger: Ledger,
    currency: String,
    total: i64,
}

columns! { CreatedOrder { day: "created_at / 86400000000", status, payment_status, ledger, currency, total } }

/// The counts of the newest orders that were created between two times, both included; the latest day is first. No more
/// than `most` orders are counted: returns false if there are more.
pub async fn counts(
    db: &Db,
    tenant: TenantId,
    (from, to): (Timestamp, Timestamp),
    most: i64,
) -> Result<(Vec<OrderCount>, bool)> {
    let (mut counts, mut left) = (Vec::new(), most);
    // One more, which is not counted, shows that there are more.
    db.long_each(&CREATED, params![tenant, from, to, most.saturating_add(1)], |row| {
        left -= 1;
        if left >= 0 {
            count(&mut counts, read(row)?);
        }
        Ok(())
    })
    .await?;
    Ok((counts, left >= 0))
}

/// Adds an order to its count. Orders come by time, so a day's counts are the last ones.
fn count(counts: &mut Vec<OrderCount>, order: CreatedOrder) {
    let CreatedOrder { day, status, payment_status, ledger, currency, total } = order;
    let stage = PaymentStage::of(status, &ledger.state());
    let is_alike =
        |one: &&mut OrderCount| one.payment_status == payment_status && one.stage == stage && one.currency == currency;
    let known = counts.iter_mut().rev().take_while(|one| one.day == day).find(is_alike);
    match known {
        Some(known) => {
            known.orders += 1;
            known.total = known.total.saturating_add(total);
        }
        None => counts.push(OrderCount { day, payment_status, stage, currency, orders: 1, total }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_one_day_status_and_currency_are_one_count() {
        let (paid, open) = (PaymentStatus::Captured, PaymentStatus::Pending);
        let (status, ledger) = (OrderStatus::Pending, Ledger::default());
        let mut counts = Vec::new();
        for (day, payment_status, currency, total) in
            [(2, paid, "INR", 5), (2, open, "INR", 7), (2, paid, "EUR", 9), (2, paid, "INR", 1), (1, paid, "INR", 3)]
        {
            let (currency, ledger) = (currency.to_owned(), ledger.clone());
            count(&mut counts, CreatedOrder { day, status, payment_status, ledger, currency, total });
        }
        let of = |day, payment_status, currency: &str, orders, total| {
            let (currency, stage) = (currency.to_owned(), PaymentStage::Waiting);
            OrderCount { day, payment_status, stage, currency, orders, total }
        };
        assert_eq!(
            counts,
            [of(2, paid, "INR", 2, 6), of(2, open, "INR", 1, 7), of(2, paid, "EUR", 1, 9), of(1, paid, "INR", 1, 3)]
        );
    }
}
