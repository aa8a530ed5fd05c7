//! Reports: records that are no message, status or call. Each is stored once, however often it is posted (`digest`),
//! and can be found by kind and subject; some kinds also have an effect.

use channels::webhook::{Notification, NumberQuality, Record, TemplateCategory, TemplateQuality, TemplateStatusReport};
use domain::messaging::channels::Quality;
use domain::{Id, Timestamp};
use sha2::{Digest as _, Sha256};
use store::Tx;
use store::messaging::network_reports::NetworkReport;

use crate::Result;
use crate::messaging::clicks;
use crate::messaging::inbound::arrival::Arrival;
use crate::messaging::templates::{self, TemplateReport};

pub(super) async fn store_and_apply(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<()> {
    let (kind, subject) = kind_and_subject(record);
    let is_new = store(tx, arrival, record, kind, subject).await?;
    if let (Notification::LinkClick(click), true) = (&record.notification, is_new) {
        clicks::record_network_click(
            tx,
            arrival.tenant,
            arrival.channel,
            click,
            reported_at(arrival, record),
            arrival.now,
        )
        .await?;
    }
    apply_to_template(tx, arrival, record).await
}

/// Applies reports about status, quality or category to the template; ignores other reports.
async fn apply_to_template(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<()> {
    let about = |id, name, language| TemplateReport {
        tenant: arrival.tenant,
        channel: arrival.channel,
        id,
        name,
        language,
        at: reported_at(arrival, record),
        now: arrival.now,
    };
    match &record.notification {
        Notification::TemplateStatus(TemplateStatusReport { id, name, language, event, reason, detail, .. }) => {
            let reason = detail.as_deref().or(reason.as_deref());
            templates::apply_status(tx, about(id, name, language), event, reason).await
        }
        Notification::TemplateQuality(TemplateQuality { id, name, language, new, .. }) => {
            templates::apply_quality(tx, about(id, name, language), new).await
        }
        Notification::TemplateCategory(TemplateCategory { id, name, language, new, .. }) => {
            templates::apply_category(tx, about(id, name, language), new).await
        }
        _ => Ok(()),
    }
}

fn kind_and_subject(record: &Record) -> (&'static str, &str) {
    match &record.notification {
        Notification::TemplateStatus(template) => ("template_status", &template.id),
        Notification::TemplateQuality(template) => ("template_quality", &template.id),
        Notification::TemplateCategory(template) => ("template_category", &template.id),
        Notification::NumberQuality(number) => ("number_quality", &number.display_phone_number),
        Notification::NumberName(number) => ("number_name", &number.display_phone_number),
        Notification::Account(account) => ("account", &account.event),
        Notification::Payment(payment) => ("payment", &payment.reference_id),
        Notification::LinkClick(click) => ("link_click", click.message_id.as_deref().unwrap_or_default()),
        Notification::Preference(_) => ("preference", ""),
        Notification::UserIdChange(change) => ("user_id_change", change.person.user_id.as_deref().unwrap_or_default()),
        Notification::Error(_) => ("error", ""),
        _ => ("unknown", &record.field),
    }
}

/// Stores a report. Returns false when the same report was stored before.
pub(crate) async fn store(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    kind: &str,
    subject: &str,
) -> Result<bool> {
    let doc = record.envelope();
    let report = NetworkReport {
        id: Id::new(arrival.now),
        channel_id: arrival.channel.id,
        kind: kind.to_owned(),
        subject: subject.to_owned(),
        digest: digest(record, &doc),
        at: reported_at(arrival, record),
        received_at: arrival.received_at.to_millis(),
        doc,
    };
    Ok(store::messaging::network_reports::insert(tx, arrival.tenant, &report).await?)
}

fn reported_at(arrival: &Arrival<'_>, record: &Record) -> Timestamp {
    arrival.when(own_time(record).or(record.at_entry).unwrap_or(arrival.received_at))
}

/// The hash that identifies a report, however often it is posted and together with which other records. A report with a
/// time of its own is identified by its content; any other by its content and the time of its entry.
fn digest(record: &Record, doc: &str) -> [u8; 32] {
    match own_time(record) {
        Some(_) => Sha256::digest(record.item().as_bytes()).into(),
        None => Sha256::digest(doc.as_bytes()).into(),
    }
}

fn own_time(record: &Record) -> Option<Timestamp> {
    match &record.notification {
        Notification::Payment(payment) => Some(payment.at),
        Notification::LinkClick(click) => Some(click.at),
        Notification::Preference(preference) => Some(preference.at),
        Notification::UserIdChange(change) => Some(change.at),
        _ => None,
    }
}

pub(super) async fn apply_number_quality(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    quality: &NumberQuality,
) -> Result<()> {
    store_and_apply(tx, arrival, record).await?;
    let at = arrival.when(record.at_entry.unwrap_or(arrival.received_at));
    let quality = Quality { event: quality.event.clone(), limit: quality.current_limit.clone(), at };
    Ok(store::messaging::channels::set_quality(tx, arrival.tenant, arrival.channel.id, &quality).await?)
}
