//! Shortens texts of answers and requests.

use crate::output::visible;

/// Longest answer that is shown as a whole, and the characters that are shown of both ends of a longer one. Ids are at
/// the beginning of an answer, secrets at its end.
const WHOLE: usize = 700;
const BEGINNING: usize = 420;
const END: usize = 220;

/// A text without control characters, and without its middle if it is long.
pub fn shortened(text: &str) -> String {
    let text = visible(text.trim());
    let length = text.chars().count();
    if length <= WHOLE {
        return text;
    }
    let beginning: String = text.chars().take(BEGINNING).collect();
    let end: String = text.chars().skip(length - END).collect();
    format!("{beginning} … {} characters … {end}", length - BEGINNING - END)
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
    }
}
