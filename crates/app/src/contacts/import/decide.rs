//! What becomes of each row of a batch, given who is known already. Decides everything and writes nothing: an import
//! and its dry run are told apart only by what is done with the decision.

use std::borrow::Cow;
use std::collections::HashMap;

use domain::contacts::identity::{Identity, Kind};
use domain::contacts::{Contact, check_params, fold, merge_params};
use domain::{ContactId, Timestamp};
use store::imports::Reject;

use super::flaw::Flaw;
use super::reader::{Batch, What};
use super::row::{Row, differing, in_column};
use super::verdicts::Verdict;
use crate::contacts::consent::decided;

/// A contact that has one of the numbers or BSUIDs of a batch.
#[derive(Debug)]
pub(super) struct Known {
    pub kind: Kind,
    pub value: String,
    pub contact: Contact,
}

/// Somebody whom rows of the batch are about.
#[derive(Debug)]
pub(super) struct Person<'a> {
    /// None: made by this batch.
    pub before: Option<&'a Contact>,
    pub now: Cow<'a, Contact>,
    /// What the person is known by from now on, besides what was known.
    pub identities: Cow<'a, [Identity]>,
    pub decisions: Vec<&'static str>,
    /// The teams that are wanted in place of those that the contact has; their ids are the database's to say.
    pub teams: Option<&'a [String]>,
    changed: bool,
}

impl Person<'_> {
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
    pub people: Vec<Person<'a>>,
}

pub(super) fn decide<'a>(batch: &'a Batch, first_row: i64, known: &'a [Known], now: Timestamp) -> Decision<'a> {
    let mut people = People::of(known, now);
    let mut verdicts = Vec::with_capacity(batch.items.len());
    let mut rejects = Vec::new();
    for (number, item) in (first_row..).zip(&batch.items) {
        let outcome = match &item.what {
            What::Blank => Ok(Verdict::Blank),
            What::Row(row) => people.take(row),
            What::Flawed(flaw) => Err(flaw.clone()),
        };
        verdicts.push(outcome.unwrap_or_else(|Flaw { column, reason }| {
            rejects.push(Reject { row: number, column, reason, line: batch.line(item).to_vec() });
            Verdict::Rejected
        }));
    }
    Decision { verdicts, rejects, people: people.all }
}

struct People<'a> {
    all: Vec<Person<'a>>,
    by_key: HashMap<(Kind, &'a str), usize>,
    now: Timestamp,
}

impl<'a> People<'a> {
    fn of(known: &'a [Known], now: Timestamp) -> Self {
        let mut people = Self { all: Vec::new(), by_key: HashMap::new(), now };
        let mut by_id: HashMap<ContactId, usize> = HashMap::new();
        for Known { kind, value, contact } in known {
            let place = *by_id.entry(contact.id).or_insert_with(|| {
                people.all.push(Person {
                    before: Some(contact),
                    now: Cow::Borrowed(contact),
                    identities: Cow::Borrowed(&[]),
                    decisions: Vec::new(),
                    teams: None,
                    changed: false,
                });
                people.all.len() - 1
            });
            people.by_key.insert((*kind, value), place);
        }
        people
    }

    fn take(&mut self, row: &'a Row) -> Result<Verdict, Flaw> {
        let place =
            |kind: Kind, value: Option<&'a str>| value.and_then(|value| self.by_key.get(&(kind, value)).copied());
        let (by_bsuid, by_phone) = (place(Kind::Bsuid, row.bsuid()), place(Kind::Phone, row.phone()));
        let verdict = match (by_bsuid, by_phone) {
            (None, None) => self.make(row),
            (Some(one), Some(other)) if one != other => return Err(self.two_people(one, other)),
            (Some(one), _) | (None, Some(one)) => self.update(one, row)?,
        };
        Ok(verdict)
    }

    fn two_people(&self, bsuid: usize, phone: usize) -> Flaw {
        let (bsuid, phone) = (self.all[bsuid].now.id, self.all[phone].now.id);
        let reason =
            format!("belongs to the contact {phone}, the BSUID to {bsuid}: merge them, or leave one of the two out");
        Flaw::new("phone", reason)
    }

    fn make(&mut self, row: &'a Row) -> Verdict {
        let place = self.all.len();
        self.all.push(Person {
            before: None,
            now: Cow::Borrowed(&row.draft),
            identities: Cow::Borrowed(&row.identities),
            decisions: row.decisions.clone(),
            teams: row.teams.as_deref().filter(|teams| !teams.is_empty()),
            changed: false,
        });
        self.note_keys(place, row);
        Verdict::Created
    }

    fn note_keys(&mut self, place: usize, row: &'a Row) {
        let keys = [(Kind::Phone, row.phone()), (Kind::Bsuid, row.bsuid())];
        self.by_key.extend(keys.into_iter().filter_map(|(kind, value)| Some(((kind, value?), place))));
    }

    fn update(&mut self, place: usize, row: &'a Row) -> Result<Verdict, Flaw> {
        let keys = [(Kind::Phone, row.phone()), (Kind::Bsuid, row.bsuid())];
        let is_new = |(kind, value): &(Kind, Option<&'a str>)| {
            value.is_some_and(|value| !self.by_key.contains_key(&(*kind, value)))
        };
        let new_keys: Vec<(Kind, &str)> =
            keys.into_iter().filter(is_new).filter_map(|(kind, value)| Some((kind, value?))).collect();
        let now = self.now;
        let changed = self.all[place].update(row, &new_keys, now)?;
        self.note_keys(place, row);
        Ok(if changed { Verdict::Updated } else { Verdict::Unchanged })
    }
}

impl<'a> Person<'a> {
    /// Either the whole row is taken over, or nothing of it.
    fn update(&mut self, row: &'a Row, new_keys: &[(Kind, &str)], now: Timestamp) -> Result<bool, Flaw> {
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
            if *kind == Kind::Phone {
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
        let (contact, news) = decided(&self.now, &update, now);
        self.now = Cow::Owned(contact);
        self.decisions.extend(news);
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
