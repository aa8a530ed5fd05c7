//! The id of a message that the client may choose. For other messages the server answers with a UUID that contains the
//! message id, so that it can be found without being stored.

use crate::MessageId;

pub const MAX_CHARACTERS: usize = 64;

/// A UUID of version 8, whose bits are free: the twelve bytes of the id around the version and the variant.
pub fn default_for(id: MessageId) -> String {
    let digits = id.to_string();
    let (seconds, rest) = digits.split_at(8);
    let (before, after) = rest.split_at(4);
    format!("{seconds}-{before}-8b0d-8b0d-{after}")
}

/// The message id, where the text is a UUID that `default_for` made.
pub fn parse_default(text: &str) -> Option<MessageId> {
    let digits: String = text.chars().filter(|c| *c != '-').collect();
    let (before, rest) = digits.split_at_checked(12)?;
    let after = rest.strip_prefix("8b0d8b0d")?;
    let id = format!("{before}{after}").parse().ok()?;
    (default_for(id) == text).then_some(id)
}

/// Checks an id that a client chose.
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
    fn a_message_id_is_found_in_its_uuid() {
        let id = Id::seeded(Timestamp::from_seconds(1_776_000_000), 0x0123_4567_89ab_cdef);
        let text = default_for(id);
        assert_eq!(text.len(), 36);
        assert_eq!(parse_default(&text), Some(id));
        for other in ["", "abc", "6f1c1c5e-0a3c-4f4e-9d1e-2f0c7a8b9c0d", &text.to_uppercase(), &text.replace('-', "")] {
            assert_eq!(parse_default(other), None, "{other}");
        }
    }

    #[test]
    fn the_uuid_has_the_bytes_of_the_id_around_its_version() {
        let text = "6f1c1c5e-0a3c-8b0d-8b0d-4f4e9d1e2f0c";
        let id = parse_default(text).unwrap();
        assert_eq!((id.to_string().as_str(), default_for(id).as_str()), ("6f1c1c5e0a3c4f4e9d1e2f0c", text));
        for other in
            ["6f1c1c5e-0a3c-8b0d-8b0d-4f4e9d1e2f0", "6f1c1c5e-0a3c-8b0d-8b0e-4f4e9d1e2f0c", "6f1c1c5e-0a3", "ä"]
        {
            assert_eq!(parse_default(other), None, "{other}");
        }
    }

    #[test]
    fn a_client_chooses_1_to_64_characters() {
        for good in ["x", "ä".repeat(64).as_str(), "order 4711"] {
            assert_eq!(check(good), Ok(()), "{good}");
        }
        for bad in ["", "ä".repeat(65).as_str(), "a\nb", "\0"] {
            assert_eq!(check(bad), Err("expected 1 to 64 characters".to_owned()), "{bad:?}");
        }
    }
}
