//! Deleting a contact.

use domain::people::contacts::identity::former_ids;
use domain::{ContactId, Field};

use super::{Contacts, find_for_update, target};
use crate::{ActsFor, Result};

#[boxed::futures]
impl Contacts<'_> {
    /// Deletes a contact and returns its id. The contact, its identities, its history, its conversations and the
    /// content of its messages are gone when this returns; the id and BSUIDs stay for rows that refer to them. Calls,
    /// and events in the log, keep what they recorded. A later message from the same number creates a new contact.
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
                    for follower in followers {
                        follower.erased(tx, *tenant, &ids).await?;
                    }
                    store::people::contacts::erase(tx, *tenant, &gone, *now).await?;
                    let subject = gone.id.to_string();
                    actor.record(tx, *tenant, *now, "contact.delete", &subject, serde_json::json!({})).await?;
                    Ok(gone.id)
                })
            })
            .await
    }
}
