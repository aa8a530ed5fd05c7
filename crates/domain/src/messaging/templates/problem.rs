//! A problem of a template or of its values, with the path of the member.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberProblem {
    /// Path in the V3 API: `buttons[2].parameter.text`.
    pub path: String,
    pub message: String,
}

pub(super) type CheckResult<T = ()> = Result<T, MemberProblem>;

impl MemberProblem {
    pub fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }

    /// Puts an outer member in front of the path.
    #[must_use]
    pub(super) fn within(self, outer: &str) -> Self {
        Self { path: format!("{outer}.{}", self.path), ..self }
    }
}

impl fmt::Display for MemberProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path, self.message)
    }
}

impl std::error::Error for MemberProblem {}

/// Not empty and at most `most` characters.
pub(super) fn length(path: &str, text: &str, most: usize) -> CheckResult {
    if text.trim().is_empty() {
        return Err(MemberProblem::new(path, "is empty"));
    }
    at_most(path, text, most)
}

pub(super) fn at_most(path: &str, text: &str, most: usize) -> CheckResult {
    let characters = text.chars().count();
    if characters > most {
        return Err(MemberProblem::new(path, format!("{characters} characters, at most {most}")));
    }
    Ok(())
}

/// No control characters and no line breaks.
pub(super) fn one_line(path: &str, text: &str) -> CheckResult {
    if text.contains(['\n', '\r']) {
        return Err(MemberProblem::new(path, "must not contain line breaks"));
    }
    printable(path, text)
}

/// No control characters except line breaks.
pub(super) fn printable(path: &str, text: &str) -> CheckResult {
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r')) {
        return Err(MemberProblem::new(path, "must not contain control characters"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_count_characters_and_an_empty_text_is_none() {
        assert_eq!((length("a", "ää", 2), at_most("a", "", 2)), (Ok(()), Ok(())));
        assert_eq!(length("a", " ", 2).unwrap_err().to_string(), "a: is empty");
        assert_eq!(length("a", "äää", 2).unwrap_err().to_string(), "a: 3 characters, at most 2");
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
                (super::one_line("a", text).is_ok(), printable("a", text).is_ok()),
                (one_line, lines),
                "{text:?}"
            );
        }
        assert_eq!(MemberProblem::new("b", "is wrong").within("a[1]").to_string(), "a[1].b: is wrong");
    }
}
