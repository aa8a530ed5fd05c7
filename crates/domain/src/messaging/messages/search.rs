//! Searching messages by words: the terms of the index, the check of a candidate, and the snippet of a result.
//!
//! A message is found when each word of the query begins a word of its text, in any letter case. The index has the hash
//! of the first three and the first six letters of each word, so it may return too many candidates. Of a long text only
//! the first `MAX_TERMS` terms are indexed; up to there it returns never too few.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::base::fold::fold;
use crate::people::contacts::Term;

/// Lengths of the indexed beginnings of words, in letters.
const BEGINNINGS: [usize; 2] = [3, 6];
/// Part of every stored term: it must not change.
const SEED: u64 = 11;
/// Most terms of one message; those of later words are not indexed.
const MAX_TERMS: usize = 400;
/// Most words of a query; later ones are ignored.
const MAX_WORDS: usize = 8;
/// Most letters of a query.
pub const MAX_QUERY_CHARACTERS: usize = 200;
/// Letters of a snippet before and after the beginning of its first word.
const SNIPPET: (usize, usize) = (40, 120);

/// The terms of a text, sorted and distinct.
pub fn message_terms(text: &str) -> Vec<Term> {
    let mut terms: Vec<Term> = words(text).flat_map(|(_, word)| beginnings(&fold(word))).take(MAX_TERMS).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}

/// The words of a text with their positions in bytes.
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_between = |letter: char| !letter.is_alphanumeric();
    let parts = text.split_inclusive(is_between).scan(0, move |end, part| {
        let start = *end;
        *end += part.len();
        Some((start, part.trim_end_matches(is_between)))
    });
    parts.filter(|(_, word)| !word.is_empty())
}

fn beginnings(word: &str) -> Vec<Term> {
    BEGINNINGS.into_iter().filter_map(|length| beginning(word, length)).collect()
}

/// The term of the first letters of a folded word; None for a shorter word.
fn beginning(word: &str, length: usize) -> Option<Term> {
    let mut letters = word.char_indices().skip(length - 1);
    let (at, last) = letters.next()?;
    Some(xxh3_64_with_seed(&word.as_bytes()[..at + last.len_utf8()], SEED).cast_signed())
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadQuery {
    #[error("expected a word of at least 3 letters")]
    TooShort,
    #[error("at most {MAX_QUERY_CHARACTERS} characters")]
    TooLong,
}

/// The words that a message must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageQuery(Vec<String>);

impl MessageQuery {
    pub fn parse(text: &str) -> Result<Self, BadQuery> {
        if text.chars().count() > MAX_QUERY_CHARACTERS {
            return Err(BadQuery::TooLong);
        }
        let words: Vec<String> = words(text).map(|(_, word)| fold(word)).take(MAX_WORDS).collect();
        let query = Self(words);
        if query.terms().is_empty() { Err(BadQuery::TooShort) } else { Ok(query) }
    }

    /// Terms that every matching message has: for each word the longest indexed beginning.
    pub fn terms(&self) -> Vec<Term> {
        let longest = |word: &String| BEGINNINGS.into_iter().rev().find_map(|length| beginning(word, length));
        let mut terms: Vec<Term> = self.0.iter().filter_map(longest).collect();
        terms.sort_unstable();
        terms.dedup();
        terms
    }

    /// The part of a text that shows why it matches; None if it does not match.
    pub fn snippet(&self, text: &str) -> Option<String> {
        let folded: Vec<(usize, String)> = words(text).map(|(at, word)| (at, fold(word))).collect();
        let place = |wanted: &String| folded.iter().find(|(_, word)| word.starts_with(wanted)).map(|(at, _)| *at);
        let places = self.0.iter().map(place).collect::<Option<Vec<usize>>>()?;
        Some(around(text, places.into_iter().min()?))
    }
}

fn around(text: &str, at: usize) -> String {
    let (before, after) = text.split_at(at);
    let skipped = before.chars().count().saturating_sub(SNIPPET.0);
    let begin: String = before.chars().skip(skipped).collect();
    let end: String = after.chars().take(SNIPPET.1).collect();
    let cut = |is_cut: bool| if is_cut { "…" } else { "" };
    let more = after.chars().count() > SNIPPET.1;
    format!("{}{begin}{end}{}", cut(skipped > 0), cut(more))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn finds(query: &str, text: &str) -> bool {
        MessageQuery::parse(query).unwrap().snippet(text).is_some()
    }

    #[test]
    fn words_are_found_by_their_beginning_in_any_letter_case() {
        let text = "Is my ORDER A-1042 ready? Grüße";
        for query in ["order", "ord", "ORDER ready", "1042", "is order", "GRÜ", "rea, my"] {
            assert!(finds(query, text), "{query}");
        }
        for query in ["rder", "orders", "order missing", "042"] {
            assert!(!finds(query, text), "{query}");
        }
    }

    #[test]
    fn a_query_needs_a_word_of_three_letters() {
        for query in ["", "ab", "a b c", "-- !!"] {
            assert_eq!(MessageQuery::parse(query), Err(BadQuery::TooShort), "{query:?}");
        }
        assert_eq!(MessageQuery::parse(&"x".repeat(201)), Err(BadQuery::TooLong));
    }

    #[test]
    fn a_snippet_shows_the_first_match_with_some_text_around_it() {
        let text = format!("{} needle {}", "a".repeat(100), "b ".repeat(200));
        let snippet = MessageQuery::parse("needle").unwrap().snippet(&text).unwrap();
        assert!(snippet.starts_with('…') && snippet.ends_with('…') && snippet.contains("needle"), "{snippet}");
        assert!(snippet.chars().count() <= 162, "{}", snippet.chars().count());
        assert_eq!(MessageQuery::parse("hello").unwrap().snippet("Hello you").as_deref(), Some("Hello you"));
    }

    #[test]
    fn words_with_the_same_beginning_share_a_term() {
        assert_eq!(message_terms("Order"), message_terms("ORD"));
        assert!(message_terms("ordinary").contains(&message_terms("Order")[0]));
        assert_eq!(message_terms("ab 1 xy").len(), 0);
    }

    /// A word of three to five letters has one term, a longer word two.
    #[test]
    fn terms_keep_their_numbers() {
        assert_eq!(message_terms("order").len(), 1);
        assert_eq!(message_terms("orders").len(), 2);
    }

    proptest! {
        #[test]
        fn a_matching_message_has_all_terms_of_the_query(text in "[a-cA-C ß1-3]{0,40}", query in "[a-c ]{3,12}") {
            if let Ok(query) = MessageQuery::parse(&query) && query.snippet(&text).is_some() {
                let terms = message_terms(&text);
                prop_assert!(query.terms().iter().all(|term| terms.binary_search(term).is_ok()));
            }
        }
    }
}
