//! Identities of a person, each with its first and last sighting.

use serde::{Deserialize, Serialize};

use super::contact::Contact;
use crate::people::bsuid::is_generated;
use crate::{ContactId, Timestamp};

/// A number, BSUID or id belongs to one person; a handle may change its owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IdentityKind {
    /// The id of a contact that was merged into this one.
    Id,
    Phone,
    Bsuid,
    Username,
}

impl IdentityKind {
    pub const ALL: [Self; 4] = [Self::Id, Self::Phone, Self::Bsuid, Self::Username];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Id => "id",
            Self::Phone => "phone",
            Self::Bsuid => "bsuid",
            Self::Username => "username",
        }
    }

    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Identity {
    pub kind: IdentityKind,
    pub value: String,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

impl Identity {
    pub fn seen(kind: IdentityKind, value: &str, at: Timestamp) -> Self {
        Self { kind, value: value.to_owned(), first_seen: at, last_seen: at }
    }

    pub fn is(&self, kind: IdentityKind, value: &str) -> bool {
        self.kind == kind && self.value == value
    }
}

/// The identities of a new contact.
pub fn initial_identities(contact: &Contact) -> Vec<Identity> {
    let seen = |kind, value: &str| Identity::seen(kind, value, contact.created_at);
    let phone = contact.phone.iter().map(|phone| seen(IdentityKind::Phone, phone));
    let username = contact.username.iter().map(|name| seen(IdentityKind::Username, name));
    [seen(IdentityKind::Bsuid, &contact.bsuid)].into_iter().chain(phone).chain(username).collect()
}

/// Adds a sighting of an identity to the known ones. The order of sightings does not matter.
pub fn add_sighting(known: &mut Vec<Identity>, seen: &Identity) {
    match known.iter_mut().find(|identity| identity.is(seen.kind, &seen.value)) {
        Some(identity) => {
            identity.first_seen = identity.first_seen.min(seen.first_seen);
            identity.last_seen = identity.last_seen.max(seen.last_seen);
        }
        None => known.push(seen.clone()),
    }
}

/// The ids of contacts that were merged into the one with these identities.
pub fn former_ids(identities: &[Identity]) -> impl Iterator<Item = ContactId> {
    identities
        .iter()
        .filter(|identity| identity.kind == IdentityKind::Id)
        .filter_map(|identity| identity.value.parse().ok())
}

/// The first BSUID that the network sent for the person. Of two first seen at the same time, the smaller text wins.
pub fn first_named(identities: &[Identity]) -> Option<&str> {
    let named = identities.iter().filter(|one| one.kind == IdentityKind::Bsuid && !is_generated(&one.value));
    named.min_by_key(|identity| (identity.first_seen, &identity.value)).map(|identity| identity.value.as_str())
}

/// The value of a kind that was seen last. Of two seen at the same time the greater text wins, so that the order of
/// arrival does not matter.
pub fn current(identities: &[Identity], kind: IdentityKind) -> Option<&str> {
    let of_kind = identities.iter().filter(|identity| identity.kind == kind);
    of_kind.max_by_key(|identity| (identity.last_seen, &identity.value)).map(|identity| identity.value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::contacts::NewContact;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(1_776_000_000 + second)
    }

    fn seen(kind: IdentityKind, value: &str, first: i64, last: i64) -> Identity {
        Identity { kind, value: value.to_owned(), first_seen: at(first), last_seen: at(last) }
    }

    #[test]
    fn kinds_parse_from_their_stored_names() {
        for (kind, name) in [
            (IdentityKind::Id, "id"),
            (IdentityKind::Phone, "phone"),
            (IdentityKind::Bsuid, "bsuid"),
            (IdentityKind::Username, "username"),
        ] {
            assert_eq!((kind.name(), IdentityKind::named(name)), (name, Some(kind)));
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
        assert_eq!((IdentityKind::named(""), IdentityKind::named("Phone")), (None, None));
    }

    #[test]
    fn an_identity_is_its_kind_and_its_value() {
        let phone = Identity::seen(IdentityKind::Phone, "14155552671", at(1));
        assert_eq!(phone, seen(IdentityKind::Phone, "14155552671", 1, 1));
        assert!(phone.is(IdentityKind::Phone, "14155552671"));
        assert!(!phone.is(IdentityKind::Bsuid, "14155552671") && !phone.is(IdentityKind::Phone, "1"));
    }

    #[test]
    fn a_new_contact_has_its_bsuid_number_and_handle_as_identities() {
        let new = NewContact { bsuid: Some("US.1".into()), ..NewContact::default() };
        let mut contact = Contact::new(new, at(5));
        assert_eq!(initial_identities(&contact), [seen(IdentityKind::Bsuid, "US.1", 5, 5)]);
        contact.phone = Some("14155552671".into());
        contact.username = Some("ada".into());
        let all = [
            seen(IdentityKind::Bsuid, "US.1", 5, 5),
            seen(IdentityKind::Phone, "14155552671", 5, 5),
            seen(IdentityKind::Username, "ada", 5, 5),
        ];
        assert_eq!(initial_identities(&contact), all);
    }

    #[test]
    fn first_and_last_seen_are_minimum_and_maximum() {
        let mut known = vec![seen(IdentityKind::Phone, "1", 10, 20)];
        for (sight, first, last) in [((12, 15), 10, 20), ((5, 15), 5, 20), ((8, 25), 5, 25), ((5, 25), 5, 25)] {
            add_sighting(&mut known, &seen(IdentityKind::Phone, "1", sight.0, sight.1));
            assert_eq!(known, [seen(IdentityKind::Phone, "1", first, last)], "{sight:?}");
        }
        add_sighting(&mut known, &seen(IdentityKind::Username, "1", 1, 2));
        assert_eq!(
            known,
            [seen(IdentityKind::Phone, "1", 5, 25), seen(IdentityKind::Username, "1", 1, 2)],
            "another kind is another one"
        );
    }

    #[test]
    fn former_ids_are_those_of_merged_contacts() {
        let known = [
            seen(IdentityKind::Phone, "507f1f77bcf86cd799439011", 1, 1),
            seen(IdentityKind::Id, "507f1f77bcf86cd799439012", 1, 1),
            seen(IdentityKind::Id, "nonsense", 1, 1),
        ];
        let former: Vec<String> = former_ids(&known).map(|id| id.to_string()).collect();
        assert_eq!(former, ["507f1f77bcf86cd799439012"]);
    }

    #[test]
    fn the_current_one_of_a_kind_was_seen_last_and_the_text_decides_a_tie() {
        let known = [
            seen(IdentityKind::Phone, "3", 1, 10),
            seen(IdentityKind::Phone, "1", 1, 20),
            seen(IdentityKind::Phone, "2", 5, 20),
            seen(IdentityKind::Username, "zoe", 1, 99),
        ];
        assert_eq!(current(&known, IdentityKind::Phone), Some("2"));
        let turned: Vec<Identity> = known.iter().rev().cloned().collect();
        assert_eq!(current(&turned, IdentityKind::Phone), Some("2"), "whatever the order of arrival");
        assert_eq!(
            (current(&known, IdentityKind::Username), current(&known, IdentityKind::Bsuid)),
            (Some("zoe"), None)
        );
    }
}
