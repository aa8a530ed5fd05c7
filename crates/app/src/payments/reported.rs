//! A webhook about a payment. It is not trusted alone: it marks the payment as to be confirmed and wakes the look-up.

use channels::webhook::PaymentReport;
use domain::channels::Channel;
use domain::payments::Fact;
use domain::{TenantId, Timestamp};
use store::Tx;
use store::orders::Order;

use super::{learn, read, wrote};
use crate::Result;

/// Over which channel, and when it happened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Told<'a> {
    pub tenant: TenantId,
    pub channel: &'a Channel,
    pub at: Timestamp,
    pub now: Timestamp,
}

/// Answers why it changes nothing, where it cannot be about an order of ours or makes no sense: whoever asks puts it
/// aside with that. The same report again changes nothing either, and is in order.
pub(crate) async fn reported(tx: &mut Tx<'_>, told: Told<'_>, report: &PaymentReport) -> Result<Option<String>> {
    let reference = &report.reference_id;
    let read = match read::report(report, told.at) {
        Ok(read) => read,
        Err(reason) => return Ok(Some(format!("{reference}: {reason}"))),
    };
    let Some(order) = store::orders::by_reference(tx, told.tenant, reference).await? else {
        return Ok(Some(format!("{reference}: a payment of an order that is not known")));
    };
    if !is_of(tx, told, &order).await? {
        return Ok(Some(format!("{reference}: a payment of an order that was sent from another account")));
    }
    let mut after = order.clone();
    if learn(&mut after, &Fact::Webhook(read)) {
        after.tries = after.tries.woken();
    }
    wrote(tx, told.tenant, &order, after, told.now).await?;
    Ok(None)
}

/// The network knows references by account: another one may use the same.
async fn is_of(tx: &mut Tx<'_>, told: Told<'_>, order: &Order) -> Result<bool> {
    if order.channel_id == told.channel.id {
        return Ok(true);
    }
    let all = store::channels::list_in(tx, told.tenant).await?;
    let own = all.iter().map(|stored| &stored.channel).find(|channel| channel.id == order.channel_id);
    Ok(own.is_some_and(|own| own.network == told.channel.network && own.account_id == told.channel.account_id))
}
