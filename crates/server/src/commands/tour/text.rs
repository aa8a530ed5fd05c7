//! Shortens texts of answers and requests.

use crate::output::visible;

/// Longest answer that is shown as a whole, and the characters that are shown of both ends of a longer one. Ids are at
/// the beginning of an answer, secrets at its end.
const WHOLE: usize = 700;
const BEGINNING: usize = 420;
const END: usize = 220;

/// The same for what a step shows: about three lines of a terminal.
const BRIEF_BEGINNING: usize = 180;
const BRIEF_END: usize = 90;

/// A text without control characters, and without its middle if it is long.
pub fn shortened(text: &str) -> String {
    without_middle(text, WHOLE, BEGINNING, END)
}

/// A text that is shown in a step.
pub fn brief(text: &str) -> String {
    without_middle(text, BRIEF_BEGINNING + BRIEF_END, BRIEF_BEGINNING, BRIEF_END)
}

fn without_middle(text: &str, whole: usize, beginning: usize, end: usize) -> String {
    let text = visible(text.trim());
    let length = text.chars().count();
    if length <= whole {
        return text;
    }
    let first: String = text.chars().take(beginning).collect();
    let last: String = text.chars().skip(length - end).collect();
    format!("{first} … {} characters … {last}", length - beginning - end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_keeps_both_ends() {
        let long = format!("begin{}end", "x".repeat(2000));
        let shown = shortened(&long);
        assert!(shown.starts_with("beginx") && shown.ends_with("xend") && shown.contains(" … 1368 characters … "));
        assert_eq!(shortened(" a\u{1b}[2J "), "a\u{fffd}[2J");
        let shown = brief(&long);
        assert!(shown.starts_with("beginx") && shown.ends_with("xend") && shown.chars().count() < 300, "{shown}");
    }
}
