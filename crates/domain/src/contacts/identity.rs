//! What a person is known by, with when each was first and last seen.

use serde::{Deserialize, Serialize};

use super::Contact;
use crate::{ContactId, Timestamp};

/// Numbers, BSUIDs and ids of contacts belong to one person; a handle goes from hand to hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The id of a contact that was merged into this one.
    Id,
    Phone,
    Bsuid,
    Username,
}

impl Kind {
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
    pub kind: Kind,
    pub value: String,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
}

impl Identity {
    pub fn seen(kind: Kind, value: &str, at: Timestamp) -> Self {
        Self { kind, value: value.to_owned(), first_seen: at, last_seen: at }
    }

    pub fn is(&self, kind: Kind, value: &str) -> bool {
        self.kind == kind && self.value == value
    }
}

/// What a contact is known by when it is made.
pub fn of_new(contact: &Contact) -> Vec<Identity> {
    let seen = |kind, value: &str| Identity::seen(kind, value, contact.created_at);
    let phone = contact.phone.iter().map(|phone| seen(Kind::Phone, phone));
    let username = contact.username.iter().map(|name| seen(Kind::Username, name));
    [seen(Kind::Bsuid, &contact.bsuid)].into_iter().chain(phone).chain(username).collect()
}

/// Adds what was seen to what is known; sights may arrive in any order.
pub fn note(known: &mut Vec<Identity>, seen: &Identity) {
    match known.iter_mut().find(|identity| identity.is(seen.kind, &seen.value)) {
        Some(identity) => {
            identity.first_seen = identity.first_seen.min(seen.first_seen);
            identity.last_seen = identity.last_seen.max(seen.last_seen);
        }
        None => known.push(seen.clone()),
    }
}

/// The ids of contacts that were merged into the one that is known by these.
pub fn former_ids(identities: &[Identity]) -> impl Iterator<Item = ContactId> {
    identities.iter().filter(|identity| identity.kind == Kind::Id).filter_map(|identity| identity.value.parse().ok())
}

/// The one of a kind that was seen last. Of two seen in the same instant the order of their texts decides, so that the
/// order of arrival never does.
pub fn current(identities: &[Identity], kind: Kind) -> Option<&str> {
    let of_kind = identities.iter().filter(|identity| identity.kind == kind);
    of_kind.max_by_key(|identity| (identity.last_seen, &identity.value)).map(|identity| identity.value.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contacts::NewContact;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_seconds(1_776_000_000 + second)
    }

    fn seen(kind: Kind, value: &str, first: i64, last: i64) -> Identity {
        Identity { kind, value: value.to_owned(), first_seen: at(first), last_seen: at(last) }
    }

    #[test]
    fn kinds_read_back_by_the_names_that_are_stored() {
        for (kind, name) in
            [(Kind::Id, "id"), (Kind::Phone, "phone"), (Kind::Bsuid, "bsuid"), (Kind::Username, "username")]
        {
            assert_eq!((kind.name(), Kind::named(name)), (name, Some(kind)));
            assert_eq!(serde_json::to_value(kind).unwrap(), name);
        }
        assert_eq!((Kind::named(""), Kind::named("Phone")), (None, None));
    }

    #[test]
    fn an_identity_is_its_kind_and_its_value() {
        let phone = Identity::seen(Kind::Phone, "14155552671", at(1));
        assert_eq!(phone, seen(Kind::Phone, "14155552671", 1, 1));
        assert!(phone.is(Kind::Phone, "14155552671"));
        assert!(!phone.is(Kind::Bsuid, "14155552671") && !phone.is(Kind::Phone, "1"));
    }

    #[test]
    fn a_new_contact_is_known_by_its_bsuid_and_by_what_else_it_was_made_with() {
        let new = NewContact { bsuid: Some("US.1".into()), ..NewContact::default() };
        let mut contact = Contact::new(new, at(5));
        assert_eq!(of_new(&contact), [seen(Kind::Bsuid, "US.1", 5, 5)]);
        contact.phone = Some("14155552671".into());
        contact.username = Some("ada".into());
        let all = [
            seen(Kind::Bsuid, "US.1", 5, 5),
            seen(Kind::Phone, "14155552671", 5, 5),
            seen(Kind::Username, "ada", 5, 5),
        ];
        assert_eq!(of_new(&contact), all);
    }

    #[test]
    fn the_first_and_the_last_sight_are_a_minimum_and_a_maximum() {
        let mut known = vec![seen(Kind::Phone, "1", 10, 20)];
        for (sight, first, last) in [((12, 15), 10, 20), ((5, 15), 5, 20), ((8, 25), 5, 25), ((5, 25), 5, 25)] {
            note(&mut known, &seen(Kind::Phone, "1", sight.0, sight.1));
            assert_eq!(known, [seen(Kind::Phone, "1", first, last)], "{sight:?}");
        }
        note(&mut known, &seen(Kind::Username, "1", 1, 2));
        assert_eq!(
            known,
            [seen(Kind::Phone, "1", 5, 25), seen(Kind::Username, "1", 1, 2)],
            "another kind is another one"
        );
    }

    #[test]
    fn former_ids_are_those_of_merged_contacts() {
        let known = [
            seen(Kind::Phone, "507f1f77bcf86cd799439011", 1, 1),
            seen(Kind::Id, "507f1f77bcf86cd799439012", 1, 1),
            seen(Kind::Id, "nonsense", 1, 1),
        ];
        let former: Vec<String> = former_ids(&known).map(|id| id.to_string()).collect();
        assert_eq!(former, ["507f1f77bcf86cd799439012"]);
    }

    #[test]
    fn the_current_one_of_a_kind_was_seen_last_and_the_text_decides_a_tie() {
        let known = [
            seen(Kind::Phone, "3", 1, 10),
            seen(Kind::Phone, "1", 1, 20),
            seen(Kind::Phone, "2", 5, 20),
            seen(Kind::Username, "zoe", 1, 99),
        ];
        assert_eq!(current(&known, Kind::Phone), Some("2"));
        let turned: Vec<Identity> = known.iter().rev().cloned().collect();
        assert_eq!(current(&turned, Kind::Phone), Some("2"), "whatever the order of arrival");
        assert_eq!((current(&known, Kind::Username), current(&known, Kind::Bsuid)), (Some("zoe"), None));
    }
}
