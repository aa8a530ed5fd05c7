//! Notes on conversations: only the team sees them. They are rows of the history and never leave towards the network.

use serde::{Deserialize, Serialize};

use crate::{AccountId, Field, FieldError, Place};

pub const MAX_NOTE_CHARACTERS: usize = 4096;
/// Most operators that one note mentions.
pub const MAX_MENTIONS: usize = 20;

/// What a note has besides its text, stored with its row of the history.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteContent {
    #[serde(default)]
    pub mentions: Vec<Mention>,
}

/// An operator whom a note is meant for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mention {
    pub id: AccountId,
    pub email: String,
    pub name: String,
}

impl NoteContent {
    pub fn to_json(&self) -> String {
        crate::to_json(self)
    }

    /// Empty where the text is not that of a note.
    pub fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_default()
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadNote {
    #[error("expected 1 to {MAX_NOTE_CHARACTERS} characters")]
    Text,
    #[error("{0} operators, at most {MAX_MENTIONS}")]
    Mentions(usize),
}

impl FieldError for BadNote {
    fn place(&self) -> Place {
        match self {
            Self::Text => Field::Text.into(),
            Self::Mentions(_) => Field::Mentions.into(),
        }
    }
}

pub fn check_note(text: &str, mentions: usize) -> Result<(), BadNote> {
    let characters = text.trim().chars().count();
    if characters == 0 || text.chars().count() > MAX_NOTE_CHARACTERS || text.contains('\0') {
        return Err(BadNote::Text);
    }
    if mentions > MAX_MENTIONS { Err(BadNote::Mentions(mentions)) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn a_note_has_a_text_and_at_most_twenty_mentions() {
        assert_eq!(check_note("a", 20), Ok(()));
        assert_eq!(check_note(" \n ", 0), Err(BadNote::Text));
        assert_eq!(check_note(&"x".repeat(4097), 0), Err(BadNote::Text));
        assert_eq!(check_note("a\0", 0), Err(BadNote::Text));
        assert_eq!(check_note("a", 21), Err(BadNote::Mentions(21)));
    }

    #[test]
    fn mentions_are_stored_and_read_back() {
        let mention = Mention { id: Id::from_bytes([1; 12]), email: "ben@example.com".into(), name: "Ben".into() };
        let content = NoteContent { mentions: vec![mention] };
        assert_eq!(NoteContent::from_json(&content.to_json()), content);
        for other in ["", "{}", "[1]", "{\"mentions\":7}"] {
            assert_eq!(NoteContent::from_json(other), NoteContent::default(), "{other}");
        }
    }
}
