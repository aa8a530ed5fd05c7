//! Payment reports of the network: each is stored once, as a report of its own, and applied if it is about an order
//! that the tenant sent from the same network account.

use channels::webhook::{Notification, PaymentReport, Record};
use futures_util::future::BoxFuture;
use store::Tx;

use super::apply_report::{ReportOrigin, apply_webhook};
use crate::Result;
use crate::messaging::inbound::RecordHandler;
use crate::messaging::inbound::arrival::{Arrival, Refused};
use crate::messaging::inbound::effects::reports;

/// Applies the network's reports of payments.
#[derive(Debug)]
pub(crate) struct InboundPayments;

impl RecordHandler for InboundPayments {
    fn handle<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        arrival: &'t Arrival<'_>,
        record: &'t Record,
    ) -> Option<BoxFuture<'t, Result<Refused>>> {
        match &record.notification {
            Notification::Payment(report) => Some(Box::pin(apply(tx, arrival, record, report))),
            _ => None,
        }
    }
}

/// Stores a payment report and applies it to its order. A report about no order of the tenant, of another network
/// account, or with impossible content is stored too, but parked with the reason, and changes no order.
async fn apply(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record, report: &PaymentReport) -> Result<Refused> {
    reports::store(tx, arrival, record, "payment", &report.reference_id).await?;
    let Arrival { tenant, channel, now, .. } = *arrival;
    apply_webhook(tx, ReportOrigin { tenant, channel, at: arrival.when(report.at), now }, report).await
}
