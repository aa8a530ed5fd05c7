//! Marketing preferences that people set in the network's app: consent, with the network as its source.

use channels::webhook::{Preference, Record};
use domain::people::contacts::{ConsentChange, Contact};
use store::Tx;

use super::{people, reports};
use crate::Result;
use crate::messaging::inbound::arrival::Arrival;
use crate::people::contacts::consent::{ConsentUpdate, decided};

const SOURCE: &str = "WHATSAPP";
/// The category that changes consent; a report about another one is only stored.
const MARKETING: &str = "marketing_messages";
const DENIED: &str = "deny_broadcast";
const BROADCASTS: [&str; 2] = ["allow_broadcast", DENIED];

pub(super) async fn apply(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    preference: &Preference,
) -> Result<()> {
    let Some(contact) = people::resolve_contact(tx, arrival, &preference.person, preference.at).await? else {
        return reports::store_and_apply(tx, arrival, record).await;
    };
    let is_new = reports::store(tx, arrival, record, "preference", &contact.bsuid).await?;
    if !is_new || preference.category != MARKETING || is_superseded(tx, arrival, &contact, preference).await? {
        return Ok(());
    }
    let at = arrival.when(preference.at);
    let update = ConsentUpdate { allow_broadcast: Some(preference.allowed), ..ConsentUpdate::default() };
    let (updated, changes) = decided(&contact, &update, arrival.now.to_millis());
    if changes.is_empty() {
        return Ok(());
    }
    store::people::contacts::update(tx, arrival.tenant, &contact, &updated).await?;
    for change in changes {
        let change = ConsentChange { at, change: change.to_owned(), source: SOURCE.to_owned() };
        store::people::contacts::add_consent(tx, arrival.tenant, contact.id, &change).await?;
    }
    Ok(())
}

/// Whether a later decision on broadcasts is known, from the network or from the business. So the order of arrival does
/// not matter.
async fn is_superseded(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    contact: &Contact,
    preference: &Preference,
) -> Result<bool> {
    let at = arrival.when(preference.at);
    let decided = store::people::contacts::consents(tx, arrival.tenant, contact.id).await?;
    // Of two decisions at the same time, the denial wins.
    let denied = decided.iter().any(|one| one.at == at && one.change == DENIED && preference.allowed);
    let by_hand = denied || decided.iter().any(|one| one.at > at && BROADCASTS.contains(&one.change.as_str()));
    let reported =
        store::messaging::network_reports::latest_in(tx, arrival.tenant, "preference", &contact.bsuid).await?;
    Ok(by_hand || reported.is_some_and(|latest| latest > at))
}
