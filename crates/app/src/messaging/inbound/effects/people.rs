//! The people that records are about: each record that names a person is a sighting, an identity observation.

use channels::webhook::{Person, Record, UserIdChange};
use domain::Timestamp;
use domain::people::bsuid::Bsuid;
use domain::people::contacts::{Contact, Sighting};
use domain::people::phone::PhoneNumber;
use store::Tx;

use super::reports;
use crate::Result;
use crate::messaging::inbound::arrival::Arrival;
use crate::people::contacts::{self, is_of_one_person};

const SOURCE: &str = "WHATSAPP";

/// Finds the contact that a record is about, or creates it. None when the record does not name the person.
pub(crate) async fn resolve_contact(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    person: &Person,
    at: Timestamp,
) -> Result<Option<Contact>> {
    Ok(resolve_or_create(tx, arrival, person, at).await?.map(|(contact, _)| contact))
}

/// Like `resolve_contact`, and returns true if the contact was created.
pub(super) async fn resolve_or_create(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    person: &Person,
    at: Timestamp,
) -> Result<Option<(Contact, bool)>> {
    let sighting = sighting(person, arrival.when(at));
    if sighting.keys().is_empty() {
        return Ok(None);
    }
    Ok(Some(contacts::resolve_or_create(tx, arrival.tenant, &sighting, arrival.now, arrival.followers).await?))
}

/// The identity observation in a record, without invalid numbers and BSUIDs.
pub(in crate::messaging::inbound) fn sighting(person: &Person, at: Timestamp) -> Sighting {
    Sighting {
        phone: person.wa_id.as_deref().and_then(PhoneNumber::spelled),
        bsuids: person.user_id.iter().filter(|id| is_of_one_person(id)).cloned().collect(),
        parent_bsuid: person.parent_user_id.clone().filter(|id| id.parse::<Bsuid>().is_ok()),
        username: person.username.clone().filter(|name| !name.is_empty()),
        name: person.name.clone().filter(|name| !name.trim().is_empty()),
        source: SOURCE.to_owned(),
        at,
    }
}

/// Applies a report that a person changed number or id: the old and the new identity belong to one contact.
pub(super) async fn apply_id_change(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    change: &UserIdChange,
) -> Result<()> {
    // The report is stored even if it has no valid id.
    reports::store_and_apply(tx, arrival, record).await?;
    let mut now = sighting(&change.person, arrival.when(change.at));
    now.bsuids.extend(change.previous.iter().filter(|id| is_of_one_person(id)).cloned());
    if let Some(old) = change.previous_wa_id.as_deref().and_then(PhoneNumber::spelled) {
        // The old number is sighted a second earlier, so that the new one is the current number. The BSUID of the
        // contact joins the two sightings.
        let before = Sighting { phone: Some(old), at: now.at.plus_seconds(-1), ..now.clone() };
        let known = contacts::resolve_contact(tx, arrival.tenant, &before, arrival.now, arrival.followers).await?;
        now.bsuids.push(known.bsuid);
    }
    if !now.keys().is_empty() {
        contacts::resolve_contact(tx, arrival.tenant, &now, arrival.now, arrival.followers).await?;
    }
    Ok(())
}
