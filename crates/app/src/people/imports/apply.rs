//! Applies the rows of a batch, or a part of them, in one transaction: contacts, verdicts, rejected rows and the
//! position in the file.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use domain::people::consent_values::ConsentColumn;
use domain::people::contacts::identity::IdentityKind;
use domain::people::contacts::{ConsentChange, Contact, Team, fold};
use domain::people::imports::ImportCounts;
use domain::{ContactId, Field, Id, TenantId, Timestamp};
use store::Tx;

use super::decide::{Decision, ImportedContact, Known, decide};
use super::lease::{ImportLease, LEASE_SECONDS};
use super::reader::{BatchPart, Indexing};
use super::row::{Row, SOURCE};
use super::verdicts::{Verdict, count, to_text};
use crate::{Error, Result};

/// Rows to apply.
#[derive(Debug)]
pub(super) struct BatchStep {
    pub lease: ImportLease,
    pub part: BatchPart,
    /// The row number of the first row in the file.
    pub first_row: i64,
    pub now: Timestamp,
    pub indexing: Indexing,
    /// The consent column with the values of these rows.
    pub consent: ConsentColumn,
}

pub(super) fn taken_over() -> Error {
    Error::conflict(Field::Import, "another process is working on this import")
}

/// Checks that this process still holds the lease and that the batch starts at the stored position. Otherwise it lost
/// the lease, or the batch is applied already: the conflict ends the run before the batch changes anything.
pub(super) async fn check_lease(tx: &mut Tx<'_>, lease: &ImportLease, bytes_done: u64) -> Result<()> {
    let at = store::people::imports::lock_position(tx, lease.tenant, lease.import, &lease.holder).await?;
    if at.is_some_and(|at| u64::try_from(at) == Ok(bytes_done)) { Ok(()) } else { Err(taken_over()) }
}

pub(super) async fn apply(tx: &mut Tx<'_>, step: &BatchStep) -> Result<ImportCounts> {
    let BatchStep { lease, part, first_row, now, .. } = step;
    check_lease(tx, lease, part.bytes().start).await?;
    let known = look_up(tx, lease.tenant, part).await?;
    let decision = decide(part, *first_row, &known, *now);
    write(tx, step, &decision.people).await?;
    record(tx, step, &BatchResults::from_decision(decision)).await
}

/// Reads the contacts that the numbers and BSUIDs of the rows belong to.
pub(super) async fn look_up(tx: &mut Tx<'_>, tenant: TenantId, part: &BatchPart) -> Result<Vec<Known>> {
    let mut known = Vec::new();
    for (kind, listed) in [(IdentityKind::Bsuid, keys(part, Row::bsuid)), (IdentityKind::Phone, keys(part, Row::phone))]
    {
        if listed.is_empty() {
            continue;
        }
        let found = store::people::contacts::known_by_any(tx, tenant, kind, &listed).await?;
        known.extend(found.into_iter().map(|(value, contact)| Known { kind, value, contact }));
    }
    Ok(known)
}

/// The distinct numbers or BSUIDs that the rows name.
fn keys(part: &BatchPart, key: impl Fn(&Row) -> Option<&str>) -> Vec<&str> {
    let mut all: Vec<&str> = part.rows().filter_map(key).collect();
    all.sort_unstable();
    all.dedup();
    all
}

async fn write(tx: &mut Tx<'_>, step: &BatchStep, people: &[ImportedContact<'_>]) -> Result<()> {
    let (tenant, now) = (step.lease.tenant, step.now);
    let teams = teams_of(tx, tenant, people, now).await?;
    let finished: Vec<Cow<'_, Contact>> = people.iter().map(|person| finished(person, &teams)).collect();
    let both = || people.iter().zip(&finished);
    let new: Vec<_> = both().filter(|(person, _)| person.is_new()).map(|(p, now)| (&**now, &*p.identities)).collect();
    if !new.is_empty() {
        match (step.indexing, step.part.index()) {
            (Indexing::Later, _) => {
                store::people::contacts::insert_unindexed(tx, tenant, step.lease.import, &new).await?;
            }
            (Indexing::AtOnce, Some(index)) if as_read(&step.part, people) => {
                store::people::contacts::insert_indexed(tx, tenant, &new, index).await?;
            }
            (Indexing::AtOnce, _) => store::people::contacts::insert_many(tx, tenant, &new).await?,
        }
    }
    let change = |(person, now): (&ImportedContact<'_>, &Cow<'_, Contact>)| {
        let before = person.before.filter(|_| person.is_changed())?;
        Some((before.clone(), now.clone().into_owned()))
    };
    store::people::contacts::update_many(tx, tenant, &both().filter_map(change).collect::<Vec<_>>()).await?;
    for person in people.iter().filter(|person| person.is_changed() && !person.identities.is_empty()) {
        store::people::contacts::save_identities(tx, tenant, person.now.id, &person.identities).await?;
    }
    let decisions: Vec<(ContactId, ConsentChange)> = people.iter().flat_map(|person| decisions(person, now)).collect();
    Ok(store::people::contacts::add_consents(tx, tenant, &decisions).await?)
}

/// True if every row is a new contact that stays as it was read: then the index entries that the reader computed are
/// right. Teams do not matter, since no index entry is made of them.
fn as_read(part: &BatchPart, people: &[ImportedContact<'_>]) -> bool {
    let as_read = |person: &ImportedContact<'_>| person.is_new() && matches!(person.now, Cow::Borrowed(_));
    !people.is_empty() && people.len() == part.rows().count() && people.iter().all(as_read)
}

fn decisions(person: &ImportedContact<'_>, at: Timestamp) -> impl Iterator<Item = (ContactId, ConsentChange)> {
    let change = move |change: &&str| ConsentChange { at, change: (*change).to_owned(), source: SOURCE.to_owned() };
    person.decisions.iter().map(move |decision| (person.now.id, change(decision)))
}

type Teams = HashMap<String, Team>;

async fn teams_of(tx: &mut Tx<'_>, tenant: TenantId, people: &[ImportedContact<'_>], now: Timestamp) -> Result<Teams> {
    let mut teams = Teams::new();
    for (key, name) in wanted_teams(people) {
        let new = Team { id: Id::new(now), name };
        let team = store::people::teams::find_or_create(tx, tenant, &key, &new, now).await?;
        teams.insert(key, team);
    }
    Ok(teams)
}

/// The teams that rows name, by folded name. Ordered, so that two imports lock teams in the same order.
fn wanted_teams(people: &[ImportedContact<'_>]) -> BTreeMap<String, String> {
    let names = people.iter().filter_map(|person| person.teams).flatten();
    names.map(|name| (fold(name.trim()), name.trim().to_owned())).rev().collect()
}

/// The contact with the teams of its row.
fn finished<'a>(person: &'a ImportedContact<'_>, teams: &Teams) -> Cow<'a, Contact> {
    let Some(wanted) = person.teams else { return Cow::Borrowed(&*person.now) };
    let mut contact = person.now.clone().into_owned();
    contact.teams.clear();
    for team in wanted.iter().filter_map(|name| teams.get(&fold(name.trim()))) {
        if !contact.teams.contains(team) {
            contact.teams.push(team.clone());
        }
    }
    Cow::Owned(contact)
}

/// The part of a decision that is stored for the import's report.
#[derive(Debug)]
pub(super) struct BatchResults {
    pub verdicts: Vec<Verdict>,
    pub rejects: Vec<store::people::imports::Reject>,
}

impl BatchResults {
    pub fn from_decision(decision: Decision<'_>) -> Self {
        Self { verdicts: decision.verdicts, rejects: decision.rejects }
    }
}

pub(super) async fn record(tx: &mut Tx<'_>, step: &BatchStep, results: &BatchResults) -> Result<ImportCounts> {
    let BatchStep { lease, part, first_row, now, consent, .. } = step;
    let (counts, text) = (count(&results.verdicts), to_text(&results.verdicts));
    store::people::imports::add_results(tx, lease.tenant, lease.import, *first_row, &text, &results.rejects).await?;
    let done = i64::try_from(part.bytes().end).unwrap_or(i64::MAX);
    let until = now.plus_seconds(LEASE_SECONDS);
    store::people::imports::progress(tx, lease.tenant, lease.import, done, counts, *now, until).await?;
    if part.rows().any(|row| row.consent_value.is_some()) {
        store::people::imports::set_consent(tx, lease.tenant, lease.import, consent).await?;
    }
    Ok(counts)
}
