//! Rules for passwords. `app::identity::log_in::hashing` hashes them.

use zxcvbn::Score;

/// The fewest characters. There is no rule on the kinds of characters: only the length and the resistance to guessing
/// count.
pub const MIN_CHARACTERS: usize = 12;
/// Bounds the cost of hashing.
pub const MAX_BYTES: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    #[error("a password needs at least {MIN_CHARACTERS} characters; this one has {0}")]
    TooShort(usize),
    #[error("a password may have at most {MAX_BYTES} bytes")]
    TooLong,
    #[error("this password is easy to guess: it is a common password or similar to one. Add unrelated words")]
    Common,
}

/// Below this, a list of common passwords, words, names, dates and patterns of the keyboard finds the password within
/// 10^10 guesses.
const ENOUGH: Score = Score::Three;
/// Only the beginning is compared with the lists: a long password costs no more.
const COMPARED_CHARACTERS: usize = 64;
/// Words that an attacker tries besides what is known of the account.
const EASILY_TRIED: [&str; 3] = ["switchboard", "whatsapp", "admin"];

/// Checks a new password. `about` is what an attacker knows of its owner: e-mail address and name.
pub fn check(password: &str, about: &[&str]) -> Result<(), WeakPassword> {
    let characters = password.chars().count();
    if characters < MIN_CHARACTERS {
        return Err(WeakPassword::TooShort(characters));
    }
    if password.len() > MAX_BYTES {
        return Err(WeakPassword::TooLong);
    }
    let compared: String = password.chars().take(COMPARED_CHARACTERS).collect();
    let parts = about.iter().flat_map(|text| text.split(['@', '.', ' ', '-', '_'])).filter(|part| part.len() > 2);
    let known: Vec<_> = EASILY_TRIED.into_iter().chain(about.iter().copied()).chain(parts).collect();
    if zxcvbn::zxcvbn(&compared, &known).score() < ENOUGH { Err(WeakPassword::Common) } else { Ok(()) }
}

/// A random password that a person can copy: 24 letters and digits without look-alikes, about 138 bits.
pub fn random() -> String {
    const LETTERS: &[u8; 56] = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz2345678";
    (0..24).map(|_| char::from(LETTERS[rand::random_range(0..LETTERS.len())])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_neither_short_nor_long() {
        assert_eq!(check("short", &[]), Err(WeakPassword::TooShort(5)));
        assert_eq!(check("ééééééééééé", &[]), Err(WeakPassword::TooShort(11)));
        assert_eq!(check(&"a".repeat(1025), &[]), Err(WeakPassword::TooLong));
        assert_eq!(check(&random(), &[]), Ok(()));
    }

    #[test]
    fn common_passwords_and_patterns_are_refused() {
        for common in [
            "password1234",
            "Password123!",
            "aaaaaaaaaaaa",
            "123456789012",
            "qwertyuiop12",
            "iloveyou1234",
            "letmeinletmein",
            "adminadminadmin",
            "switchboard1",
            "Switchboard2026",
        ] {
            assert_eq!(check(common, &[]), Err(WeakPassword::Common), "{common}");
        }
        let ada = ["ada.lovelace@example.com", "Ada Lovelace"];
        assert_eq!(check("lovelace1815", &ada), Err(WeakPassword::Common));
        assert_eq!(check("ada.lovelace@example.com", &ada), Err(WeakPassword::Common));
        for good in ["correct horse battery staple", "a first long password", "zebra-gravel-lantern"] {
            assert_eq!(check(good, &ada), Ok(()), "{good}");
        }
    }

    #[test]
    fn both_ends_of_the_length_are_allowed() {
        let start = "correct horse battery";
        assert_eq!(check(&format!("{start}{}", "a".repeat(1024 - start.len())), &[]), Ok(()));
        assert_eq!(check("jümpöqäxzvkr", &[]), Ok(()));
        assert_eq!(check(&"é".repeat(513), &[]), Err(WeakPassword::TooLong), "bytes count, not characters");
    }

    #[test]
    fn a_random_password_has_24_letters_that_cannot_be_mistaken() {
        let one = random();
        assert_eq!(one.len(), 24);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric() && !b"0O1Il9".contains(&byte)), "{one}");
        assert_ne!(one, random());
    }
}
