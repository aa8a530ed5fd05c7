//! Payments that webhooks tell of: each is kept as it was posted, and learnt of if it is about an order of ours.

use channels::webhook::{PaymentReport, Record};
use store::Tx;

use super::{Arrival, Refused, reports};
use crate::Result;
use crate::payments::{Told, reported};

/// What cannot be about an order of ours, or makes no sense, changes nothing and is put aside with the reason.
pub(super) async fn note(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    report: &PaymentReport,
) -> Result<Refused> {
    reports::note_as(tx, arrival, record, "payment", &report.reference_id).await?;
    let Arrival { tenant, channel, now, .. } = *arrival;
    reported(tx, Told { tenant, channel, at: arrival.when(report.at), now }, report).await
}
