//! Rules for passwords. `app::passwords` hashes them.

/// There is no rule on the kinds of characters; only the length counts.
pub const MIN_CHARACTERS: usize = 12;
/// Bounds the cost of hashing.
pub const MAX_BYTES: usize = 1024;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassword {
    #[error("a password needs at least {MIN_CHARACTERS} characters, this one has {0}")]
    TooShort(usize),
    #[error("a password may have at most {MAX_BYTES} bytes")]
    TooLong,
}

pub fn check(password: &str) -> Result<(), WeakPassword> {
    let characters = password.chars().count();
    if characters < MIN_CHARACTERS {
        return Err(WeakPassword::TooShort(characters));
    }
    if password.len() > MAX_BYTES { Err(WeakPassword::TooLong) } else { Ok(()) }
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
    fn length_is_the_only_rule() {
        assert_eq!(check("short"), Err(WeakPassword::TooShort(5)));
        assert_eq!(check("aaaaaaaaaaaa"), Ok(()));
        assert_eq!(check("ééééééééééé"), Err(WeakPassword::TooShort(11)));
        assert_eq!(check(&"a".repeat(1025)), Err(WeakPassword::TooLong));
        assert_eq!(check(&random()), Ok(()));
    }

    #[test]
    fn both_ends_of_the_length_are_allowed() {
        assert_eq!(check(&"é".repeat(12)), Ok(()));
        assert_eq!(check(&"a".repeat(1024)), Ok(()));
        assert_eq!(check(&"é".repeat(513)), Err(WeakPassword::TooLong), "bytes count, not characters");
    }

    #[test]
    fn a_random_password_has_24_letters_that_cannot_be_mistaken() {
        let one = random();
        assert_eq!(one.len(), 24);
        assert!(one.bytes().all(|byte| byte.is_ascii_alphanumeric() && !b"0O1Il9".contains(&byte)), "{one}");
        assert_ne!(one, random());
    }
}
