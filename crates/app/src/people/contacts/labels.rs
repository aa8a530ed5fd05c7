//! The labels of a contact.

use domain::delivery::events::{Fact, FactCause, InboxChange, InboxSubject};
use domain::people::contacts::{Contact, ContactFilter, ContactView, TargetRef, Team};
use domain::people::labels::Label;
use domain::people::segments::SegmentSet;
use domain::{Field, LabelId, TenantId, Timestamp};
use store::Tx;

use super::{Contacts, NO_CONTACT, find_for_update, target};
use crate::base::emit::emit;
use crate::people::labels::{LabelsWanted, of_filter};
use crate::{ActsFor, Error, Result};

#[derive(Debug)]
struct LabelsRequest {
    tenant: TenantId,
    person: TargetRef,
    wanted: LabelsWanted,
    operator: Option<String>,
    cause: FactCause,
    now: Timestamp,
}

/// All segments, labels and teams of a tenant, to find the names of those that a contact has.
#[derive(Debug)]
pub struct ContactNames {
    pub segments: SegmentSet,
    pub labels: Vec<Label>,
    pub teams: Vec<Team>,
}

impl ContactNames {
    /// The names of a contact's labels, without those that were removed.
    pub fn labels_of(&self, contact: &ContactView<'_>) -> Vec<&str> {
        let name = |id: &LabelId| self.labels.iter().find(|label| label.id == *id).map(|label| label.name.as_str());
        contact.labels().iter().filter_map(name).collect()
    }

    /// The present names of a contact's teams, without those that were deleted.
    pub fn teams_of(&self, contact: &ContactView<'_>) -> Vec<&str> {
        let name = |one: &Team| self.teams.iter().find(|team| team.id == one.id).map(|team| team.name.as_str());
        contact.teams().iter().filter_map(name).collect()
    }
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn names(&self, caller: &dyn ActsFor) -> Result<ContactNames> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let (segments, labels, teams) = tokio::try_join!(
            store::people::segments::list(db, tenant),
            store::people::labels::list(db, tenant),
            store::people::teams::names(db, tenant)
        )?;
        Ok(ContactNames { segments: segments.into(), labels, teams })
    }

    /// Replaces the labels of a contact, or adds and removes some. A label that does not exist is refused.
    pub async fn set_labels(&self, caller: &dyn ActsFor, to: &str, wanted: LabelsWanted) -> Result<Contact> {
        let person = target(Field::Target, to).map_err(|_| NO_CONTACT)?;
        let (tenant, operator, now) = (caller.tenant(), caller.email(), self.0.now().to_millis());
        let change = LabelsRequest { tenant, person, wanted, operator, cause: caller.cause(), now };
        self.0.db().write(change, |tx, change| Box::pin(set(tx, change))).await
    }

    /// Narrows a filter to the contacts with a label, given by id or name.
    pub async fn with_label(&self, caller: &dyn ActsFor, named: &str, filter: &mut ContactFilter) -> Result<()> {
        filter.label = Some(of_filter(self.0.db(), caller.tenant(), named).await?);
        Ok(())
    }
}

async fn set(tx: &mut Tx<'_>, change: &LabelsRequest) -> Result<Contact> {
    let LabelsRequest { tenant, person, wanted, operator, cause, now } = change;
    let labels = store::people::labels::list_in(tx, *tenant).await?;
    let wanted = wanted.change(&labels)?;
    let known = find_for_update(tx, *tenant, person).await?.ok_or(NO_CONTACT)?;
    // Drops ids of labels that were removed.
    let present: Vec<_> =
        known.labels.iter().filter(|id| labels.iter().any(|label| label.id == **id)).copied().collect();
    let after = wanted.apply(&present).map_err(|error| Error::invalid(Field::Labels, error))?;
    if after == known.labels {
        return Ok(known);
    }
    let changed = Contact { labels: after, updated_at: *now, ..known.clone() };
    store::people::contacts::update(tx, *tenant, &known, &changed).await?;
    let change = InboxChange {
        contact: Some((changed.id, &changed.labels)),
        operator: operator.as_deref(),
        cause: *cause,
        ..InboxChange::about(InboxSubject::Contact)
    };
    emit(tx, *tenant, &[Fact::inbox_changed(now.to_millis(), &change)]).await?;
    Ok(changed)
}
