//! Payment reports of the network: each is stored once, as a report of its own, and applied if it is about an order
//! that the tenant sent from the same network account.

use channels::webhook::{PaymentReport, Record};
use store::Tx;

use super::{Arrival, Refused, reports};
use crate::Result;
use crate::payments::{ReportOrigin, apply_webhook};

/// Stores a payment report and applies it to its order. A report about no order of the tenant, of another network
/// account, or with impossible content is stored too, but parked with the reason, and changes no order.
pub(super) async fn apply(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    report: &PaymentReport,
) -> Result<Refused> {
    reports::store(tx, arrival, record, "payment", &report.reference_id).await?;
    let Arrival { tenant, channel, now, .. } = *arrival;
    apply_webhook(tx, ReportOrigin { tenant, channel, at: arrival.when(report.at), now }, report).await
}
