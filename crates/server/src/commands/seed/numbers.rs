//! Valid phone numbers in the formats of several countries' mobile numbers.

use rand::RngExt as _;
use rand::rngs::Xoshiro256PlusPlus;

/// A country, prefixes of its numbers, and the number of digits after the prefix.
struct Shape {
    country: &'static str,
    /// Percentage of people with a number of this country.
    share: u32,
    beginnings: &'static [&'static str],
    digits: u32,
}

static SHAPES: [Shape; 6] = [
    Shape {
        country: "US",
        share: 34,
        // The area code and the first digit of the exchange, which is not 0 or 1.
        beginnings: &["12122", "12063", "13053", "13124", "14155", "15125", "16173", "16464", "17024", "18183"],
        digits: 6,
    },
    Shape { country: "GB", share: 15, beginnings: &["44740", "44741", "44742", "44743", "44744"], digits: 7 },
    Shape { country: "DE", share: 13, beginnings: &["49151", "49152", "49157", "49159"], digits: 8 },
    Shape {
        country: "BR",
        share: 16,
        beginnings: &["551198", "551199", "552198", "553199", "554198", "555199", "556198", "557199"],
        digits: 7,
    },
    Shape { country: "MX", share: 10, beginnings: &["525512", "525534", "523312", "523314", "528112"], digits: 6 },
    Shape { country: "IN", share: 12, beginnings: &["9198", "9199", "9197"], digits: 8 },
];

/// Phone numbers of the business.
pub const CHANNELS: [&str; 3] = ["14155550100", "442079460123", "493023125000"];

/// A random number and its country code.
pub fn draw(rng: &mut Xoshiro256PlusPlus) -> (&'static str, String) {
    let chosen = &SHAPES[draw_shape(rng)];
    let beginning = chosen.beginnings[rng.random_range(0..chosen.beginnings.len())];
    let rest = rng.random_range(0..10_u64.pow(chosen.digits));
    (chosen.country, chosen.number(beginning, rest))
}

/// Index of a random shape, weighted by share.
fn draw_shape(rng: &mut Xoshiro256PlusPlus) -> usize {
    let mut lot = rng.random_range(0..SHAPES.iter().map(|shape| shape.share).sum());
    for (index, shape) in SHAPES.iter().enumerate() {
        if lot < shape.share {
            return index;
        }
        lot -= shape.share;
    }
    0
}

impl Shape {
    fn number(&self, beginning: &str, rest: u64) -> String {
        format!("{beginning}{rest:0width$}", width = self.digits as usize)
    }
}

/// Distinct numbers, for up to some millions of people.
#[derive(Debug, Default)]
pub struct Distinct([u64; SHAPES.len()]);

impl Distinct {
    pub fn draw(&mut self, rng: &mut Xoshiro256PlusPlus) -> (&'static str, String) {
        /// Coprime to ten, so that every suffix is used before one repeats.
        const STEP: u64 = 7919;
        let index = draw_shape(rng);
        let shape = &SHAPES[index];
        let made = self.0[index];
        self.0[index] += 1;
        let beginnings = shape.beginnings.len() as u64;
        let beginning = shape.beginnings[usize::try_from(made % beginnings).unwrap_or(0)];
        let rest = (made / beginnings * STEP) % 10_u64.pow(shape.digits);
        (shape.country, shape.number(beginning, rest))
    }
}

#[cfg(test)]
mod tests {
    use domain::people::phone::PhoneNumber;
    use rand::SeedableRng as _;

    use super::*;

    #[test]
    fn every_number_is_one_of_its_country_in_the_one_spelling() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(42);
        for _ in 0..2000 {
            let (country, digits) = draw(&mut rng);
            let number = PhoneNumber::parse(&digits).unwrap_or_else(|error| panic!("{country} {error}"));
            assert_eq!((number.digits(), number.country().as_deref()), (digits.as_str(), Some(country)));
        }
        let mut distinct = Distinct::default();
        let mut seen = std::collections::HashSet::new();
        for _ in 0..20_000 {
            let (country, digits) = distinct.draw(&mut rng);
            let number = PhoneNumber::parse(&digits).unwrap_or_else(|error| panic!("{country} {error}"));
            assert_eq!(number.digits(), digits);
            assert!(seen.insert(digits));
        }
        for channel in CHANNELS {
            assert_eq!(PhoneNumber::parse(channel).unwrap().digits(), channel);
        }
    }
}
