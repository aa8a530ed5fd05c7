//! Everything that has no room of its own yet: kept once, under its kind and what it is about.

use channels::webhook::{NumberQuality, Record, TemplateCategory, TemplateQuality, TemplateStatus, What};
use domain::channels::Quality;
use domain::{Id, Timestamp};
use sha2::{Digest as _, Sha256};
use store::Tx;
use store::reports::Report;

use super::Arrival;
use crate::Result;
use crate::clicks;
use crate::templates::{self, About};

pub(super) async fn note(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<()> {
    let (kind, subject) = filed(record);
    let is_new = note_as(tx, arrival, record, kind, subject).await?;
    if let (What::LinkClick(click), true) = (&record.what, is_new) {
        clicks::told(tx, arrival.tenant, arrival.channel, click, told_at(arrival, record), arrival.now).await?;
    }
    of_template(tx, arrival, record).await
}

/// What the network thinks of a template stands with the template, besides being kept.
async fn of_template(tx: &mut Tx<'_>, arrival: &Arrival<'_>, record: &Record) -> Result<()> {
    let about = |id, name, language| About {
        tenant: arrival.tenant,
        channel: arrival.channel,
        id,
        name,
        language,
        at: told_at(arrival, record),
        now: arrival.now,
    };
    match &record.what {
        What::TemplateStatus(TemplateStatus { id, name, language, event, reason, detail, .. }) => {
            let reason = detail.as_deref().or(reason.as_deref());
            templates::status_told(tx, about(id, name, language), event, reason).await
        }
        What::TemplateQuality(TemplateQuality { id, name, language, new, .. }) => {
            templates::quality_told(tx, about(id, name, language), new).await
        }
        What::TemplateCategory(TemplateCategory { id, name, language, new, .. }) => {
            templates::category_told(tx, about(id, name, language), new).await
        }
        _ => Ok(()),
    }
}

/// Which kind of report it is, and whom or what it is about.
fn filed(record: &Record) -> (&'static str, &str) {
    match &record.what {
        What::TemplateStatus(template) => ("template_status", &template.id),
        What::TemplateQuality(template) => ("template_quality", &template.id),
        What::TemplateCategory(template) => ("template_category", &template.id),
        What::NumberQuality(number) => ("number_quality", &number.display_phone_number),
        What::NumberName(number) => ("number_name", &number.display_phone_number),
        What::Account(account) => ("account", &account.event),
        What::Payment(payment) => ("payment", &payment.reference_id),
        What::LinkClick(click) => ("link_click", click.message_id.as_deref().unwrap_or_default()),
        What::Preference(_) => ("preference", ""),
        What::UserIdChange(change) => ("user_id_change", change.person.user_id.as_deref().unwrap_or_default()),
        What::Error(_) => ("error", ""),
        _ => ("unknown", &record.field),
    }
}

/// False when the very same was reported before.
pub(super) async fn note_as(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    kind: &str,
    subject: &str,
) -> Result<bool> {
    let doc = record.envelope();
    let report = Report {
        id: Id::new(arrival.now),
        channel_id: arrival.channel.id,
        kind: kind.to_owned(),
        subject: subject.to_owned(),
        digest: digest(record, &doc),
        at: told_at(arrival, record),
        received_at: arrival.received_at.to_millis(),
        doc,
    };
    Ok(store::reports::insert(tx, arrival.tenant, &report).await?)
}

fn told_at(arrival: &Arrival<'_>, record: &Record) -> Timestamp {
    arrival.when(said_at(record).or(record.at_entry).unwrap_or(arrival.received_at))
}

/// The same report has the same, however often and in whatever company it is posted. One that has a time of its own is
/// told apart by that; others by when the network filed them.
fn digest(record: &Record, doc: &str) -> [u8; 32] {
    match said_at(record) {
        Some(_) => Sha256::digest(record.item().as_bytes()).into(),
        None => Sha256::digest(doc.as_bytes()).into(),
    }
}

/// The time that a report has of its own.
fn said_at(record: &Record) -> Option<Timestamp> {
    match &record.what {
        What::Payment(payment) => Some(payment.at),
        What::LinkClick(click) => Some(click.at),
        What::Preference(preference) => Some(preference.at),
        What::UserIdChange(change) => Some(change.at),
        _ => None,
    }
}

pub(super) async fn number_quality(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    quality: &NumberQuality,
) -> Result<()> {
    note(tx, arrival, record).await?;
    let at = arrival.when(record.at_entry.unwrap_or(arrival.received_at));
    let quality = Quality { event: quality.event.clone(), limit: quality.current_limit.clone(), at };
    Ok(store::channels::set_quality(tx, arrival.tenant, arrival.channel.id, &quality).await?)
}
