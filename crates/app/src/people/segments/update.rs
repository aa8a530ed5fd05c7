//! Changing a segment: its name, the conditions of a dynamic one, the members of a static one.

use domain::people::contacts::{Condition, Contact, TargetRef, fold};
use domain::people::segments::{self, Segment, SegmentMembers};
use domain::{Field, SegmentId, TenantId, Timestamp};
use serde_json::json;
use store::Tx;

use super::members::{Direction, FEW, MemberMove};
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

#[derive(Debug, Clone)]
struct SegmentWrite {
    tenant: TenantId,
    id: SegmentId,
    name: Option<String>,
    groups: Option<Vec<Vec<Condition>>>,
    add: Vec<TargetRef>,
    remove: Vec<TargetRef>,
    /// How many contacts have joined and left before the transaction.
    moved: (usize, usize),
    actor: Actor,
    now: Timestamp,
}

/// Contacts that join a segment and contacts that leave it.
#[derive(Debug)]
struct Moving {
    joining: Vec<Contact>,
    leaving: Vec<Contact>,
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn update_segment(&self, caller: &dyn ActsFor, id: SegmentId, update: SegmentUpdate) -> Result<Segment> {
        check_number(Field::Add, &update.add)?;
        check_number(Field::Remove, &update.remove)?;
        let mut write = SegmentWrite {
            tenant: caller.tenant(),
            id,
            name: update.name.map(|name| name.trim().to_owned()),
            groups: update.groups,
            add: people(Field::Add, &update.add)?,
            remove: people(Field::Remove, &update.remove)?,
            moved: (0, 0),
            actor: caller.audit_actor(),
            now: self.0.now().to_millis(),
        };
        if write.add.len() + write.remove.len() > FEW {
            self.move_before(&mut write).await?;
        }
        self.0.db().write(write, |tx, write| Box::pin(write.run(tx))).await
    }

    /// Moves contacts in several transactions before the segment itself is written. Checks first what could refuse the
    /// update.
    async fn move_before(&self, write: &mut SegmentWrite) -> Result<()> {
        let ids = |contacts: Vec<Contact>| contacts.into_iter().map(|contact| contact.id).collect::<Vec<_>>();
        let Moving { joining, leaving } =
            self.0.db().preview(write.clone(), |tx, write| Box::pin(write.checked(tx))).await?;
        let (joining, leaving) = (ids(joining), ids(leaving));
        write.moved = (
            write.member_move(Direction::Join).run(self.0.db(), &joining).await?,
            write.member_move(Direction::Leave).run(self.0.db(), &leaving).await?,
        );
        write.add.clear();
        write.remove.clear();
        Ok(())
    }
}

impl SegmentWrite {
    async fn run(&self, tx: &mut Tx<'_>) -> Result<Segment> {
        let (known, changed) = self.change(tx).await?;
        let moved = self.move_members(tx).await?;
        if changed != known {
            store::people::segments::update(tx, self.tenant, &fold(&changed.name), &changed).await?;
        }
        let moved = (self.moved.0 + moved.0, self.moved.1 + moved.1);
        if changed != known || moved != (0, 0) {
            let (added, removed) = moved;
            let details = json!({"name": changed.name, "added": added, "removed": removed});
            self.actor.record(tx, self.tenant, self.now, "segment.update", &self.id.to_string(), details).await?;
        }
        Ok(changed)
    }

    /// The segment before and after the change, if nothing refuses it.
    async fn change(&self, tx: &mut Tx<'_>) -> Result<(Segment, Segment)> {
        let all = store::people::segments::list_in(tx, self.tenant).await?;
        let known = all.iter().find(|segment| segment.id == self.id).ok_or(NO_SEGMENT)?;
        let changed = self.changed(known)?;
        let key = fold(&changed.name);
        if all.iter().any(|other| other.id != self.id && fold(&other.name) == key) {
            return Err(name_taken());
        }
        Ok((known.clone(), changed))
    }

    /// The contacts that move, if nothing refuses the update.
    async fn checked(&self, tx: &mut Tx<'_>) -> Result<Moving> {
        self.change(tx).await?;
        self.moving(tx).await
    }

    fn member_move(&self, direction: Direction) -> MemberMove {
        MemberMove { tenant: self.tenant, segment: self.id, direction, now: self.now }
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
        let Moving { joining, leaving } = self.moving(tx).await?;
        let counts = (joining.len(), leaving.len());
        let (join, leave) = (self.member_move(Direction::Join), self.member_move(Direction::Leave));
        let joins = joining.into_iter().map(|known| join.change(known));
        let changes: Vec<_> = joins.chain(leaving.into_iter().map(|known| leave.change(known))).collect();
        store::people::contacts::update_many(tx, self.tenant, &changes).await?;
        Ok(counts)
    }

    async fn moving(&self, tx: &mut Tx<'_>) -> Result<Moving> {
        let mut leaving = named(tx, self.tenant, Field::Remove, &self.remove).await?;
        let mut joining = named(tx, self.tenant, Field::Add, &self.add).await?;
        for members in [&mut leaving, &mut joining] {
            members.sort_unstable_by_key(|contact| contact.id);
            members.dedup_by_key(|contact| contact.id);
        }
        joining.retain(|contact| leaving.binary_search_by_key(&contact.id, |one| one.id).is_err());
        joining.retain(|contact| !contact.segments.contains(&self.id));
        leaving.retain(|contact| contact.segments.contains(&self.id));
        Ok(Moving { joining, leaving })
    }
}
