//! Labels: short coloured words that a team puts on conversations and contacts. One list for each tenant.

use crate::base::named::named;
use crate::{Field, FieldError, LabelId, Place, Timestamp};

named! {
    /// The colours of labels. They have names, so that every theme of the console can show them with enough contrast.
    LabelColor {
        Gray => "gray",
        Red => "red",
        Orange => "orange",
        Amber => "amber",
        Green => "green",
        Teal => "teal",
        Blue => "blue",
        Purple => "purple",
        Pink => "pink",
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    pub id: LabelId,
    pub name: String,
    pub color: LabelColor,
    pub created_at: Timestamp,
}

/// Most labels of a tenant.
pub const MAX_LABELS: usize = 500;
/// Most labels on one conversation or contact.
pub const MAX_LABELS_ON_ONE: usize = 20;
pub const MAX_LABEL_NAME_CHARACTERS: usize = 50;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadLabel {
    #[error("expected 1 to {MAX_LABEL_NAME_CHARACTERS} characters, no control characters")]
    Name,
    #[error("expected gray, red, orange, amber, green, teal, blue, purple or pink")]
    Color,
}

impl FieldError for BadLabel {
    fn place(&self) -> Place {
        match self {
            Self::Name => Field::Name.into(),
            Self::Color => Field::Color.into(),
        }
    }
}

/// The name without surrounding spaces.
pub fn check_name(name: &str) -> Result<&str, BadLabel> {
    let name = name.trim();
    let fits = (1..=MAX_LABEL_NAME_CHARACTERS).contains(&name.chars().count()) && !name.chars().any(char::is_control);
    if fits { Ok(name) } else { Err(BadLabel::Name) }
}

pub fn check_color(color: &str) -> Result<LabelColor, BadLabel> {
    color.trim().to_lowercase().parse().map_err(|()| BadLabel::Color)
}

/// A change of the labels of a conversation or a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LabelChange {
    /// These labels in place of the present ones.
    Replace(Vec<LabelId>),
    /// Adds and removes single labels: two clients that change different labels at the same time do not undo each
    /// other.
    Adjust { add: Vec<LabelId>, remove: Vec<LabelId> },
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} labels, at most {MAX_LABELS_ON_ONE}")]
pub struct TooManyLabels(pub usize);

impl LabelChange {
    /// The labels after the change, each once, in the order in which they were put there.
    pub fn apply(&self, present: &[LabelId]) -> Result<Vec<LabelId>, TooManyLabels> {
        let (kept, added): (Vec<LabelId>, &[LabelId]) = match self {
            Self::Replace(all) => (Vec::new(), all),
            Self::Adjust { add, remove } => {
                (present.iter().filter(|label| !remove.contains(label)).copied().collect(), add)
            }
        };
        let mut after = kept;
        for label in added {
            if !after.contains(label) {
                after.push(*label);
            }
        }
        if after.len() > MAX_LABELS_ON_ONE { Err(TooManyLabels(after.len())) } else { Ok(after) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    fn label(number: u8) -> LabelId {
        Id::from_bytes([number; 12])
    }

    #[test]
    fn names_are_short_and_without_control_characters() {
        assert_eq!(check_name("  VIP "), Ok("VIP"));
        assert_eq!(check_name(&"ä".repeat(50)), Ok("ä".repeat(50).as_str()));
        for name in ["", "  ", "a\nb", &"x".repeat(51)] {
            assert_eq!(check_name(name), Err(BadLabel::Name), "{name:?}");
        }
    }

    #[test]
    fn colors_have_names() {
        assert_eq!(check_color(" Teal "), Ok(LabelColor::Teal));
        for color in ["", "#ff0000", "tealish"] {
            assert_eq!(check_color(color), Err(BadLabel::Color), "{color:?}");
        }
    }

    #[test]
    fn a_change_adds_and_removes_and_keeps_each_label_once() {
        let present = [label(1), label(2)];
        let adjust = LabelChange::Adjust { add: vec![label(2), label(3)], remove: vec![label(1), label(9)] };
        assert_eq!(adjust.apply(&present), Ok(vec![label(2), label(3)]));
        let replace = LabelChange::Replace(vec![label(3), label(3)]);
        assert_eq!(replace.apply(&present), Ok(vec![label(3)]));
        assert_eq!(LabelChange::Replace(Vec::new()).apply(&present), Ok(Vec::new()));
    }

    #[test]
    fn one_conversation_has_at_most_twenty() {
        let many: Vec<LabelId> = (0..21).map(label).collect();
        assert_eq!(LabelChange::Replace(many.clone()).apply(&[]), Err(TooManyLabels(21)));
        assert!(LabelChange::Replace(many[..20].to_vec()).apply(&[]).is_ok());
    }

    #[test]
    fn adding_and_removing_the_same_label_leaves_it() {
        let change = LabelChange::Adjust { add: vec![label(1)], remove: vec![label(1)] };
        assert_eq!(change.apply(&[label(1)]), Ok(vec![label(1)]));
    }
}
