//! The changes that a dry run would have made so far, so that later rows of the file are decided as in a real run. Kept
//! in memory as JSON, since there is a state for every contact that the file would create or change.

use std::collections::{HashMap, HashSet};

use domain::people::contacts::identity::IdentityKind;
use domain::people::contacts::{Contact, CustomParam, NewContact, Team};
use domain::{ContactId, Id, Timestamp};
use serde::{Deserialize, Serialize};

use super::decide::{ImportedContact, Known};
use super::reader::BatchPart;

#[derive(Debug, Default)]
pub(super) struct Overlay {
    /// `kind:value` of a number, BSUID or id, to the index in `states`.
    keys: HashMap<Box<str>, usize>,
    /// `State` as JSON.
    states: Vec<Box<str>>,
}

/// The members of a contact that rows are compared with.
#[derive(Debug, Serialize, Deserialize)]
struct State(ContactId, Option<String>, String, Vec<CustomParam>, Vec<Team>, bool, bool, bool);

impl State {
    fn new(contact: &Contact, teams: Vec<Team>) -> Self {
        let Contact { id, phone, name, custom_params, consent, allow_broadcast, allow_sms, .. } = contact.clone();
        Self(id, phone, name, custom_params, teams, consent.opted_in, allow_broadcast, allow_sms)
    }

    fn apply_to(self, contact: &mut Contact) {
        let Self(id, phone, name, custom_params, teams, opted_in, allow_broadcast, allow_sms) = self;
        contact.consent.opted_in = opted_in;
        *contact = Contact { id, phone, name, custom_params, teams, allow_broadcast, allow_sms, ..contact.clone() };
    }
}

fn key(kind: IdentityKind, value: &str) -> Box<str> {
    format!("{}:{value}", kind.name()).into()
}

impl Overlay {
    fn state(&self, kind: IdentityKind, value: &str) -> Option<State> {
        let index = self.keys.get(&key(kind, value))?;
        serde_json::from_str(self.states.get(*index)?).ok()
    }

    /// Applies the overlay to the contacts that the database has for a batch, and adds those that the dry run would
    /// have created.
    pub fn apply_to(&self, known: &mut Vec<Known>, part: &BatchPart, now: Timestamp) {
        for Known { contact, .. } in known.iter_mut() {
            if let Some(state) = self.state(IdentityKind::Id, &contact.id.to_string()) {
                state.apply_to(contact);
            }
        }
        let mut found: HashSet<(IdentityKind, String)> =
            known.iter().map(|known| (known.kind, known.value.clone())).collect();
        for row in part.rows() {
            for (kind, value) in [(IdentityKind::Phone, row.phone()), (IdentityKind::Bsuid, row.bsuid())] {
                let Some(value) = value else { continue };
                let Some(state) = self.state(kind, value) else { continue };
                if found.insert((kind, value.to_owned())) {
                    let mut contact = Contact::new(placeholder(), now);
                    state.apply_to(&mut contact);
                    known.push(Known { kind, value: value.to_owned(), contact });
                }
            }
        }
    }

    pub fn remember(&mut self, person: &ImportedContact<'_>, now: Timestamp) {
        let contact = &*person.now;
        let teams = match person.teams {
            Some(names) => names.iter().map(|name| Team { id: Id::new(now), name: name.clone() }).collect(),
            None => contact.teams.clone(),
        };
        let Ok(state) = serde_json::to_string(&State::new(contact, teams)) else { return };
        let id = key(IdentityKind::Id, &contact.id.to_string());
        let index = self.keys.get(&id).copied().unwrap_or(self.states.len());
        match self.states.get_mut(index) {
            Some(known) => *known = state.into(),
            None => self.states.push(state.into()),
        }
        self.keys.insert(id, index);
        for identity in &*person.identities {
            self.keys.insert(key(identity.kind, &identity.value), index);
        }
    }
}

/// A contact that `State::apply_to` fills in; its BSUIDs are never read.
fn placeholder() -> NewContact {
    NewContact { bsuid: Some(String::new()), parent_bsuid: Some(String::new()), ..NewContact::default() }
}
