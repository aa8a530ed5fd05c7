//! What a dry run would have changed so far: later rows of the file are judged as if it had. Kept short, since it is
//! kept for every contact that the file would make or change.

use std::collections::{HashMap, HashSet};

use domain::contacts::identity::Kind;
use domain::contacts::{Contact, CustomParam, NewContact, Team};
use domain::{ContactId, Id, Timestamp};
use serde::{Deserialize, Serialize};

use super::decide::{Known, Person};
use super::reader::Batch;

#[derive(Debug, Default)]
pub(super) struct Overlay {
    /// Numbers, BSUIDs and ids, each behind its kind.
    keys: HashMap<Box<str>, usize>,
    /// JSON.
    states: Vec<Box<str>>,
}

/// What rows are compared with.
#[derive(Debug, Serialize, Deserialize)]
struct State(ContactId, Option<String>, String, Vec<CustomParam>, Vec<Team>, bool, bool, bool);

impl State {
    fn of(contact: &Contact, teams: Vec<Team>) -> Self {
        let Contact { id, phone, name, custom_params, consent, allow_broadcast, allow_sms, .. } = contact.clone();
        Self(id, phone, name, custom_params, teams, consent.opted_in, allow_broadcast, allow_sms)
    }

    fn show_on(self, contact: &mut Contact) {
        let Self(id, phone, name, custom_params, teams, opted_in, allow_broadcast, allow_sms) = self;
        contact.consent.opted_in = opted_in;
        *contact = Contact { id, phone, name, custom_params, teams, allow_broadcast, allow_sms, ..contact.clone() };
    }
}

fn key(kind: Kind, value: &str) -> Box<str> {
    format!("{}:{value}", kind.name()).into()
}

impl Overlay {
    fn state(&self, kind: Kind, value: &str) -> Option<State> {
        let place = self.keys.get(&key(kind, value))?;
        serde_json::from_str(self.states.get(*place)?).ok()
    }

    /// Brings what the database knows of a batch to what it would know by now.
    pub fn show_on(&self, known: &mut Vec<Known>, batch: &Batch, now: Timestamp) {
        for Known { contact, .. } in known.iter_mut() {
            if let Some(state) = self.state(Kind::Id, &contact.id.to_string()) {
                state.show_on(contact);
            }
        }
        let mut found: HashSet<(Kind, String)> = known.iter().map(|known| (known.kind, known.value.clone())).collect();
        for row in batch.rows() {
            for (kind, value) in [(Kind::Phone, row.phone()), (Kind::Bsuid, row.bsuid())] {
                let Some(value) = value else { continue };
                let Some(state) = self.state(kind, value) else { continue };
                if found.insert((kind, value.to_owned())) {
                    let mut contact = Contact::new(nobody(), now);
                    state.show_on(&mut contact);
                    known.push(Known { kind, value: value.to_owned(), contact });
                }
            }
        }
    }

    pub fn note(&mut self, person: &Person<'_>, now: Timestamp) {
        let contact = &*person.now;
        let teams = match person.teams {
            Some(names) => names.iter().map(|name| Team { id: Id::new(now), name: name.clone() }).collect(),
            None => contact.teams.clone(),
        };
        let Ok(state) = serde_json::to_string(&State::of(contact, teams)) else { return };
        let id = key(Kind::Id, &contact.id.to_string());
        let place = self.keys.get(&id).copied().unwrap_or(self.states.len());
        match self.states.get_mut(place) {
            Some(known) => *known = state.into(),
            None => self.states.push(state.into()),
        }
        self.keys.insert(id, place);
        for identity in &*person.identities {
            self.keys.insert(key(identity.kind, &identity.value), place);
        }
    }
}

/// Its ids need not be real: nobody asks for them.
fn nobody() -> NewContact {
    NewContact { bsuid: Some(String::new()), parent_bsuid: Some(String::new()), ..NewContact::default() }
}
