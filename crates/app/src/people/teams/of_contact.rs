//! The teams of a contact. A team is created when it is first named.

use domain::base::quotas::{Quota, Quotas};
use domain::people::contacts::{Contact, TargetRef, Team, check_teams, fold};
use domain::{Field, Id, TenantId, Timestamp};
use store::Tx;

use crate::base::quotas;
use crate::people::contacts::{Contacts, find_for_update, target};
use crate::{ActsFor, Error, Result, Thing};

#[derive(Debug)]
struct TeamAssignment {
    tenant: TenantId,
    person: TargetRef,
    names: Vec<String>,
    quotas: Quotas,
    now: Timestamp,
}

#[boxed::futures]
impl Contacts<'_> {
    /// Replaces the teams of a contact; an empty list is allowed.
    pub async fn set_teams(&self, caller: &dyn ActsFor, to: &str, names: Vec<String>) -> Result<Contact> {
        check_teams(&names).map_err(|error| Error::of_field(&error))?;
        let person = target(Field::Target, to)?;
        let (tenant, quotas, now) = (caller.tenant(), self.0.quotas(), self.0.now().to_millis());
        let assignment = TeamAssignment { tenant, person, names, quotas, now };
        self.0.db().write(assignment, |tx, assignment| Box::pin(assign(tx, assignment))).await
    }
}

async fn assign(tx: &mut Tx<'_>, assignment: &TeamAssignment) -> Result<Contact> {
    let tenant = assignment.tenant;
    let missing = || Error::missing(Field::Target, Thing::Contact);
    let known = find_for_update(tx, tenant, &assignment.person).await?.ok_or_else(missing)?;
    let mut changed = Contact { teams: Vec::new(), updated_at: assignment.now, ..known.clone() };
    for name in &assignment.names {
        let name = name.trim();
        let new = Team { id: Id::new(assignment.now), name: name.to_owned() };
        if store::people::teams::by_key_in(tx, tenant, &fold(name)).await?.is_none() {
            quotas::check(&assignment.quotas, Quota::Teams, store::people::teams::count(tx, tenant).await?, 1)?;
        }
        let team = store::people::teams::find_or_create(tx, tenant, &fold(name), &new, assignment.now).await?;
        if !changed.teams.contains(&team) {
            changed.teams.push(team);
        }
    }
    store::people::contacts::update(tx, tenant, &known, &changed).await?;
    Ok(changed)
}
