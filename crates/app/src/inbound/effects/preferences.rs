//! What people tell the network about the messages they want: consent, with the network as its source.

use channels::webhook::{Preference, Record};
use domain::contacts::Contact;
use store::Tx;
use store::contacts::ConsentChange;

use super::{Arrival, people, reports};
use crate::Result;
use crate::contacts::consent::{ConsentUpdate, decided};

const SOURCE: &str = "WHATSAPP";
/// The only kind of message that people decide about so far.
const MARKETING: &str = "marketing_messages";
const DENIED: &str = "deny_broadcast";
const BROADCASTS: [&str; 2] = ["allow_broadcast", DENIED];

pub(super) async fn note(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    record: &Record,
    preference: &Preference,
) -> Result<()> {
    let Some(contact) = people::seen(tx, arrival, &preference.person, preference.at).await? else {
        return reports::note(tx, arrival, record).await;
    };
    let fresh = reports::note_as(tx, arrival, record, "preference", &contact.bsuid).await?;
    if !fresh || preference.category != MARKETING || is_overtaken(tx, arrival, &contact, preference).await? {
        return Ok(());
    }
    let at = arrival.when(preference.at);
    let update = ConsentUpdate { allow_broadcast: Some(preference.allowed), ..ConsentUpdate::default() };
    let (changed, news) = decided(&contact, &update, arrival.now.to_millis());
    if news.is_empty() {
        return Ok(());
    }
    store::contacts::update(tx, arrival.tenant, &contact, &changed).await?;
    for change in news {
        let change = ConsentChange { at, change: change.to_owned(), source: SOURCE.to_owned() };
        store::contacts::add_consent(tx, arrival.tenant, contact.id, &change).await?;
    }
    Ok(())
}

/// A later decision stands, whoever told of it and in whatever order they came.
async fn is_overtaken(
    tx: &mut Tx<'_>,
    arrival: &Arrival<'_>,
    contact: &Contact,
    preference: &Preference,
) -> Result<bool> {
    let at = arrival.when(preference.at);
    let decided = store::contacts::consents(tx, arrival.tenant, contact.id).await?;
    // Of two at the same moment, "no" stands.
    let denied = decided.iter().any(|one| one.at == at && one.change == DENIED && preference.allowed);
    let by_hand = denied || decided.iter().any(|one| one.at > at && BROADCASTS.contains(&one.change.as_str()));
    let told = store::reports::latest_in(tx, arrival.tenant, "preference", &contact.bsuid).await?;
    Ok(by_hand || told.is_some_and(|latest| latest > at))
}
