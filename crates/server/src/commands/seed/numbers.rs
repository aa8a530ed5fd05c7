//! Phone numbers that could exist, in the shapes of several countries' mobile lines.

use rand::RngExt as _;
use rand::rngs::Xoshiro256PlusPlus;

/// A country and the beginnings of its numbers; `digits` more follow.
struct Shape {
    country: &'static str,
    /// Of a hundred people, so many have a number here.
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

/// The numbers that the business itself answers.
pub const CHANNELS: [&str; 3] = ["14155550100", "442079460123", "493023125000"];

/// A number and the letters of its country.
pub fn draw(rng: &mut Xoshiro256PlusPlus) -> (&'static str, String) {
    let mut lot = rng.random_range(0..SHAPES.iter().map(|shape| shape.share).sum());
    let mut chosen = &SHAPES[0];
    for shape in &SHAPES {
        if lot < shape.share {
            chosen = shape;
            break;
        }
        lot -= shape.share;
    }
    let beginning = chosen.beginnings[rng.random_range(0..chosen.beginnings.len())];
    let rest = rng.random_range(0..10_u64.pow(chosen.digits));
    (chosen.country, format!("{beginning}{rest:0width$}", width = chosen.digits as usize))
}

#[cfg(test)]
mod tests {
    use domain::phone::PhoneNumber;
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
        for channel in CHANNELS {
            assert_eq!(PhoneNumber::parse(channel).unwrap().digits(), channel);
        }
    }
}
