//! Applies a webhook about a payment. The ledger takes it as a claim that a look-up must confirm. If it changes the
//! state of the payment, the pauses between look-ups start again at the shortest, so that a look-up is due soon.

use channels::webhook::PaymentReport;
use domain::commerce::orders::Order;
use domain::commerce::payments::PaymentFact;
use domain::messaging::channels::Channel;
use domain::{TenantId, Timestamp};
use store::Tx;

use super::{parse, save_and_emit};
use crate::Result;

/// The channel that received a report, and when the reported event happened.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReportOrigin<'a> {
    pub tenant: TenantId,
    pub channel: &'a Channel,
    pub at: Timestamp,
    pub now: Timestamp,
}

/// Applies a report to its order. Returns the reason when the report cannot be parsed or is about no order of this
/// account; the caller parks the report with that reason. A report that the ledger already has changes nothing and is
/// no failure.
pub(super) async fn apply_webhook(
    tx: &mut Tx<'_>,
    origin: ReportOrigin<'_>,
    report: &PaymentReport,
) -> Result<Option<String>> {
    let reference = &report.reference_id;
    let parsed = match parse::report(report, origin.at) {
        Ok(parsed) => parsed,
        Err(reason) => return Ok(Some(format!("{reference}: {reason}"))),
    };
    let Some(order) = store::commerce::orders::by_reference(tx, origin.tenant, reference).await? else {
        return Ok(Some(format!("{reference}: a payment for an unknown order")));
    };
    if !is_same_account(tx, origin, &order).await? {
        return Ok(Some(format!("{reference}: a payment for an order that was sent from another account")));
    }
    let mut after = order.clone();
    if after.apply_fact(&PaymentFact::Webhook(parsed)) {
        after.attempts = after.attempts.reset();
    }
    save_and_emit(tx, origin.tenant, &order, after, origin.now).await?;
    Ok(None)
}

/// Whether the order was sent from the account that the report is about. A reference is unique within a network account
/// only: another account may use the same one.
async fn is_same_account(tx: &mut Tx<'_>, origin: ReportOrigin<'_>, order: &Order) -> Result<bool> {
    if order.channel_id == origin.channel.id {
        return Ok(true);
    }
    let all = store::messaging::channels::list_in(tx, origin.tenant).await?;
    let own = all.iter().map(|stored| &stored.channel).find(|channel| channel.id == order.channel_id);
    Ok(own.is_some_and(|own| own.network == origin.channel.network && own.account_id == origin.channel.account_id))
}
