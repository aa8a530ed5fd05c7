//! Pages of orders, the latest created first.

use domain::commerce::orders::{OrderFilter, OrderStatus, PaymentStage};
use domain::commerce::payments::PaymentStatus;
use domain::{Field, Id, OrderId, TenantId, Timestamp};

use super::{OrderView, Orders};
use crate::base::cursor;
use crate::commerce::Commerce;
use crate::{ActsFor, Error, Result};

const AREA: &[u8] = b"orders";
/// Most orders that one page reads; the next page continues after them.
const MOST_READ: i64 = 5000;
/// Orders that one statement reads if conditions have to be checked after reading.
const BATCH: i64 = 500;

/// A search for orders; every member that is given must hold.
#[derive(Debug, Clone, Default)]
pub struct OrderSearch {
    pub status: Option<OrderStatus>,
    pub payment_status: Option<PaymentStatus>,
    pub stage: Option<PaymentStage>,
    /// Phone number, BSUID or id of a contact.
    pub target: Option<String>,
    /// Time of creation; both ends are included.
    pub date_from: Option<Timestamp>,
    pub date_to: Option<Timestamp>,
    pub limit: usize,
    /// The cursor `next` of the previous page.
    pub after: Option<String>,
}

#[derive(Debug, Clone)]
pub struct FoundOrders {
    pub orders: Vec<OrderView>,
    /// The cursor of the next page, if there may be one.
    pub next: Option<String>,
}

#[boxed::futures]
impl Orders<'_> {
    /// Returns a page, the latest created first. An index answers one condition; the others are checked on the orders
    /// that it reads. The number of orders read is bounded, so a page with several conditions may have fewer orders
    /// than its limit, or none, and still a next page.
    pub async fn list(&self, caller: &dyn ActsFor, search: &OrderSearch) -> Result<FoundOrders> {
        let tenant = caller.tenant();
        let mut filter = self.first_filter(caller, search).await?;
        let wanted = search.limit.max(1);
        let (mut orders, mut read) = (Vec::new(), 0);
        loop {
            let missing = wanted.saturating_sub(orders.len());
            // One more than the limit shows whether there is a next page.
            let one_more = i64::try_from(missing).unwrap_or(BATCH).saturating_add(1);
            let batch = if filter.is_exact() { one_more } else { one_more.max(BATCH) };
            let (found, last) = store::commerce::orders::page(self.0.db(), tenant, &filter, batch).await?;
            read += batch;
            let more = found.len() > missing;
            orders.extend(found.into_iter().take(missing).map(OrderView::from));
            let next = if more { orders.last().map(position) } else { last };
            match next {
                Some(next) if more || read >= MOST_READ => {
                    return Ok(FoundOrders { orders, next: Some(write_cursor(self.0, tenant, next)) });
                }
                Some(next) => filter.before = next,
                None => return Ok(FoundOrders { orders, next: None }),
            }
        }
    }

    async fn first_filter(&self, caller: &dyn ActsFor, search: &OrderSearch) -> Result<OrderFilter> {
        let end = (search.date_to.unwrap_or(Timestamp::from_micros(i64::MAX)), Id::from_bytes([0xff; 12]));
        let before = match &search.after {
            Some(cursor) => read_cursor(self.0, caller.tenant(), cursor)
                .ok_or_else(|| Error::invalid(Field::Cursor, "expected a next_cursor from this list"))?
                .min(end),
            None => end,
        };
        let mut contact = None;
        if let Some(target) = &search.target {
            self.0.people().contacts().find(caller, target, &mut |found| contact = Some(found.id)).await?;
        }
        let from = search.date_from.unwrap_or(Timestamp::from_micros(i64::MIN));
        let OrderSearch { status, payment_status, stage, .. } = *search;
        Ok(OrderFilter { from, before, contact, payment_status, status, stage })
    }
}

fn position(view: &OrderView) -> (Timestamp, OrderId) {
    (view.order.created_at, view.order.id)
}

fn write_cursor(commerce: &Commerce, tenant: TenantId, (at, id): (Timestamp, OrderId)) -> String {
    cursor::write(commerce, tenant, AREA, &[&at.micros().to_be_bytes()[..], id.bytes()].concat())
}

fn read_cursor(commerce: &Commerce, tenant: TenantId, text: &str) -> Option<(Timestamp, OrderId)> {
    let place: [u8; 20] = cursor::read(commerce, tenant, AREA, text)?;
    let (at, id) = place.split_at(8);
    Some((Timestamp::from_micros(i64::from_be_bytes(at.try_into().ok()?)), Id::from_bytes(id.try_into().ok()?)))
}
