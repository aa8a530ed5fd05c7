//! BSUID (Business Solution User ID): the network's stable id of a person. Switchboard generates one for a
//! person whose BSUID the network has not sent yet. A prefix marks generated ids, so that the network's first id can
//! replace them.

use std::fmt;
use std::str::FromStr;

/// Two capitals, a dot, 1 to 128 letters or digits: `US.13491208655302741918`. A parent has `ENT.` in between.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bsuid(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected a BSUID such as US.13491208655302741918")]
pub struct NotABsuid;

/// Starts the part after the country in generated ids. The network's ids have digits only.
const OURS: &str = "SW";
const DIGITS: usize = 20;

/// True if Switchboard generated the id, or the id of a parent.
pub fn is_generated(id: &str) -> bool {
    let (_, rest) = id.split_once('.').unwrap_or_default();
    let digits = rest.strip_prefix("ENT.").unwrap_or(rest).strip_prefix(OURS);
    digits.is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_digit()))
}

impl Bsuid {
    /// Generates an id for a person whose BSUID the network has not sent yet.
    pub fn generate(country: &str) -> Self {
        Self(format!("{}.{OURS}{}", country_or_zz(country), twenty_digits()))
    }

    pub fn generate_parent(country: &str) -> Self {
        Self(format!("{}.ENT.{OURS}{}", country_or_zz(country), twenty_digits()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// `ZZ`, reserved by ISO 3166 for "unknown", stands for numbers without a country, such as satellite phones.
fn country_or_zz(country: &str) -> &str {
    if country.len() == 2 && country.bytes().all(|letter| letter.is_ascii_uppercase()) { country } else { "ZZ" }
}

fn twenty_digits() -> String {
    let number = 10_000_000_000_000_000_000_u128 + rand::random::<u128>() % 90_000_000_000_000_000_000;
    number.to_string()
}

impl FromStr for Bsuid {
    type Err = NotABsuid;

    fn from_str(text: &str) -> Result<Self, NotABsuid> {
        let (country, rest) = text.split_once('.').ok_or(NotABsuid)?;
        let id = rest.strip_prefix("ENT.").unwrap_or(rest);
        let fits = country.len() == 2
            && country.bytes().all(|letter| letter.is_ascii_uppercase())
            && (1..=128).contains(&id.len())
            && id.bytes().all(|letter| letter.is_ascii_alphanumeric());
        if fits { Ok(Self(text.to_owned())) } else { Err(NotABsuid) }
    }
}

impl fmt::Display for Bsuid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes() {
        for good in ["US.13491208655302741918", "US.ENT.11815799212886844830", "DE.a"] {
            assert_eq!(good.parse::<Bsuid>().unwrap().as_str(), good);
        }
        for bad in ["", "us.1", "US.", "USA.1", "US.1-2", "US.ENT.", "14155552671"] {
            assert_eq!(bad.parse::<Bsuid>(), Err(NotABsuid), "{bad}");
        }
        assert!(Bsuid::generate("BR").as_str().parse::<Bsuid>().is_ok());
        assert!(Bsuid::generate_parent("").as_str().starts_with("ZZ.ENT."));
    }

    #[test]
    fn an_id_has_1_to_128_letters_or_digits() {
        let of = |length: usize| format!("US.{}", "a".repeat(length)).parse::<Bsuid>().is_ok();
        assert_eq!([0, 1, 128, 129].map(of), [false, true, true, false]);
        let parent = |length: usize| format!("US.ENT.{}", "a".repeat(length)).parse::<Bsuid>().is_ok();
        assert_eq!([0, 1, 128, 129].map(parent), [false, true, true, false]);
        for bad in ["U.1", "Us.1", "US.ä", "US.1.2", "ÄÄ.1", "US ENT.1"] {
            assert_eq!(bad.parse::<Bsuid>(), Err(NotABsuid), "{bad}");
        }
        assert_eq!("US.1".parse::<Bsuid>().unwrap().to_string(), "US.1");
    }

    #[test]
    fn ids_of_ours_have_twenty_digits_and_a_country_or_zz() {
        for (country, shown) in [("BR", "BR"), ("", "ZZ"), ("br", "ZZ"), ("USA", "ZZ"), ("B1", "ZZ"), ("B", "ZZ")] {
            let (own, parent) = (Bsuid::generate(country), Bsuid::generate_parent(country));
            let digits = own.as_str().strip_prefix(&format!("{shown}.{OURS}")).unwrap();
            assert!(digits.len() == 20 && digits.bytes().all(|digit| digit.is_ascii_digit()), "{own}");
            assert!(!digits.starts_with('0'), "{own}");
            let digits = parent.as_str().strip_prefix(&format!("{shown}.ENT.{OURS}")).unwrap();
            assert!(digits.len() == 20 && digits.bytes().all(|digit| digit.is_ascii_digit()), "{parent}");
        }
        assert_ne!(Bsuid::generate("BR"), Bsuid::generate("BR"));
    }

    #[test]
    fn ids_of_ours_are_told_from_those_of_the_network() {
        assert!(is_generated(Bsuid::generate("BR").as_str()) && is_generated(Bsuid::generate_parent("").as_str()));
        for theirs in
            ["", "US.13491208655302741918", "US.ENT.11815799212886844830", "US.SW1", "US.SWa3491208655302741918", "SW"]
        {
            assert!(!is_generated(theirs), "{theirs}");
        }
    }

    #[test]
    fn ids_of_ours_spread_over_all_first_digits() {
        let mut first: Vec<u8> = (0..500).map(|_| Bsuid::generate("BR").as_str().as_bytes()[5]).collect();
        first.sort_unstable();
        first.dedup();
        assert_eq!(first, b"123456789");
    }
}
