//! Pages of orders, the newest first.

use domain::orders::Status;
use domain::payments::Status as PaymentStatus;
use domain::{Id, OrderId, TenantId, Timestamp};

use super::{Orders, Shown};
use crate::{ActsFor, App, Error, Result, cursor};

const AREA: &[u8] = b"orders";
/// Orders that are looked at for one page at most; the next one goes on behind them.
const LOOKED_AT: i64 = 5000;
/// Orders that are read at once where a filter may pass over some.
const STRETCH: i64 = 500;

/// Which orders; what is absent leaves none out.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    pub status: Option<Status>,
    pub payment_status: Option<PaymentStatus>,
    /// Phone number, BSUID or id of a contact.
    pub target: Option<String>,
    /// Both ends belong to it.
    pub date_from: Option<Timestamp>,
    pub date_to: Option<Timestamp>,
    pub limit: usize,
    /// The `next` of the page before.
    pub after: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Page {
    pub orders: Vec<Shown>,
    /// Where there may be more.
    pub next: Option<String>,
}

impl Orders<'_> {
    /// Where one filter finds by an index and others pass over what it finds, a bounded number of orders is looked at:
    /// such a page may have fewer than asked for, or none, and still a next one.
    pub async fn list(&self, caller: &impl ActsFor, filter: &Filter) -> Result<Page> {
        let tenant = caller.tenant();
        let mut place = self.start(caller, filter).await?;
        let wanted = filter.limit.max(1);
        let (mut orders, mut looked_at) = (Vec::new(), 0);
        loop {
            let missing = wanted.saturating_sub(orders.len());
            // One more than asked for tells whether there is a next page.
            let one_more = i64::try_from(missing).unwrap_or(STRETCH).saturating_add(1);
            let stretch = if is_exact(&place) { one_more } else { one_more.max(STRETCH) };
            let (found, last) = store::orders::page(self.0.db(), tenant, &place, stretch).await?;
            looked_at += stretch;
            let more = found.len() > missing;
            orders.extend(found.into_iter().take(missing).map(Shown::from));
            let next = if more { orders.last().map(place_of) } else { last };
            match next {
                Some(next) if more || looked_at >= LOOKED_AT => {
                    return Ok(Page { orders, next: Some(write_cursor(self.0, tenant, next)) });
                }
                Some(next) => place.before = next,
                None => return Ok(Page { orders, next: None }),
            }
        }
    }

    async fn start(&self, caller: &impl ActsFor, filter: &Filter) -> Result<store::orders::Filter> {
        let end = (filter.date_to.unwrap_or(Timestamp::from_micros(i64::MAX)), Id::from_bytes([0xff; 12]));
        let before = match &filter.after {
            Some(cursor) => read_cursor(self.0, caller.tenant(), cursor)
                .ok_or_else(|| Error::invalid("cursor", "is not a next_cursor of this list"))?
                .min(end),
            None => end,
        };
        let mut contact = None;
        if let Some(target) = &filter.target {
            self.0.contacts().find(caller, target, |found| contact = Some(found.id)).await?;
        }
        let from = filter.date_from.unwrap_or(Timestamp::from_micros(i64::MIN));
        let Filter { status, payment_status, .. } = *filter;
        Ok(store::orders::Filter { from, before, contact, payment_status, status })
    }
}

/// Does the database find nothing else?
fn is_exact(filter: &store::orders::Filter) -> bool {
    let asked = [filter.contact.is_some(), filter.payment_status.is_some(), filter.status.is_some()];
    asked.into_iter().filter(|one| *one).count() <= 1
}

fn place_of(shown: &Shown) -> (Timestamp, OrderId) {
    (shown.order.created_at, shown.order.id)
}

fn write_cursor(app: &App, tenant: TenantId, (at, id): (Timestamp, OrderId)) -> String {
    cursor::write(app, tenant, AREA, &[&at.micros().to_be_bytes()[..], id.bytes()].concat())
}

fn read_cursor(app: &App, tenant: TenantId, text: &str) -> Option<(Timestamp, OrderId)> {
    let place: [u8; 20] = cursor::read(app, tenant, AREA, text)?;
    let (at, id) = place.split_at(8);
    Some((Timestamp::from_micros(i64::from_be_bytes(at.try_into().ok()?)), Id::from_bytes(id.try_into().ok()?)))
}
