//! Folded letter case, for texts that are compared or looked up without regard to it.

/// Folds letter case, letter by letter, so that a part of a text folds to a part of the folded text.
pub fn fold(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { text.chars().flat_map(char::to_lowercase).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_fold_to_parts() {
        for (text, part) in [("Ἀδὰμ ΣΟΦΟΣ", "ΣΟΦ"), ("ΣΟΦΟΣ ΑΣ", "ΟΣ Α"), ("İstanbul", "stan"), ("ÉCOLE", "cole")]
        {
            assert!(fold(text).contains(&fold(part)), "{text} {part}");
        }
    }

    #[test]
    fn letter_case_is_folded_letter_by_letter() {
        for (text, folded) in [("ADA", "ada"), ("ÄÖ", "äö"), ("ΣΑΣ", "σασ"), ("1-a", "1-a"), ("", "")] {
            assert_eq!(fold(text), folded);
        }
    }
}
