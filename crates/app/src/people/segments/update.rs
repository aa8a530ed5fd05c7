//! Changing a segment: its name, the conditions of a dynamic one, the members of a static one.

use domain::people::contacts::{Condition, Contact, TargetRef, fold};
use domain::people::segments::{self, Segment, SegmentMembers};
use domain::{Field, SegmentId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use super::{NO_SEGMENT, check_number, name_taken, named, people};
use crate::people::contacts::Contacts;
use crate::{Actor, ActsFor, Error, Result};

/// Changes of a segment. None leaves a member as it is.
#[derive(Debug, Clone, Default)]
pub struct SegmentUpdate {
    pub name: Option<String>,
    /// Replaces the conditions of a dynamic segment.
    pub groups: Option<Vec<Vec<Condition>>>,
    /// Targets that become members of a static segment.
    pub add: Vec<String>,
    /// Targets that leave a static segment; a contact that is named in both lists leaves.
    pub remove: Vec<String>,
}

#[derive(Debug)]
struct SegmentWrite {
    tenant: TenantId,
    id: SegmentId,
    name: Option<String>,
    groups: Option<Vec<Vec<Condition>>>,
    add: Vec<TargetRef>,
    remove: Vec<TargetRef>,
    actor: Actor,
    now: Timestamp,
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn update_segment(&self, caller: &dyn ActsFor, id: SegmentId, update: SegmentUpdate) -> Result<Segment> {
        check_number(Field::Add, &update.add)?;
        check_number(Field::Remove, &update.remove)?;
        let write = SegmentWrite {
            tenant: caller.tenant(),
            id,
            name: update.name.map(|name| name.trim().to_owned()),
            groups: update.groups,
            add: people(Field::Add, &update.add)?,
            remove: people(Field::Remove, &update.remove)?,
            actor: caller.audit_actor(),
            now: self.0.now().to_millis(),
        };
        self.0.db().write(write, |tx, write| Box::pin(write.run(tx))).await
    }
}

impl SegmentWrite {
    async fn run(&self, tx: &mut Tx<'_>) -> Result<Segment> {
        let all = store::people::segments::list_in(tx, self.tenant).await?;
        let known = all.iter().find(|segment| segment.id == self.id).ok_or(NO_SEGMENT)?;
        let changed = self.changed(known)?;
        let key = fold(&changed.name);
        if all.iter().any(|other| other.id != self.id && fold(&other.name) == key) {
            return Err(name_taken());
        }
        let moved = self.move_members(tx).await?;
        if changed != *known {
            store::people::segments::update(tx, self.tenant, &key, &changed).await?;
        }
        if changed != *known || moved != (0, 0) {
            let (added, removed) = moved;
            let details = json!({"name": changed.name, "added": added, "removed": removed});
            self.actor.record(tx, self.tenant, self.now, "segment.update", &self.id.to_string(), details).await?;
        }
        Ok(changed)
    }

    fn changed(&self, known: &Segment) -> Result<Segment> {
        let mut changed = known.clone();
        if let Some(name) = &self.name {
            changed.name.clone_from(name);
        }
        match (&mut changed.members, &self.groups) {
            (SegmentMembers::Static, Some(_)) => {
                return Err(Error::invalid(Field::Groups, "a static segment has members, not conditions"));
            }
            (SegmentMembers::Dynamic(groups), Some(wanted)) => groups.clone_from(wanted),
            (SegmentMembers::Static | SegmentMembers::Dynamic(_), None) => {}
        }
        let is_dynamic = changed.members != SegmentMembers::Static;
        for (field, people) in [(Field::Add, &self.add), (Field::Remove, &self.remove)] {
            if is_dynamic && !people.is_empty() {
                return Err(Error::invalid(field, "a dynamic segment can only select contacts by groups"));
            }
        }
        segments::check(&changed.name, &changed.members).map_err(|error| Error::of_field(&error))?;
        Ok(changed)
    }

    /// Adds and removes members; returns how many contacts joined and how many left.
    async fn move_members(&self, tx: &mut Tx<'_>) -> Result<(usize, usize)> {
        let mut leaving = named(tx, self.tenant, Field::Remove, &self.remove).await?;
        let mut joining = named(tx, self.tenant, Field::Add, &self.add).await?;
        for members in [&mut leaving, &mut joining] {
            members.sort_unstable_by_key(|contact| contact.id);
            members.dedup_by_key(|contact| contact.id);
        }
        joining.retain(|contact| leaving.binary_search_by_key(&contact.id, |one| one.id).is_err());
        joining.retain(|contact| !contact.segments.contains(&self.id));
        leaving.retain(|contact| contact.segments.contains(&self.id));
        let counts = (joining.len(), leaving.len());
        let put_in = |known: Contact| {
            let mut member = Contact { updated_at: self.now, ..known.clone() };
            member.segments.push(self.id);
            (known, member)
        };
        let take_out = |known: Contact| {
            let mut other = Contact { updated_at: self.now, ..known.clone() };
            other.segments.retain(|id| *id != self.id);
            (known, other)
        };
        let changes: Vec<_> = joining.into_iter().map(put_in).chain(leaving.into_iter().map(take_out)).collect();
        store::people::contacts::update_many(tx, self.tenant, &changes).await?;
        Ok(counts)
    }
}
