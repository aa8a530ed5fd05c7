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
