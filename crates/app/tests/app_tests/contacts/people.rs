//! Random sightings, and an oracle: it computes the expected people without a database.

use std::collections::{BTreeMap, BTreeSet};

use domain::Timestamp;
use domain::people::contacts::Sighting;
use domain::people::contacts::identity::{Identity, IdentityKind, current};
use domain::people::phone::PhoneNumber;
use proptest::collection::{SizeRange, vec};
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use crate::contacts::world::State;

/// Numbers in several spellings.
const PHONES: [&str; 9] = [
    "551187654321",
    "5511987654321",
    "541123456789",
    "+54 9 11 2345-6789",
    "5215512345678",
    "525512345678",
    "14155552671",
    "4915123456789",
    "551132654321",
];
const BSUIDS: [&str; 5] = ["BR.1", "BR.2", "AR.3", "MX.4", "US.5"];
const USERNAMES: [&str; 3] = ["ada", "bob.l", "cy"];

pub fn digits(spelling: &str) -> String {
    PhoneNumber::parse(spelling).unwrap().digits().to_owned()
}

pub fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_776_000_000 + seconds)
}

pub fn sighting(phone: Option<&str>, bsuids: &[&str], seconds: i64) -> Sighting {
    Sighting {
        phone: phone.map(digits),
        bsuids: bsuids.iter().map(|bsuid| (*bsuid).to_owned()).collect(),
        parent_bsuid: None,
        username: None,
        name: None,
        source: "WHATSAPP".to_owned(),
        at: at(seconds),
    }
}

pub fn any_sighting() -> impl Strategy<Value = Sighting> {
    let keys = prop_oneof![
        3 => (select(&PHONES[..]).prop_map(Some), Just(Vec::new())),
        3 => (Just(None), vec(select(&BSUIDS[..]), 1)),
        4 => (select(&PHONES[..]).prop_map(Some), vec(select(&BSUIDS[..]), 1)),
        2 => (option::of(select(&PHONES[..])), vec(select(&BSUIDS[..]), 2)),
    ];
    let username = option::of(select(&USERNAMES[..]));
    // Few different times, so that some sightings have the same time.
    (keys, username, 0..8_i64, option::of(select(vec!["Ada", "Bob"]))).prop_map(
        |((phone, bsuids), handle, then, name)| {
            let parent = bsuids.first().map(|bsuid| bsuid.replace('.', ".ENT."));
            Sighting {
                username: handle.map(str::to_owned),
                name: name.map(str::to_owned),
                parent_bsuid: parent,
                ..sighting(phone, &bsuids, then)
            }
        },
    )
}

pub fn sightings(count: impl Into<SizeRange>) -> impl Strategy<Value = Vec<Sighting>> {
    vec(any_sighting(), count)
}

/// One person: the identities, and the present number and handle.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Person {
    known_by: BTreeSet<Identity>,
    phone: Option<String>,
    username: Option<String>,
}

/// The people that follow from sightings: those that share a number or a BSUID, directly or through others, are one
/// person.
pub fn expected(sightings: &[Sighting]) -> BTreeSet<Person> {
    let mut group: Vec<usize> = (0..sightings.len()).collect();
    for (i, one) in sightings.iter().enumerate() {
        for (j, other) in sightings[..i].iter().enumerate() {
            let same_phone = one.phone.is_some() && one.phone == other.phone;
            if same_phone || one.bsuids.iter().any(|bsuid| other.bsuids.contains(bsuid)) {
                let (from, to) = (group[i], group[j]);
                group.iter_mut().filter(|number| **number == from).for_each(|number| *number = to);
            }
        }
    }
    let of = |number: usize| sightings.iter().zip(&group).filter(move |(_, own)| **own == number).map(|(one, _)| one);
    let numbers: BTreeSet<usize> = group.iter().copied().collect();
    numbers.into_iter().map(|number| person(of(number))).collect()
}

fn person<'a>(seen: impl Iterator<Item = &'a Sighting>) -> Person {
    let mut times: BTreeMap<(IdentityKind, String), Vec<Timestamp>> = BTreeMap::new();
    for one in seen {
        let phone = one.phone.iter().map(|value| (IdentityKind::Phone, value));
        let bsuids = one.bsuids.iter().map(|value| (IdentityKind::Bsuid, value));
        let handle = one.username.iter().map(|value| (IdentityKind::Username, value));
        for (kind, value) in phone.chain(bsuids).chain(handle) {
            times.entry((kind, value.clone())).or_default().push(one.at);
        }
    }
    let last = |wanted: IdentityKind| {
        let of_kind = times.iter().filter(|((kind, _), _)| *kind == wanted);
        of_kind.map(|((_, value), at)| (at.iter().max(), value.clone())).max().map(|(_, value)| value)
    };
    let identity = |((kind, value), at): (&(IdentityKind, String), &Vec<Timestamp>)| Identity {
        kind: *kind,
        value: value.clone(),
        first_seen: *at.iter().min().unwrap(),
        last_seen: *at.iter().max().unwrap(),
    };
    Person {
        known_by: times.iter().map(identity).collect(),
        phone: last(IdentityKind::Phone),
        username: last(IdentityKind::Username),
    }
}

/// The people in the database, without ids of merged contacts and generated BSUIDs, which depend on the order of
/// arrival.
pub fn found(state: &State) -> BTreeSet<Person> {
    let networks = |identity: &&Identity| match identity.kind {
        IdentityKind::Id => false,
        IdentityKind::Bsuid => BSUIDS.contains(&identity.value.as_str()),
        IdentityKind::Phone | IdentityKind::Username => true,
    };
    let person = |contact: &domain::people::contacts::Contact| {
        let known_by: BTreeSet<Identity> = state.known_by(contact.id).filter(networks).cloned().collect();
        let all: Vec<Identity> = known_by.iter().cloned().collect();
        assert_eq!(contact.phone.as_deref(), current(&all, IdentityKind::Phone));
        Person { known_by, phone: contact.phone.clone(), username: contact.username.clone() }
    };
    let people: Vec<Person> = state.contacts.iter().map(person).collect();
    let different: BTreeSet<Person> = people.iter().cloned().collect();
    assert_eq!(different.len(), people.len(), "no person is there twice: {people:?}");
    different
}
