//! People, as records tell of them: each record is a sighting.

use channels::webhook::{Person, Record, UserIdChange};
use domain::Timestamp;
use domain::bsuid::Bsuid;
use domain::contacts::{Contact, Sighting};
use domain::phone::PhoneNumber;
use store::Tx;

use super::{Arrival, reports};
use crate::Result;
use crate::contacts::{meet, see};

const SOURCE: &str = "WHATSAPP";

/// The contact whom a record is about; none when it does not say who.
pub(super) async fn seen(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    person: &Person,
    at: Timestamp,
) -> Result<Option<Contact>> {
    Ok(met(tx, arrival, person, at).await?.map(|(contact, _)| contact))
}

/// The same, and whether nobody had seen this person before.
pub(super) async fn met(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    person: &Person,
    at: Timestamp,
) -> Result<Option<(Contact, bool)>> {
    let sighting = sighting(person, arrival.when(at));
    if sighting.keys().is_empty() {
        return Ok(None);
    }
    Ok(Some(meet(tx, arrival.tenant, &sighting, arrival.now).await?))
}

/// What cannot be a number or a BSUID says nothing about who somebody is.
pub(super) fn sighting(person: &Person, at: Timestamp) -> Sighting {
    Sighting {
        phone: person.wa_id.as_deref().and_then(PhoneNumber::spelled),
        bsuids: person.user_id.iter().filter(|id| names_one(id)).cloned().collect(),
        parent_bsuid: person.parent_user_id.clone().filter(|id| id.parse::<Bsuid>().is_ok()),
        username: person.username.clone().filter(|name| !name.is_empty()),
        name: person.name.clone().filter(|name| !name.trim().is_empty()),
        source: SOURCE.to_owned(),
        at,
    }
}

/// A parent's id is shared by many.
fn names_one(id: &str) -> bool {
    id.parse::<Bsuid>().is_ok() && !id.contains(".ENT.")
}

/// Somebody goes by another number or id: both old and new are theirs.
pub(super) async fn renamed(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    change: &UserIdChange,
) -> Result<()> {
    // Also one that names nobody whom we can read leaves a trace.
    reports::note(tx, arrival, record).await?;
    let mut now = sighting(&change.person, arrival.when(change.at));
    now.bsuids.extend(change.previous.iter().filter(|id| names_one(id)).cloned());
    if let Some(old) = change.previous_wa_id.as_deref().and_then(PhoneNumber::spelled) {
        // The old number is seen first: the other one is what holds from now on. What its holder is known by for good
        // leads from one to the other.
        let before = Sighting { phone: Some(old), at: now.at.plus_seconds(-1), ..now.clone() };
        now.bsuids.push(see(tx, arrival.tenant, &before, arrival.now).await?.bsuid);
    }
    if !now.keys().is_empty() {
        see(tx, arrival.tenant, &now, arrival.now).await?;
    }
    Ok(())
}
