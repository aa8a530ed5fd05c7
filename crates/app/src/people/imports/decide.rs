//! Decides what becomes of each row of a batch, given the contacts that exist. It writes nothing: an import and its dry
//! run make the same decisions and differ only in what they write.

use std::borrow::Cow;
use std::collections::HashMap;

use domain::people::contacts::identity::{Identity, IdentityKind};
use domain::people::contacts::{Contact, check_params, fold, merge_params};
use domain::{ContactId, Timestamp};
use store::people::imports::Reject;

use super::problem::RowProblem;
use super::reader::{BatchPart, ItemContent};
use super::row::{Row, differing, in_column};
use super::verdicts::Verdict;
use crate::people::contacts::consent::decided;

/// A stored contact that has one of the numbers or BSUIDs of a batch.
#[derive(Debug)]
pub(super) struct Known {
    pub kind: IdentityKind,
    pub value: String,
    pub contact: Contact,
}

/// A contact that rows of the batch create or change.
#[derive(Debug)]
pub(super) struct ImportedContact<'a> {
    /// None if this batch creates the contact.
    pub before: Option<&'a Contact>,
    pub now: Cow<'a, Contact>,
    /// Identities to add to the contact.
    pub identities: Cow<'a, [Identity]>,
    pub decisions: Vec<&'static str>,
    /// Names of the teams that replace the contact's; `apply` resolves them to ids.
    pub teams: Option<&'a [String]>,
    changed: bool,
}

impl ImportedContact<'_> {
    pub fn is_new(&self) -> bool {
        self.before.is_none()
    }

    pub fn is_changed(&self) -> bool {
        self.changed && self.before.is_some()
    }
}

#[derive(Debug)]
pub(super) struct Decision<'a> {
    pub verdicts: Vec<Verdict>,
    pub rejects: Vec<Reject>,
    pub people: Vec<ImportedContact<'a>>,
}

pub(super) fn decide<'a>(part: &'a BatchPart, first_row: i64, known: &'a [Known], now: Timestamp) -> Decision<'a> {
    let mut people = ImportedContacts::new(known, now);
    let mut verdicts = Vec::with_capacity(part.items().len());
    let mut rejects = Vec::new();
    for (number, item) in (first_row..).zip(part.items()) {
        let outcome = match &item.content {
            ItemContent::Blank => Ok(Verdict::Blank),
            ItemContent::Row(row) => people.decide_row(row),
            ItemContent::Rejected(problem) => Err(problem.clone()),
        };
        verdicts.push(outcome.unwrap_or_else(|RowProblem { column, reason }| {
            rejects.push(Reject { row: number, column, reason, line: part.line(item).to_vec() });
            Verdict::Rejected
        }));
    }
    Decision { verdicts, rejects, people: people.all }
}

struct ImportedContacts<'a> {
    all: Vec<ImportedContact<'a>>,
    by_key: HashMap<(IdentityKind, &'a str), usize>,
    now: Timestamp,
}

impl<'a> ImportedContacts<'a> {
    fn new(known: &'a [Known], now: Timestamp) -> Self {
        let mut people = Self { all: Vec::new(), by_key: HashMap::new(), now };
        let mut by_id: HashMap<ContactId, usize> = HashMap::new();
        for Known { kind, value, contact } in known {
            let index = *by_id.entry(contact.id).or_insert_with(|| {
                people.all.push(ImportedContact {
                    before: Some(contact),
                    now: Cow::Borrowed(contact),
                    identities: Cow::Borrowed(&[]),
                    decisions: Vec::new(),
                    teams: None,
                    changed: false,
                });
                people.all.len() - 1
            });
            people.by_key.insert((*kind, value), index);
        }
        people
    }

    fn decide_row(&mut self, row: &'a Row) -> Result<Verdict, RowProblem> {
        let index = |kind: IdentityKind, value: Option<&'a str>| {
            value.and_then(|value| self.by_key.get(&(kind, value)).copied())
        };
        let (by_bsuid, by_phone) = (index(IdentityKind::Bsuid, row.bsuid()), index(IdentityKind::Phone, row.phone()));
        let verdict = match (by_bsuid, by_phone) {
            (None, None) => self.create(row),
            (Some(one), Some(other)) if one != other => return Err(self.two_people(one, other)),
            (Some(one), _) | (None, Some(one)) => self.update(one, row)?,
        };
        Ok(verdict)
    }

    fn two_people(&self, bsuid: usize, phone: usize) -> RowProblem {
        let (bsuid, phone) = (self.all[bsuid].now.id, self.all[phone].now.id);
        let reason =
            format!("belongs to contact {phone}, but the BSUID to {bsuid}: merge them, or leave out one of the two");
        RowProblem::new("phone", reason)
    }

    fn create(&mut self, row: &'a Row) -> Verdict {
        let index = self.all.len();
        self.all.push(ImportedContact {
            before: None,
            now: Cow::Borrowed(&row.draft),
            identities: Cow::Borrowed(&row.identities),
            decisions: row.decisions.clone(),
            teams: row.teams.as_deref().filter(|teams| !teams.is_empty()),
            changed: false,
        });
        self.index_keys(index, row);
        Verdict::Created
    }

    fn index_keys(&mut self, index: usize, row: &'a Row) {
        let keys = [(IdentityKind::Phone, row.phone()), (IdentityKind::Bsuid, row.bsuid())];
        self.by_key.extend(keys.into_iter().filter_map(|(kind, value)| Some(((kind, value?), index))));
    }

    fn update(&mut self, index: usize, row: &'a Row) -> Result<Verdict, RowProblem> {
        let keys = [(IdentityKind::Phone, row.phone()), (IdentityKind::Bsuid, row.bsuid())];
        let is_new = |(kind, value): &(IdentityKind, Option<&'a str>)| {
            value.is_some_and(|value| !self.by_key.contains_key(&(*kind, value)))
        };
        let new_keys: Vec<(IdentityKind, &str)> =
            keys.into_iter().filter(is_new).filter_map(|(kind, value)| Some((kind, value?))).collect();
        let now = self.now;
        let changed = self.all[index].update(row, &new_keys, now)?;
        self.index_keys(index, row);
        Ok(if changed { Verdict::Updated } else { Verdict::Unchanged })
    }
}

impl<'a> ImportedContact<'a> {
    /// Applies the whole row, or nothing of it.
    fn update(&mut self, row: &'a Row, new_keys: &[(IdentityKind, &str)], now: Timestamp) -> Result<bool, RowProblem> {
        let mut changed = false;
        if row.draft.custom_params.iter().any(|param| self.now.param(&param.name) != Some(&param.value)) {
            let mut params = self.now.custom_params.clone();
            merge_params(&mut params, &row.draft.custom_params);
            check_params(&params).map_err(|error| in_column(&error, &[]))?;
            self.now.to_mut().custom_params = params;
            changed = true;
        }
        if !row.draft.name.is_empty() && row.draft.name != self.now.name {
            self.now.to_mut().name.clone_from(&row.draft.name);
            changed = true;
        }
        changed |= self.decide_consent(row, now);
        changed |= self.want_teams(row);
        for (kind, value) in new_keys {
            self.identities.to_mut().push(Identity::seen(*kind, value, now));
            if *kind == IdentityKind::Phone {
                self.now.to_mut().phone = Some((*value).to_owned());
            }
            changed = true;
        }
        if changed {
            self.now.to_mut().updated_at = now;
            self.changed = true;
        }
        Ok(changed)
    }

    fn decide_consent(&mut self, row: &Row, now: Timestamp) -> bool {
        let Some(update) = differing(&self.now, &row.consent) else { return false };
        let (contact, decisions) = decided(&self.now, &update, now);
        self.now = Cow::Owned(contact);
        self.decisions.extend(decisions);
        true
    }

    fn want_teams(&mut self, row: &'a Row) -> bool {
        let Some(wanted) = row.teams.as_deref() else { return false };
        let key = |name: &str| fold(name.trim());
        let mut keys: Vec<String> = Vec::new();
        for name in wanted {
            if !keys.contains(&key(name)) {
                keys.push(key(name));
            }
        }
        let has: Vec<String> = match self.teams {
            Some(names) => names.iter().map(|name| key(name)).collect(),
            None => self.now.teams.iter().map(|team| key(&team.name)).collect(),
        };
        if keys == has {
            return false;
        }
        self.teams = Some(wanted);
        true
    }
}
