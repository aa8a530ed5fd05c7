//! Segments: creating, listing, filtering by and removing them.

mod counts;
mod members;
mod update;

pub use counts::CountedSegment;
pub use update::SegmentUpdate;

use domain::base::quotas::{Quota, Quotas};
use domain::people::contacts::{Condition, Contact, ContactFilter, ContactView, TargetRef, fold};
use domain::people::segments::{self, Segment, SegmentMembers, SegmentSet};
use domain::{ContactId, Field, Id, SegmentId, TenantId, Timestamp};
use store::Tx;

use self::members::{Direction, FEW, MemberMove};
use super::contacts::list::scan_filtered;
use super::contacts::{Contacts, find_for_update, target};
use crate::base::quotas;
use crate::{Actor, ActsFor, Error, Result, Thing};

#[derive(Debug, Clone)]
pub struct NewSegment {
    pub name: String,
    /// True: membership follows the conditions at any time. False: the members are chosen once, at creation.
    pub dynamic: bool,
    /// Groups of conditions: a contact is a member if it meets all conditions of at least one group.
    pub groups: Vec<Vec<Condition>>,
    /// Members of a static segment, as targets.
    pub contacts: Vec<String>,
}

#[derive(Debug)]
pub struct SegmentMade {
    pub segment: Segment,
    /// The number of members of a new static segment.
    pub contacts: Option<usize>,
}

/// Most contacts that a request may name in a list, and most that the conditions of a static segment may choose.
pub const MAX_SEGMENT_CONTACTS: usize = 10_000;

pub(crate) const NO_SEGMENT: Error = Error::NotFound(Thing::Segment);

#[derive(Debug)]
struct Draft {
    tenant: TenantId,
    segment: Segment,
    people: Vec<TargetRef>,
    /// Contacts that met the conditions of the new static segment before the transaction, which checks them again.
    chosen: Vec<ContactId>,
    chosen_by: ContactFilter,
    /// Contacts that have joined before the transaction.
    joined: usize,
    actor: Actor,
    quotas: Quotas,
    now: Timestamp,
}

#[boxed::futures]
impl Contacts<'_> {
    pub async fn create_segment(&self, caller: &dyn ActsFor, new: NewSegment) -> Result<SegmentMade> {
        check(&new)?;
        let people = people(Field::Contacts, &new.contacts)?;
        let (now, name) = (self.0.now().to_millis(), new.name.trim().to_owned());
        let (members, chosen_by) = if new.dynamic {
            (SegmentMembers::Dynamic(new.groups), ContactFilter::default())
        } else {
            (SegmentMembers::Static, ContactFilter { groups: new.groups, ..ContactFilter::default() })
        };
        let chosen = self.chosen(caller, &chosen_by).await?;
        let segment = Segment { id: Id::new(now), name, members, created_at: now };
        let (tenant, actor, quotas) = (caller.tenant(), caller.audit_actor(), self.0.quotas());
        let mut draft = Draft { tenant, segment, people, chosen, chosen_by, joined: 0, actor, quotas, now };
        if draft.people.len() + draft.chosen.len() > FEW {
            self.join_before(&mut draft).await?;
        }
        self.0.db().write(draft, |tx, draft| Box::pin(create(tx, draft))).await
    }

    /// Puts the members of a new static segment into it, in several transactions before it is written. Checks first
    /// what could refuse the segment.
    async fn join_before(&self, draft: &mut Draft) -> Result<()> {
        let (db, tenant, segment, now) = (self.0.db(), draft.tenant, draft.segment.id, draft.now);
        let check = NewSegmentCheck {
            tenant,
            segment: draft.segment.clone(),
            people: std::mem::take(&mut draft.people),
            quotas: draft.quotas,
        };
        let named = db.preview(check, |tx, check| Box::pin(check.run(tx))).await?;
        draft.joined = MemberMove { tenant, segment, direction: Direction::Join, now }.run(db, &named).await?;
        let chosen = std::mem::take(&mut draft.chosen);
        let direction = Direction::JoinIf(draft.chosen_by.clone());
        draft.joined += MemberMove { tenant, segment, direction, now }.run(db, &chosen).await?;
        Ok(())
    }

    /// The contacts that meet the conditions of a static segment now.
    async fn chosen(&self, caller: &dyn ActsFor, filter: &ContactFilter) -> Result<Vec<ContactId>> {
        let mut ids = Vec::new();
        if filter.groups.is_empty() {
            return Ok(ids);
        }
        let mut choose = |contact: &ContactView<'_>| {
            ids.push(contact.id);
            ids.len() <= MAX_SEGMENT_CONTACTS
        };
        scan_filtered(self.0.db(), caller.tenant(), filter, None, i64::MAX, i64::MAX, &mut choose).await?;
        if ids.len() > MAX_SEGMENT_CONTACTS {
            let message =
                format!("more than {MAX_SEGMENT_CONTACTS} contacts match; use a dynamic segment, which has no limit");
            return Err(Error::invalid(Field::Groups, message));
        }
        Ok(ids)
    }

    /// All segments of the tenant, oldest first.
    pub async fn segments(&self, caller: &dyn ActsFor) -> Result<SegmentSet> {
        Ok(store::people::segments::list(self.0.db(), caller.tenant()).await?.into())
    }

    /// Narrows a filter to the contacts of a segment, given by id or name.
    pub async fn within_segment(&self, caller: &dyn ActsFor, named: &str, filter: &mut ContactFilter) -> Result<()> {
        let all = self.segments(caller).await?;
        let (id, key) = (named.parse::<SegmentId>().ok(), fold(named.trim()));
        let found = all.into_vec().into_iter().find(|segment| Some(segment.id) == id || fold(&segment.name) == key);
        let segment = found.ok_or_else(|| Error::invalid(Field::Segment, "no segment has this id or name"))?;
        narrow(segment, filter);
        Ok(())
    }

    /// Removes a segment. Contacts keep the id of a removed static segment in their rows; no list shows it.
    pub async fn remove_segment(&self, caller: &dyn ActsFor, id: SegmentId) -> Result<()> {
        let input = (caller.tenant(), id, self.0.now(), caller.audit_actor());
        let removed = self.0.db().write(input, |tx, (tenant, id, now, actor)| {
            Box::pin(async move {
                if !store::people::segments::remove(tx, *tenant, *id).await? {
                    return Err(NO_SEGMENT);
                }
                let details = serde_json::json!({});
                Ok(actor.record(tx, *tenant, *now, "segment.delete", &id.to_string(), details).await?)
            })
        });
        removed.await
    }
}

/// Narrows a filter to the contacts of a segment.
fn narrow(segment: Segment, filter: &mut ContactFilter) {
    match segment.members {
        SegmentMembers::Dynamic(groups) => filter.groups = groups,
        SegmentMembers::Static => filter.segment = Some(segment.id),
    }
}

fn check(new: &NewSegment) -> Result<()> {
    let by_groups = new.dynamic || !new.groups.is_empty();
    let members = if by_groups { SegmentMembers::Dynamic(new.groups.clone()) } else { SegmentMembers::Static };
    segments::check(&new.name, &members).map_err(|error| Error::of_field(&error))?;
    check_number(Field::Contacts, &new.contacts)?;
    match (new.dynamic, new.contacts.is_empty()) {
        (true, false) => Err(Error::invalid(Field::Contacts, "a dynamic segment can only select contacts by groups")),
        (false, true) if new.groups.is_empty() => {
            Err(Error::invalid(Field::Contacts, "a static segment needs contacts or groups"))
        }
        _ => Ok(()),
    }
}

fn check_number(field: Field, contacts: &[String]) -> Result<()> {
    if contacts.len() > MAX_SEGMENT_CONTACTS {
        return Err(Error::invalid(field, format!("at most {MAX_SEGMENT_CONTACTS} contacts")));
    }
    Ok(())
}

/// Parses a list of targets; an error names the position in the list.
fn people(field: Field, contacts: &[String]) -> Result<Vec<TargetRef>> {
    let person = |(i, text): (usize, &String)| target(field.at(i), text);
    contacts.iter().enumerate().map(person).collect()
}

impl Draft {
    async fn record_in_audit(&self, tx: &mut Tx<'_>) -> Result<()> {
        let Segment { id, name, .. } = &self.segment;
        let details = serde_json::json!({"name": name});
        Ok(self.actor.record(tx, self.tenant, self.now, "segment.create", &id.to_string(), details).await?)
    }
}

/// What is checked before many contacts join a new segment.
#[derive(Debug)]
struct NewSegmentCheck {
    tenant: TenantId,
    segment: Segment,
    people: Vec<TargetRef>,
    quotas: Quotas,
}

impl NewSegmentCheck {
    /// Returns the contacts that the request names.
    async fn run(&self, tx: &mut Tx<'_>) -> Result<Vec<ContactId>> {
        check_quotas(tx, self.tenant, &self.quotas, &self.segment).await?;
        let key = fold(&self.segment.name);
        let others = store::people::segments::list_in(tx, self.tenant).await?;
        if others.iter().any(|other| fold(&other.name) == key) {
            return Err(name_taken());
        }
        let named = named(tx, self.tenant, Field::Contacts, &self.people).await?;
        Ok(named.into_iter().map(|contact| contact.id).collect())
    }
}

async fn check_quotas(tx: &mut Tx<'_>, tenant: TenantId, quotas: &Quotas, segment: &Segment) -> Result<()> {
    quotas::check(quotas, Quota::Segments, store::people::segments::count(tx, tenant).await?, 1)?;
    let conditions = segment.members.conditions() as u64;
    if conditions > 0 {
        let used = store::people::segments::count_conditions(tx, tenant).await?;
        quotas::check(quotas, Quota::Conditions, used, conditions)?;
    }
    Ok(())
}

async fn create(tx: &mut Tx<'_>, draft: &Draft) -> Result<SegmentMade> {
    let segment = draft.segment.clone();
    check_quotas(tx, draft.tenant, &draft.quotas, &segment).await?;
    if !store::people::segments::insert(tx, draft.tenant, &fold(&segment.name), &segment).await? {
        return Err(name_taken());
    }
    draft.record_in_audit(tx).await?;
    if segment.members != SegmentMembers::Static {
        return Ok(SegmentMade { segment, contacts: None });
    }
    let mut members = named(tx, draft.tenant, Field::Contacts, &draft.people).await?;
    members.extend(recheck_chosen(tx, draft).await?);
    members.sort_unstable_by_key(|contact| contact.id);
    members.dedup_by_key(|contact| contact.id);
    let join = MemberMove { tenant: draft.tenant, segment: segment.id, direction: Direction::Join, now: draft.now };
    let changes: Vec<(Contact, Contact)> = members.into_iter().map(|known| join.change(known)).collect();
    store::people::contacts::update_many(tx, draft.tenant, &changes).await?;
    Ok(SegmentMade { segment, contacts: Some(draft.joined + changes.len()) })
}

fn name_taken() -> Error {
    Error::conflict(Field::Name, "a segment with this name already exists")
}

/// Reads the contacts that a list of targets names and locks their rows until the transaction ends.
async fn named(tx: &mut Tx<'_>, tenant: TenantId, field: Field, people: &[TargetRef]) -> Result<Vec<Contact>> {
    let mut members = Vec::with_capacity(people.len());
    for (i, person) in people.iter().enumerate() {
        let missing = || Error::missing(field.at(i), Thing::Contact);
        members.push(find_for_update(tx, tenant, person).await?.ok_or_else(missing)?);
    }
    Ok(members)
}

/// Reads and locks the chosen contacts, and drops those that were deleted or no longer meet the conditions.
async fn recheck_chosen(tx: &mut Tx<'_>, draft: &Draft) -> Result<Vec<Contact>> {
    let mut members = store::people::contacts::by_ids_for_update(tx, draft.tenant, &draft.chosen).await?;
    members.retain(|contact| draft.chosen_by.allows(&contact.view(&contact.texts())));
    Ok(members)
}
