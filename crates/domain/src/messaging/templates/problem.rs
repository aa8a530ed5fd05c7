//! A problem of a template or of its values, with its place.

use std::fmt;

use crate::Place;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberProblem {
    /// Such as `buttons[2].parameter.text`.
    pub place: Place,
    pub message: String,
}

pub(super) type CheckResult<T = ()> = Result<T, MemberProblem>;

impl MemberProblem {
    pub fn new(place: impl Into<Place>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }

    /// Puts an outer place in front.
    #[must_use]
    pub(super) fn within(self, outer: impl Into<Place>) -> Self {
        Self { place: self.place.within(outer), ..self }
    }
}

impl fmt::Display for MemberProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

impl std::error::Error for MemberProblem {}

/// Not empty and at most `most` characters.
pub(super) fn length(path: impl Into<Place>, text: &str, most: usize) -> CheckResult {
    if text.trim().is_empty() {
        return Err(MemberProblem::new(path, "is empty"));
    }
    at_most(path, text, most)
}

pub(super) fn at_most(path: impl Into<Place>, text: &str, most: usize) -> CheckResult {
    let characters = text.chars().count();
    if characters > most {
        return Err(MemberProblem::new(path, format!("{characters} characters, at most {most}")));
    }
    Ok(())
}

/// No control characters and no line breaks.
pub(super) fn one_line(path: impl Into<Place>, text: &str) -> CheckResult {
    if text.contains(['\n', '\r']) {
        return Err(MemberProblem::new(path, "must not contain line breaks"));
    }
    printable(path, text)
}

/// No control characters except line breaks.
pub(super) fn printable(path: impl Into<Place>, text: &str) -> CheckResult {
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r')) {
        return Err(MemberProblem::new(path, "must not contain control characters"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Field;

    #[test]
    fn lengths_count_characters_and_an_empty_text_is_none() {
        assert_eq!((length(Field::Body, "ää", 2), at_most(Field::Body, "", 2)), (Ok(()), Ok(())));
        assert_eq!(length(Field::Body, " ", 2).unwrap_err().to_string(), "body: is empty");
        assert_eq!(length(Field::Body, "äää", 2).unwrap_err().to_string(), "body: 3 characters, at most 2");
    }

    #[test]
    fn line_breaks_are_for_texts_of_several_lines_and_other_control_characters_for_none() {
        for (text, one_line, lines) in [
            ("ab", true, true),
            ("a\nb", false, true),
            ("a\rb", false, true),
            ("a\tb", false, false),
            ("a\u{7}", false, false),
        ] {
            assert_eq!(
                (super::one_line(Field::Body, text).is_ok(), printable(Field::Body, text).is_ok()),
                (one_line, lines),
                "{text:?}"
            );
        }
        let problem = MemberProblem::new(Field::Text, "is wrong").within(Field::Buttons.at(1));
        assert_eq!(problem.to_string(), "buttons[1].text: is wrong");
    }
}
