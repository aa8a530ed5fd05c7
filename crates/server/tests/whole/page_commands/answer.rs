//! Compares an answer with the one on the page.
//!
//! Ids, times, secrets and codes differ in every run: they are masked by their form. In a text, white space does not
//! count, and `…` stands for anything. In a JSON block, the page may leave members out, and numbers may differ.

use std::collections::BTreeMap;

use serde_json::{Value, json};

/// Characters before the number of a BSUID: `US`, or `US.ENT` for that of an enterprise.
const LONGEST_COUNTRY: usize = 6;

/// Ids of the page with those that stand for them in this run.
pub type Known = BTreeMap<String, String>;

/// What a page shows.
#[derive(Debug)]
pub enum Expected {
    Text(String),
    Json(Value),
}

impl Expected {
    /// Whether the answer is like the one on the page. If it is, adds the ids of the page to `known`.
    pub fn matches(&self, answer: &str, known: &mut Known) -> bool {
        let mut found = Known::new();
        let is_like = match self {
            Self::Text(text) => text_matches(text, answer, &mut found),
            Self::Json(json) => {
                serde_json::from_str(answer).is_ok_and(|answer| json_matches(json, &answer, &mut found))
            }
        };
        if is_like {
            known.extend(found);
        }
        is_like
    }
}

/// A text without white space, with names of kinds in place of what differs, and what was there.
struct Masked {
    text: String,
    replaced: BTreeMap<usize, String>,
}

fn text_matches(expected: &str, answer: &str, found: &mut Known) -> bool {
    let answer = mask(answer);
    let (mut from, mut is_first) = (0, true);
    for part in expected.split('…') {
        let part = mask(part);
        let Some(at) = answer.text[from..].find(&part.text).map(|at| at + from) else { return false };
        if is_first && at > 0 {
            return false;
        }
        is_first = false;
        for (place, id) in part.replaced {
            found.extend(answer.replaced.get(&(at + place)).map(|real| (id, real.clone())));
        }
        from = at + part.text.len();
    }
    true
}

fn json_matches(expected: &Value, answer: &Value, found: &mut Known) -> bool {
    match (expected, answer) {
        (Value::Object(expected), Value::Object(answer)) => expected
            .iter()
            .filter(|(name, _)| *name != "…")
            .all(|(name, value)| answer.get(name).is_some_and(|real| json_matches(value, real, found))),
        (Value::Array(expected), Value::Array(answer)) => {
            expected.len() <= answer.len()
                && expected.iter().zip(answer).all(|(value, real)| json_matches(value, real, found))
        }
        (Value::String(expected), Value::String(answer)) => {
            let is_whole = expected.contains('…') || mask(expected).text == mask(answer).text;
            is_whole && text_matches(expected, answer, found)
        }
        (Value::String(expected), _) => expected == "…",
        (Value::Number(_), Value::Number(_)) => true,
        (expected, answer) => expected == answer,
    }
}

/// What stands before the base64 of a webhook's secret and of a signature.
const SECRET: [char; 6] = ['w', 'h', 's', 'e', 'c', '_'];
const SIGNATURE: [char; 3] = ['v', '1', ','];

fn mask(text: &str) -> Masked {
    let mut masked = Masked { text: String::new(), replaced: BTreeMap::new() };
    let characters: Vec<char> = text.chars().collect();
    let is_digit = |place: usize| characters.get(place).is_some_and(char::is_ascii_digit);
    let in_word = |place: usize| {
        characters.get(place).is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.'))
            || (characters.get(place) == Some(&':') && place > 0 && is_digit(place - 1) && is_digit(place + 1))
    };
    let mut place = 0;
    while place < characters.len() {
        let is_base64 = characters[place..].starts_with(&SECRET) || characters[..place].ends_with(&SIGNATURE);
        let goes_on = |place: usize| in_word(place) || (is_base64 && matches!(characters[place], '+' | '/' | '='));
        let end = (place..characters.len()).find(|place| !goes_on(*place)).unwrap_or(characters.len());
        if end == place {
            masked.text.extend(Some(characters[place]).filter(|character| !character.is_whitespace()));
            place += 1;
            continue;
        }
        let word: String = characters[place..end].iter().collect();
        let is_duration =
            characters[end..].starts_with(&[' ', 'm', 's']) || characters[end..].starts_with(&[' ', 's', ':']);
        masked.push_word(&word, is_duration);
        place = end;
    }
    masked
}

impl Masked {
    fn push_word(&mut self, word: &str, is_duration: bool) {
        let core = word.trim_end_matches('.');
        let stem = core.split_once('.').map_or(core, |(stem, _)| if is_id(stem) { stem } else { core });
        let kind = if is_duration && core.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
            Some("‹duration›")
        } else {
            kind(stem)
        };
        let Some(kind) = kind else { return self.text.push_str(word) };
        if matches!(kind, "‹id›" | "‹code›" | "‹bsuid›") {
            self.replaced.insert(self.text.len(), stem.to_owned());
        }
        self.text.push_str(kind);
        self.text.push_str(&word[stem.len()..]);
    }
}

fn is_hex(text: &str, length: usize) -> bool {
    text.len() == length && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_id(text: &str) -> bool {
    is_hex(text, 24) || (text.len() == 36 && is_hex(&text.replace('-', ""), 32))
}

/// The kind of a word that differs in every run.
fn kind(word: &str) -> Option<&'static str> {
    let bytes = word.as_bytes();
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let has_dashes = |first: usize, second: usize| bytes.get(first) == Some(&b'-') && bytes.get(second) == Some(&b'-');
    if is_id(word) {
        Some("‹id›")
    } else if ["wamid.", "wacid.", "whsec_", "swb_", "order_"].iter().any(|prefix| word.starts_with(prefix)) {
        // Also an order of the payment provider, which is `order_` and 16 hex digits; names have no digits behind it.
        (!word.starts_with("order_") || word.bytes().any(|byte| byte.is_ascii_digit())).then_some("‹id›")
    } else if word
        .rsplit_once('.')
        // Those that Switchboard assigned itself have `SW` before the digits.
        .map(|(before, number)| (before, number.strip_prefix("SW").unwrap_or(number)))
        .is_some_and(|(before, digits)| before.len() <= LONGEST_COUNTRY && digits.len() >= 15 && is_digits(digits))
    {
        Some("‹bsuid›")
    } else if (bytes.len() >= 20 && bytes[10] == b'T' && has_dashes(4, 7)) || (is_digits(word) && word.len() == 10) {
        Some("‹time›")
    } else if (bytes.len() == 10 && has_dashes(4, 7)) || (bytes.len() == 11 && has_dashes(3, 6)) {
        Some("‹date›")
    } else if word.len() >= 40 && word.bytes().any(|byte| byte.is_ascii_digit()) {
        Some("‹code›")
    } else {
        None
    }
}

#[test]
fn ids_and_times_may_differ_and_are_learned() {
    let mut known = Known::new();
    let page = "{\"id\":\"6af9b76500a4b694c6b549d5\", … \"created\":\"2026-11-15T13:45:09.801Z\",\"name\":\"Ada\", …}";
    let answer = "{\"id\":\"6af9b76500a4b694c6b54900\",\"x\":1,\"created\":\"2027-01-01T00:00:00.000Z\",\"name\":\"Ada\",\"y\":2}";
    assert!(text_matches(page, answer, &mut known));
    assert_eq!(known["6af9b76500a4b694c6b549d5"], "6af9b76500a4b694c6b54900");
    assert!(!text_matches(page, &answer.replace("Ada", "Eva"), &mut known));
    assert!(!text_matches(page, &answer.replace("created", "made"), &mut known));
    assert!(!text_matches("a 204 in 3 ms", "a 500 in 9 ms", &mut known));
    assert!(text_matches("a 204 in 3 ms", "a  204  in 19 ms", &mut known));
    assert!(text_matches("whsec_MfKQ9r8GKYqr", "whsec_UgP+Z2/mpW2=", &mut known));
}

#[test]
fn a_json_answer_has_at_least_the_members_of_the_page() {
    let mut known = Known::new();
    let mut like = |page: Value, answer: Value| json_matches(&page, &answer, &mut known);
    assert!(like(json!({"a": 1, "b": ["x"], "…": "…"}), json!({"a": 2, "b": ["x", "y"], "c": null})));
    for (page, answer) in [
        (json!({"a": 1}), json!({"b": 1})),
        (json!({"a": 1}), json!({"a": "1"})),
        (json!({"a": "x"}), json!({"a": "y"})),
        (json!({"a": true}), json!({"a": false})),
        (json!(["x"]), json!([])),
    ] {
        assert!(!like(page.clone(), answer), "{page}");
    }
}
