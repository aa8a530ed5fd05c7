//! Checks the texts of a template or of a card and their variables.

use super::problem::{CheckResult, MemberProblem, at_most, printable};
use super::text;
use crate::Place;

pub(super) fn no_variables(path: impl Into<Place>, text: &str) -> CheckResult {
    if text.contains("{{") || text.contains("}}") {
        Err(MemberProblem::new(path, "must not contain variables"))
    } else {
        Ok(())
    }
}

/// A body must not begin or end with a variable, nor have adjacent ones, and must have at least as many words as
/// variables.
pub(super) fn checked_body(path: &Place, text: &str, most: usize) -> CheckResult<String> {
    let text = normalised(path, text)?;
    at_most(path, &text, most)?;
    printable(path, &text)?;
    if text.trim_start().starts_with("{{") {
        return Err(MemberProblem::new(path, "must not begin with a variable"));
    }
    if text.trim_end().ends_with("}}") {
        return Err(MemberProblem::new(path, "must not end with a variable"));
    }
    let between = text.split("}}").filter_map(|part| part.split_once("{{")).skip(1);
    if between.into_iter().any(|(between, _)| between.trim().is_empty()) {
        return Err(MemberProblem::new(path, "has two variables side by side"));
    }
    counted(path, &text)?;
    let variables = text::distinct(&text).unwrap_or_default().len();
    let words = text.split_whitespace().filter(|word| !word.contains("{{")).count();
    if variables > words {
        return Err(MemberProblem::new(
            path,
            format!("{variables} variables for {words} words: too many for its length"),
        ));
    }
    Ok(text)
}

/// Removes spaces inside the braces of variables.
pub(super) fn normalised(path: &Place, text: &str) -> CheckResult<String> {
    text::variables(text).map_err(|message| MemberProblem::new(path, message))?;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{{") {
        let Some((name, behind)) = after.split_once("}}") else { break };
        out.extend([before, "{{", name.trim(), "}}"]);
        rest = behind;
    }
    Ok(out + rest)
}

/// Numbered variables count from one without gaps and are not mixed with named ones.
pub(super) fn counted(path: &Place, text: &str) -> CheckResult {
    let names = text::ordered(text);
    let numbers: Vec<u64> =
        names.iter().filter(|name| text::is_number(name)).filter_map(|name| name.parse().ok()).collect();
    if !numbers.is_empty() && numbers.len() < names.len() {
        return Err(MemberProblem::new(path, "mixes numbered and named variables; use only one kind"));
    }
    if !numbers.iter().zip(1_u64..).all(|(number, index)| *number == index) {
        return Err(MemberProblem::new(path, "numbered variables must start at {{1}} and have no gaps"));
    }
    Ok(())
}
