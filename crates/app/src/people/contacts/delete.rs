//! Deleting a contact.

use domain::delivery::events::{ErasedPerson, Fact, InboxChange, InboxSubject};
use domain::people::contacts::Contact;
use domain::people::contacts::identity::{Identity, IdentityKind, former_ids};
use domain::{ContactId, Field, Timestamp};
use store::people::contacts::Erasure;

use super::{Contacts, ErasedTraces, find_for_update, target};
use crate::base::emit::emit;
use crate::{ActsFor, Result};

#[boxed::futures]
impl Contacts<'_> {
    /// Deletes a contact and returns its id. The contact, its identities, its history, its conversations and the
    /// content of its messages are gone when this returns; the id and BSUIDs stay for rows that refer to them. Calls
    /// keep what they recorded. Its files and what events say about it are noted to be erased: `platform::erasures`
    /// does so. A later message from the same number creates a new contact.
    pub async fn delete(&self, caller: &dyn ActsFor, to: &str) -> Result<ContactId> {
        let person = target(Field::Target, to).map_err(|_| super::NO_CONTACT)?;
        let input = (caller.tenant(), person, self.0.now().to_millis(), caller.audit_actor());
        let followers = *self.0.contact_followers();
        self.0
            .db()
            .write(input, move |tx, (tenant, person, now, actor)| {
                Box::pin(async move {
                    let gone = find_for_update(tx, *tenant, person).await?.ok_or(super::NO_CONTACT)?;
                    let known_by = store::people::contacts::identities(tx, *tenant, gone.id).await?;
                    let ids: Vec<ContactId> = former_ids(&known_by).chain([gone.id]).collect();
                    let mut traces = ErasedTraces::default();
                    for follower in followers {
                        traces.add(follower.erased(tx, *tenant, &ids).await?);
                    }
                    store::people::contacts::erase(tx, *tenant, &gone, *now).await?;
                    if traces.frees_operator {
                        let change = InboxChange::about(InboxSubject::Operators);
                        emit(tx, *tenant, &[Fact::inbox_changed(*now, &change)]).await?;
                    }
                    let erasure = erasure(&gone, &known_by, traces, *now);
                    store::people::contacts::insert_erasure(tx, *tenant, &erasure).await?;
                    let subject = gone.id.to_string();
                    actor.record(tx, *tenant, *now, "contact.delete", &subject, serde_json::json!({})).await?;
                    Ok(gone.id)
                })
            })
            .await
    }
}

/// What is left to erase of a deleted contact.
fn erasure(gone: &Contact, known_by: &[Identity], traces: ErasedTraces, now: Timestamp) -> Erasure {
    let of_kind = |kind: IdentityKind, own: Option<&String>| {
        let known = known_by.iter().filter(|identity| identity.kind == kind).map(|identity| &identity.value);
        known.chain(own).cloned().collect()
    };
    let ErasedTraces { conversations, mut files, .. } = traces;
    files.sort_unstable();
    files.dedup();
    let bsuids = of_kind(IdentityKind::Bsuid, Some(&gone.bsuid));
    let phones = of_kind(IdentityKind::Phone, gone.phone.as_ref());
    let conversations = conversations.into_iter().collect();
    let person = ErasedPerson { conversations, bsuids, phones };
    Erasure { id: gone.id, erased_at: now, person, files, position: 0, until: None }
}
