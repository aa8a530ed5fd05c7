//! All rows about one person, for an export.

use domain::people::contacts::identity::former_ids;
use domain::{ContactId, Field};
use serde_json::Value;
use store::base::tenant_data;

use super::{Contacts, find_for_update, target};
use crate::{ActsFor, Result};

#[boxed::futures]
impl Contacts<'_> {
    /// Notes the export in the audit log. Returns the contact's id, followed by those of the contacts that were merged
    /// into it.
    pub async fn begin_data_export(&self, caller: &dyn ActsFor, to: &str) -> Result<Vec<ContactId>> {
        let person = target(Field::Target, to).map_err(|_| super::NO_CONTACT)?;
        let input = (caller.tenant(), person, self.0.now().to_millis(), caller.audit_actor());
        self.0
            .db()
            .write(input, |tx, (tenant, person, now, actor)| {
                Box::pin(async move {
                    let found = find_for_update(tx, *tenant, person).await?.ok_or(super::NO_CONTACT)?;
                    let known_by = store::people::contacts::identities(tx, *tenant, found.id).await?;
                    let subject = found.id.to_string();
                    actor.record(tx, *tenant, *now, "contact.export_data", &subject, serde_json::json!({})).await?;
                    Ok(std::iter::once(found.id).chain(former_ids(&known_by)).collect())
                })
            })
            .await
    }

    /// Visits every row of a table that is about one of the contacts, as a JSON object without secrets.
    pub async fn export_data(
        &self,
        caller: &dyn ActsFor,
        contacts: &[ContactId],
        table: &str,
        visit: &mut (dyn FnMut(Value) -> store::Result<()> + Send),
    ) -> Result<()> {
        for contact in contacts {
            tenant_data::each_row_about(self.0.db(), table, (caller.tenant(), *contact), visit).await?;
        }
        Ok(())
    }
}

/// The tables that `Contacts::export_data` reads, by name.
pub fn tables_about_person() -> Vec<&'static str> {
    tenant_data::tables_about_person().collect()
}
