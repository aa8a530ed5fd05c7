//! Creating, changing and deleting teams.

use domain::base::quotas::{Quota, Quotas};
use domain::people::contacts::{Team, fold};
use domain::people::teams::{AssignmentMethod, TeamSettings, check_capacity, check_name};
use domain::{Change, Field, Id, OpeningHoursId, TeamId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use super::{NO_TEAM, TeamFollowers, TeamView, Teams, emit_change};
use crate::base::quotas;
use crate::{Actor, ActsFor, Error, Result};

/// A new team, or a change of one: None leaves a member as it is.
#[derive(Debug, Clone, Default)]
pub struct TeamRequest {
    pub name: Option<String>,
    pub method: Option<AssignmentMethod>,
    pub capacity: Option<i64>,
    pub opening_hours_id: Change<OpeningHoursId>,
}

#[derive(Debug)]
struct TeamWrite {
    tenant: TenantId,
    actor: Actor,
    /// None for a new team.
    id: Option<TeamId>,
    request: TeamRequest,
    quotas: Quotas,
    followers: TeamFollowers,
    now: Timestamp,
}

#[boxed::futures]
impl Teams<'_> {
    /// Creates a team without members, whose conversations are taken by hand unless the request has another method.
    pub async fn create(&self, caller: &dyn ActsFor, request: TeamRequest) -> Result<TeamView> {
        self.write(caller, None, request).await
    }

    pub async fn update(&self, caller: &dyn ActsFor, id: TeamId, request: TeamRequest) -> Result<TeamView> {
        self.write(caller, Some(id), request).await
    }

    /// Deletes a team. Contacts keep its id, which no answer of V3 shows; conversations keep it as their assignee.
    pub async fn remove(&self, caller: &dyn ActsFor, id: TeamId) -> Result<()> {
        let input = (caller.tenant(), id, caller.audit_actor(), self.0.now());
        let followers = *self.0.team_followers();
        let removed = self.0.db().write(input, move |tx, (tenant, id, actor, now)| {
            Box::pin(async move {
                let known = store::people::teams::for_update(tx, *tenant, *id).await?.ok_or(NO_TEAM)?;
                store::people::teams::remove(tx, *tenant, *id).await?;
                let details = json!({"name": known.name});
                actor.record(tx, *tenant, *now, "team.delete", &id.to_string(), details).await?;
                follow(followers, tx, *tenant, *now).await?;
                emit_change(tx, *tenant, *now).await
            })
        });
        removed.await
    }

    async fn write(&self, caller: &dyn ActsFor, id: Option<TeamId>, request: TeamRequest) -> Result<TeamView> {
        let (tenant, actor, quotas) = (caller.tenant(), caller.audit_actor(), self.0.quotas());
        let (followers, now) = (*self.0.team_followers(), self.0.now().to_millis());
        let write = TeamWrite { tenant, actor, id, request, quotas, followers, now };
        let id = self.0.db().write(write, |tx, write| Box::pin(write.run(tx))).await?;
        self.find(caller, id).await
    }
}

impl TeamWrite {
    async fn run(&self, tx: &mut Tx<'_>) -> Result<TeamId> {
        let known = match self.id {
            Some(id) => Some(store::people::teams::for_update(tx, self.tenant, id).await?.ok_or(NO_TEAM)?),
            None => None,
        };
        if known.is_none() {
            quotas::check(&self.quotas, Quota::Teams, store::people::teams::count(tx, self.tenant).await?, 1)?;
        }
        let team = self.changed(known.as_ref())?;
        let key = fold(&team.name);
        let holder = store::people::teams::by_key_in(tx, self.tenant, &key).await?;
        let is_taken = holder.is_some_and(|holder| holder.id != team.id);
        if is_taken || (known.is_none() && !store::people::teams::insert(tx, self.tenant, &key, &team).await?) {
            return Err(Error::conflict(Field::Name, "a team with this name already exists"));
        }
        if known.is_some() {
            store::people::teams::update(tx, self.tenant, &key, &team).await?;
        }
        let action = if known.is_some() { "team.update" } else { "team.create" };
        let TeamSettings { id, name, method, capacity, opening_hours_id, .. } = team;
        let details =
            json!({"name": name, "method": method, "capacity": capacity, "opening_hours_id": opening_hours_id});
        self.actor.record(tx, self.tenant, self.now, action, &id.to_string(), details).await?;
        follow(self.followers, tx, self.tenant, self.now).await?;
        emit_change(tx, self.tenant, self.now).await?;
        Ok(id)
    }

    fn changed(&self, known: Option<&TeamSettings>) -> Result<TeamSettings> {
        let new = || TeamSettings::new(Team { id: Id::new(self.now), name: String::new() }, self.now);
        let mut team = known.cloned().unwrap_or_else(new);
        let name = self.request.name.as_deref().unwrap_or(&team.name);
        team.name = check_name(name).map_err(|error| Error::of_field(&error))?.to_owned();
        if let Some(capacity) = self.request.capacity {
            team.capacity = check_capacity(capacity).map_err(|error| Error::of_field(&error))?;
        }
        team.method = self.request.method.unwrap_or(team.method);
        match self.request.opening_hours_id {
            Change::Keep => {}
            Change::Clear => team.opening_hours_id = None,
            Change::Set(schedule) => team.opening_hours_id = Some(schedule),
        }
        Ok(team)
    }
}

async fn follow(followers: TeamFollowers, tx: &mut Tx<'_>, tenant: TenantId, now: Timestamp) -> Result<()> {
    for follower in followers {
        follower.changed(tx, tenant, now).await?;
    }
    Ok(())
}
