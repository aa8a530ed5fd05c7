//! Canned replies: texts and files that a team sends often, found by a shortcut, with fields that are filled in for the
//! person.
//!
//! A field is `{{name}}` or `{{name|instead}}`; the text after the bar is used where there is no value. The names are
//! `contact.name`, `contact.first_name`, `contact.phone`, `contact.username`, `contact.ATTRIBUTE` for any other
//! attribute of the contact, `operator.name`, `operator.email`, `channel.name` and `channel.phone`.

use crate::{CannedReplyId, Field, FieldError, MediaId, Place, Timestamp};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CannedReply {
    pub id: CannedReplyId,
    /// What operators type after `/`, unique in the tenant in any letter case.
    pub shortcut: String,
    pub text: String,
    /// Stored files that go with it, in this order.
    pub files: Vec<MediaId>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

/// Most canned replies of a tenant.
pub const MAX_CANNED_REPLIES: usize = 2000;
pub const MAX_SHORTCUT_CHARACTERS: usize = 50;
/// The limit of a text message.
pub const MAX_CANNED_TEXT_CHARACTERS: usize = 4096;
pub const MAX_CANNED_FILES: usize = 10;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCannedReply {
    #[error("expected 1 to {MAX_SHORTCUT_CHARACTERS} letters, digits, `-`, `_` or `.`")]
    Shortcut,
    #[error("expected 1 to {MAX_CANNED_TEXT_CHARACTERS} characters")]
    Text,
    #[error("must not contain a NUL character")]
    Nul,
    #[error("the field {0} is not closed; add }}}} after it")]
    Unclosed(String),
    #[error(
        "unknown field {0}; expected contact.name, contact.first_name, contact.phone, contact.username, contact.ATTRIBUTE, operator.name, operator.email, channel.name or channel.phone"
    )]
    UnknownField(String),
    #[error("at most {MAX_CANNED_FILES} files")]
    TooManyFiles,
}

impl FieldError for BadCannedReply {
    fn place(&self) -> Place {
        match self {
            Self::Shortcut => Field::Shortcut.into(),
            Self::Text | Self::Nul | Self::Unclosed(_) | Self::UnknownField(_) => Field::Text.into(),
            Self::TooManyFiles => Field::File.into(),
        }
    }
}

/// The shortcut without surrounding spaces and a leading `/`.
pub fn check_shortcut(shortcut: &str) -> Result<&str, BadCannedReply> {
    let shortcut = shortcut.trim();
    let shortcut = shortcut.strip_prefix('/').unwrap_or(shortcut);
    let allowed = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    let fits = (1..=MAX_SHORTCUT_CHARACTERS).contains(&shortcut.chars().count()) && shortcut.chars().all(allowed);
    if fits { Ok(shortcut) } else { Err(BadCannedReply::Shortcut) }
}

pub fn check_text(text: &str) -> Result<(), BadCannedReply> {
    if !(1..=MAX_CANNED_TEXT_CHARACTERS).contains(&text.chars().count()) {
        return Err(BadCannedReply::Text);
    }
    if text.contains('\0') {
        return Err(BadCannedReply::Nul);
    }
    parse(text).map(drop)
}

/// A field of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Variable<'a> {
    ContactName,
    ContactFirstName,
    ContactPhone,
    ContactUsername,
    Attribute(&'a str),
    OperatorName,
    OperatorEmail,
    ChannelName,
    ChannelPhone,
}

impl<'a> Variable<'a> {
    fn named(name: &'a str) -> Option<Self> {
        Some(match name {
            "contact.name" => Self::ContactName,
            "contact.first_name" => Self::ContactFirstName,
            "contact.phone" => Self::ContactPhone,
            "contact.username" => Self::ContactUsername,
            "operator.name" => Self::OperatorName,
            "operator.email" => Self::OperatorEmail,
            "channel.name" => Self::ChannelName,
            "channel.phone" => Self::ChannelPhone,
            other => Self::Attribute(other.strip_prefix("contact.").filter(|name| !name.is_empty())?),
        })
    }
}

/// A part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part<'a> {
    Text(&'a str),
    Field { name: &'a str, field: Variable<'a>, instead: Option<&'a str> },
}

fn parse(text: &str) -> Result<Vec<Part<'_>>, BadCannedReply> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once("{{") {
        let unclosed = || BadCannedReply::Unclosed(after.chars().take(20).collect());
        let (inside, behind) = after.split_once("}}").ok_or_else(unclosed)?;
        let (name, instead) = inside.split_once('|').map_or((inside, None), |(name, text)| (name, Some(text.trim())));
        let name = name.trim();
        let field = Variable::named(name).ok_or_else(|| BadCannedReply::UnknownField(name.to_owned()))?;
        parts.push(Part::Text(before));
        parts.push(Part::Field { name, field, instead });
        rest = behind;
    }
    parts.push(Part::Text(rest));
    Ok(parts)
}

/// What fields are filled in with; an empty text counts as none.
#[derive(Debug, Clone, Default)]
pub struct FieldValues<'a> {
    pub contact_name: Option<&'a str>,
    pub contact_phone: Option<&'a str>,
    pub contact_username: Option<&'a str>,
    /// Attributes of the contact: name and value.
    pub attributes: &'a [crate::people::contacts::CustomParam],
    pub operator_name: Option<&'a str>,
    pub operator_email: Option<&'a str>,
    pub channel_name: Option<&'a str>,
    pub channel_phone: Option<&'a str>,
}

impl<'a> FieldValues<'a> {
    fn value(&self, field: &Variable<'_>) -> Option<&'a str> {
        let value = match field {
            Variable::ContactName => self.contact_name,
            Variable::ContactFirstName => self.contact_name.and_then(|name| name.split_whitespace().next()),
            Variable::ContactPhone => self.contact_phone,
            Variable::ContactUsername => self.contact_username,
            Variable::Attribute(name) => {
                self.attributes.iter().find(|param| param.name == *name).map(|param| param.value.as_str())
            }
            Variable::OperatorName => self.operator_name,
            Variable::OperatorEmail => self.operator_email,
            Variable::ChannelName => self.channel_name,
            Variable::ChannelPhone => self.channel_phone,
        };
        value.filter(|value| !value.trim().is_empty())
    }
}

/// A text with its fields filled in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilledText {
    pub text: String,
    /// Fields without a value and without a text instead, each once. They stay in the text as they are written, so that
    /// the operator sees them.
    pub missing: Vec<String>,
}

/// Fills in the fields of a text. Values are put in as they are: a value that looks like a field is not filled in
/// again.
pub fn fill(text: &str, values: &FieldValues<'_>) -> Result<FilledText, BadCannedReply> {
    let mut filled = FilledText { text: String::with_capacity(text.len()), missing: Vec::new() };
    for part in parse(text)? {
        match part {
            Part::Text(text) => filled.text.push_str(text),
            Part::Field { name, field, instead } => {
                if let Some(value) = values.value(&field).or(instead) {
                    filled.text.push_str(value);
                    continue;
                }
                filled.text.extend(["{{", name, "}}"]);
                if !filled.missing.iter().any(|known| known == name) {
                    filled.missing.push(name.to_owned());
                }
            }
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::people::contacts::CustomParam;

    fn filled(text: &str) -> FilledText {
        let attributes = [CustomParam { name: "city".into(), value: "Bern".into() }];
        let values = FieldValues {
            contact_name: Some("Ada King Lovelace"),
            contact_phone: Some("14155552671"),
            attributes: &attributes,
            operator_name: Some("{{contact.name}}"),
            channel_name: Some(" "),
            ..FieldValues::default()
        };
        fill(text, &values).unwrap()
    }

    #[test]
    fn fields_are_filled_in() {
        for (text, expected) in [
            ("Hello {{contact.first_name}}!", "Hello Ada!"),
            ("{{ contact.name }}, {{contact.city}}", "Ada King Lovelace, Bern"),
            ("{{contact.username|friend}} {{channel.name| us }}", "friend us"),
            ("{{contact.username|}}!", "!"),
            ("no fields } here }}", "no fields } here }}"),
            ("{{operator.name}}", "{{contact.name}}"),
        ] {
            assert_eq!(filled(text), FilledText { text: expected.into(), missing: vec![] }, "{text}");
        }
    }

    #[test]
    fn fields_without_a_value_stay_and_are_named_once() {
        let one = filled("{{ contact.tier }} {{contact.tier}} {{channel.phone}}");
        assert_eq!(one.text, "{{contact.tier}} {{contact.tier}} {{channel.phone}}");
        assert_eq!(one.missing, ["contact.tier", "channel.phone"]);
    }

    #[test]
    fn wrong_fields_are_refused_when_the_reply_is_saved() {
        assert_eq!(check_text("{{name}}"), Err(BadCannedReply::UnknownField("name".into())));
        assert_eq!(check_text("{{contact.}}"), Err(BadCannedReply::UnknownField("contact.".into())));
        assert_eq!(check_text("a {{contact.name"), Err(BadCannedReply::Unclosed("contact.name".into())));
        assert_eq!(check_text(""), Err(BadCannedReply::Text));
        assert_eq!(check_text("a\0"), Err(BadCannedReply::Nul));
        assert!(check_text(&"x".repeat(4096)).is_ok() && check_text(&"x".repeat(4097)).is_err());
    }

    #[test]
    fn shortcuts_are_words() {
        for (text, expected) in [("hello", "hello"), (" /Order-1.a_b ", "Order-1.a_b"), ("grüße", "grüße")] {
            assert_eq!(check_shortcut(text), Ok(expected));
        }
        for text in ["", "/", "two words", "a/b", "//a", &"x".repeat(51)] {
            assert_eq!(check_shortcut(text), Err(BadCannedReply::Shortcut), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_text_that_may_be_saved_can_be_filled_in(text in ".{0,40}(\\{\\{contact\\.[a-z]{1,4}(\\|[a-z ]{0,4})?\\}\\}.{0,10}){0,3}") {
            if check_text(&text).is_ok() {
                prop_assert!(fill(&text, &FieldValues::default()).is_ok());
            }
        }
    }
}
