//! The id of a message that its sender may choose. Whoever chooses none gets a UUID that holds our own id, so that it
//! need not be stored to be found.

use crate::MessageId;

pub const MAX_CHARACTERS: usize = 64;

/// In the layout of a UUID of version 8, whose bits are free: our twelve bytes around the version and variant.
pub fn of(id: MessageId) -> String {
    let digits = id.to_string();
    let (seconds, rest) = digits.split_at(8);
    let (before, after) = rest.split_at(4);
    format!("{seconds}-{before}-8b0d-8b0d-{after}")
}

/// Our own id, where this is one that we made.
pub fn held_in(text: &str) -> Option<MessageId> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let (before, rest) = digits.split_at_checked(12)?;
    let after = rest.strip_prefix("8b0d8b0d")?;
    let id = format!("{before}{after}").parse().ok()?;
    (of(id) == text).then_some(id)
}

/// What is wrong with an id that a sender chose.
pub fn check(text: &str) -> Result<(), String> {
    let length = text.chars().count();
    if !(1..=MAX_CHARACTERS).contains(&length) || text.chars().any(char::is_control) {
        return Err(format!("expected 1 to {MAX_CHARACTERS} characters"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use crate::Timestamp;

    #[test]
    fn an_id_of_ours_is_found_in_its_uuid() {
        let id = Id::seeded(Timestamp::from_seconds(1_776_000_000), 0x0123_4567_89ab_cdef);
        let text = of(id);
        assert_eq!(text.len(), 36);
        assert_eq!(held_in(&text), Some(id));
        for other in ["", "abc", "6f1c1c5e-0a3c-4f4e-9d1e-2f0c7a8b9c0d", &text.to_uppercase(), &text.replace('-', "")] {
            assert_eq!(held_in(other), None, "{other}");
        }
    }

    #[test]
    fn the_uuid_has_our_bytes_around_its_version() {
        let text = "6f1c1c5e-0a3c-8b0d-8b0d-4f4e9d1e2f0c";
        let id = held_in(text).unwrap();
        assert_eq!((id.to_string().as_str(), of(id).as_str()), ("6f1c1c5e0a3c4f4e9d1e2f0c", text));
        for other in
            ["6f1c1c5e-0a3c-8b0d-8b0d-4f4e9d1e2f0", "6f1c1c5e-0a3c-8b0d-8b0e-4f4e9d1e2f0c", "6f1c1c5e-0a3", "ä"]
        {
            assert_eq!(held_in(other), None, "{other}");
        }
    }

    #[test]
    fn a_sender_chooses_1_to_64_characters() {
        for good in ["x", "ä".repeat(64).as_str(), "order 4711"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "ä".repeat(65).as_str(), "a\nb", "\0"] {
            assert_eq!(check(bad), Err("expected 1 to 64 characters".to_owned()), "{bad:?}");
        }
    }
}
