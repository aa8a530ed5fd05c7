//! The people of seeded calls. A person has the same identities in all of their calls.

use domain::calls::CallParty;
use rand::RngExt as _;
use rand::rngs::Xoshiro256PlusPlus;

use super::numbers;

const FIRST: [&str; 16] = [
    "maria", "james", "ana", "rahul", "lena", "jose", "emily", "arjun", "sofia", "paul", "carla", "tom", "priya",
    "lucas", "hannah", "diego",
];
const LAST: [&str; 16] = [
    "silva", "smith", "garcia", "sharma", "mueller", "lopez", "brown", "patel", "costa", "fischer", "torres", "evans",
    "gupta", "souza", "weber", "ramos",
];

/// One person per eight calls, at most 200 000 because all are kept in memory.
pub fn draw_many(calls: u64, rng: &mut Xoshiro256PlusPlus) -> Vec<Person> {
    let size = (calls / 8).clamp(1, 200_000);
    (0..size).map(|_| Person::draw(rng)).collect()
}

#[derive(Debug)]
pub struct Person {
    pub number: String,
    pub caller: CallParty,
}

impl Person {
    /// Most people have number, BSUID and perhaps a username; some have no `wa_id`, and a few only a number.
    fn draw(rng: &mut Xoshiro256PlusPlus) -> Self {
        let (country, number) = numbers::draw(rng);
        let lot = rng.random_range(0..100);
        let named = lot >= 6;
        let caller = CallParty {
            contact_id: None,
            bsuid: named.then(|| format!("{country}.{}", twenty_digits(rng))),
            parent_bsuid: named.then(|| format!("{country}.ENT.{}", twenty_digits(rng))),
            username: (named && rng.random_ratio(7, 10)).then(|| username(rng)),
            wa_id: (lot < 90).then(|| number.clone()),
        };
        Self { number, caller }
    }
}

pub fn twenty_digits(rng: &mut Xoshiro256PlusPlus) -> String {
    format!("{}{:010}", rng.random_range(1_000_000_000..10_000_000_000_u64), rng.random_range(0..10_000_000_000_u64))
}

pub fn username(rng: &mut Xoshiro256PlusPlus) -> String {
    let first = FIRST[rng.random_range(0..FIRST.len())];
    let last = LAST[rng.random_range(0..LAST.len())];
    format!("{first}.{last}.{}", rng.random_range(1..10_000))
}

const GIVEN: [&str; 48] = [
    "Maria",
    "James",
    "Ana",
    "Rahul",
    "Lena",
    "José",
    "Emily",
    "Arjun",
    "Sofia",
    "Paul",
    "Carla",
    "Tom",
    "Priya",
    "Lucas",
    "Hannah",
    "Diego",
    "Beatriz",
    "Oliver",
    "Ingrid",
    "Rafael",
    "Deepa",
    "Jonas",
    "Camila",
    "Ethan",
    "Neha",
    "Felix",
    "Valentina",
    "George",
    "Kavya",
    "Moritz",
    "Isabela",
    "Harry",
    "Sanjay",
    "Greta",
    "Mateo",
    "Amelia",
    "Vikram",
    "Johanna",
    "Thiago",
    "Chloe",
    "Anjali",
    "Sebastian",
    "Renata",
    "William",
    "Meera",
    "Katharina",
    "Emiliano",
    "Zoe",
];
const FAMILY: [&str; 64] = [
    "Silva",
    "Smith",
    "García",
    "Sharma",
    "Müller",
    "López",
    "Brown",
    "Patel",
    "Costa",
    "Fischer",
    "Torres",
    "Evans",
    "Gupta",
    "Souza",
    "Weber",
    "Ramos",
    "Oliveira",
    "Johnson",
    "Hernández",
    "Iyer",
    "Schneider",
    "Pereira",
    "Wilson",
    "Reddy",
    "Becker",
    "Almeida",
    "Taylor",
    "Martínez",
    "Nair",
    "Wagner",
    "Ferreira",
    "Davies",
    "Gonzalez",
    "Rao",
    "Hoffmann",
    "Ribeiro",
    "Walker",
    "Pérez",
    "Chopra",
    "Schäfer",
    "Carvalho",
    "Wright",
    "Sánchez",
    "Malhotra",
    "Koch",
    "Gomes",
    "Robinson",
    "Ramírez",
    "Desai",
    "Bauer",
    "Martins",
    "Thompson",
    "Flores",
    "Kulkarni",
    "Richter",
    "Araujo",
    "White",
    "Rivera",
    "Bhat",
    "Klein",
    "Barbosa",
    "Hughes",
    "Gómez",
    "Menon",
];

/// A given name and a family name; one in eight people has a second family name.
pub fn full_name(rng: &mut Xoshiro256PlusPlus) -> String {
    let mut family = || FAMILY[rng.random_range(0..FAMILY.len())];
    let (first, second) = (family(), family());
    let given = GIVEN[rng.random_range(0..GIVEN.len())];
    if rng.random_ratio(1, 8) { format!("{given} {first} {second}") } else { format!("{given} {first}") }
}
