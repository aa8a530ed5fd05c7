//! Terms of the contact index.
//!
//! A term is a hash of a question and its text: "has the attribute city", "city is Berlin", "city contains erl", "name,
//! number or handle contains ada", "is in this segment". Lists check each contact against the filter, so a collision of
//! two hashes costs one extra check. Totals of filters that the index alone answers are not checked: a collision of two
//! hashes of 64 bits would count one contact too many.

use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::contact::Contact;
use crate::base::fold::fold;
use crate::{LabelId, SegmentId};

pub type Term = i64;

/// Lengths of the indexed parts of a text, in letters. A shorter part cannot be looked up; the longer length separates
/// texts that share many short parts, such as phone numbers.
const GRAMS: [usize; 2] = [3, 6];

/// All terms of a contact, sorted and distinct.
pub fn terms(contact: &Contact) -> Vec<Term> {
    let mut all = Vec::with_capacity(64);
    let texts = [Some(&contact.name), contact.phone.as_ref(), contact.username.as_ref()];
    for text in texts.into_iter().flatten() {
        let letters = Letters::new(text);
        all.extend(
            GRAMS
                .into_iter()
                .flat_map(|length| letters.parts(length))
                .map(|part| Question::TextContains.seed().term(part)),
        );
    }
    for param in &contact.custom_params {
        let (letters, seed) = (Letters::new(&param.value), Question::AttributeContains.about(&param.name));
        all.push(attribute_term(&param.name));
        all.push(value_term(&param.name, &param.value));
        all.extend(GRAMS.into_iter().flat_map(|length| letters.parts(length)).map(|part| seed.term(part)));
    }
    all.extend(contact.segments.iter().map(|segment| segment_term(*segment)));
    all.extend(contact.labels.iter().map(|label| label_term(*label)));
    all.sort_unstable();
    all.dedup();
    all
}

/// The terms to remove and to add when a contact changes.
pub fn difference(before: &Contact, after: &Contact) -> (Vec<Term>, Vec<Term>) {
    let (old, new) = (terms(before), terms(after));
    let only_in = |these: &[Term], those: &[Term]| -> Vec<Term> {
        these.iter().filter(|term| those.binary_search(term).is_err()).copied().collect()
    };
    (only_in(&old, &new), only_in(&new, &old))
}

/// Terms of every contact whose name, number or handle contains this part; none for a part that is too short.
pub(super) fn text_terms(part: &str) -> Vec<Term> {
    Letters::new(part).longest_parts().map(|part| Question::TextContains.seed().term(part)).collect()
}

/// Terms of every contact whose attribute contains this part; none for a part that is too short.
pub(super) fn part_terms(name: &str, part: &str) -> Vec<Term> {
    let seed = Question::AttributeContains.about(name);
    Letters::new(part).longest_parts().map(|part| seed.term(part)).collect()
}

pub(super) fn attribute_term(name: &str) -> Term {
    Question::HasAttribute.seed().term(name)
}

pub(super) fn value_term(name: &str, value: &str) -> Term {
    Question::AttributeIs.about(name).term(value)
}

pub fn segment_term(segment: SegmentId) -> Term {
    Question::InSegment.seed().term(&segment.to_string())
}

pub fn label_term(label: LabelId) -> Term {
    Question::HasLabel.seed().term(&label.to_string())
}

/// What a term answers, apart from its text. The numbers are part of every stored term: they must not change.
#[derive(Debug, Clone, Copy)]
#[repr(u64)]
enum Question {
    /// Name, number or handle contain the text.
    TextContains = 1,
    HasAttribute = 2,
    AttributeIs = 3,
    InSegment = 4,
    AttributeContains = 5,
    HasLabel = 6,
}

impl Question {
    const fn seed(self) -> Seed {
        Seed(self as u64)
    }

    /// The question about one attribute.
    fn about(self, attribute: &str) -> Seed {
        Seed(xxh3_64_with_seed(attribute.as_bytes(), self as u64))
    }
}

/// The seed of the hash of a text: a question, and the attribute that it is about.
#[derive(Debug, Clone, Copy)]
struct Seed(u64);

impl Seed {
    fn term(self, text: &str) -> Term {
        xxh3_64_with_seed(text.as_bytes(), self.0).cast_signed()
    }
}

/// A folded text with the positions of its letters.
struct Letters {
    text: String,
    bounds: Vec<usize>,
}

impl Letters {
    fn new(text: &str) -> Self {
        let text = fold(text);
        let bounds = text.char_indices().map(|(start, _)| start).chain([text.len()]).collect();
        Self { text, bounds }
    }

    /// All parts of this length, in letters.
    fn parts(&self, length: usize) -> impl Iterator<Item = &str> {
        self.bounds.windows(length + 1).map(move |window| &self.text[window[0]..window[length]])
    }

    /// The longest indexed parts, which the fewest contacts have.
    fn longest_parts(&self) -> impl Iterator<Item = &str> {
        let length = GRAMS.into_iter().rev().find(|length| *length < self.bounds.len());
        length.into_iter().flat_map(|length| self.parts(length))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::people::contacts::{CustomParam, NewContact};
    use crate::{Id, Timestamp};

    fn contact(name: &str, city: &str) -> Contact {
        let custom_params = vec![CustomParam { name: "city".to_owned(), value: city.to_owned() }];
        let new = NewContact { name: name.to_owned(), custom_params, ..NewContact::default() };
        Contact::new(new, Timestamp::from_seconds(1_776_000_000))
    }

    #[test]
    fn a_contact_is_found_by_every_part_of_three_letters() {
        let all = terms(&contact("Ada Lovelace", "Berlin"));
        for part in ["ADA", "a l", "ace", "lovela", "ADA LOVELACE"] {
            let wanted = text_terms(part);
            assert!(!wanted.is_empty() && wanted.iter().all(|term| all.contains(term)), "{part}");
        }
        assert!(text_terms("da").is_empty());
        assert!(part_terms("city", "RLIN").iter().all(|term| all.contains(term)));
        assert!(!part_terms("town", "rlin").iter().any(|term| all.contains(term)));
        assert!(all.contains(&value_term("city", "Berlin")) && all.contains(&attribute_term("city")));
        assert!(all.is_sorted());
    }

    #[test]
    fn a_change_touches_only_what_changed() {
        let (before, after) = (contact("Ada", "Berlin"), contact("Ada", "Bern"));
        let (lost, gained) = difference(&before, &after);
        assert!(lost.contains(&value_term("city", "Berlin")) && gained.contains(&value_term("city", "Bern")));
        let mut kept = [attribute_term("city")].into_iter().chain(part_terms("city", "ber")).chain(text_terms("ada"));
        assert!(kept.all(|term| !lost.contains(&term) && !gained.contains(&term)));
    }

    /// Databases store these numbers: a change of them needs a rebuild of the index.
    #[test]
    fn terms_keep_their_numbers() {
        assert_eq!(
            (Question::TextContains.seed().term("ada"), value_term("city", "Berlin")),
            (105_097_410_018_372_900, 8_271_035_392_879_053_987)
        );
    }

    #[test]
    fn parts_of_three_letters_are_asked_by_threes_and_longer_ones_by_sixes() {
        for (part, terms) in [("", 0), ("ab", 0), ("abc", 1), ("abcd", 2), ("abcde", 3), ("abcdef", 1), ("äbcdefg", 2)]
        {
            assert_eq!((text_terms(part).len(), part_terms("x", part).len()), (terms, terms), "{part}");
        }
        assert_eq!(text_terms("ABC"), text_terms("abc"));
        assert_ne!(part_terms("x", "abc"), part_terms("y", "abc"));
        assert_ne!(part_terms("x", "abc"), text_terms("abc"));
    }

    #[test]
    fn number_handle_and_segments_are_found_too() {
        let at = Timestamp::from_seconds(1_776_000_000);
        let found = |one: &Contact, term: Term| terms(one).binary_search(&term).is_ok();
        let ada = Contact {
            phone: Some("14155552671".to_owned()),
            username: Some("ada.l".to_owned()),
            segments: vec![Id::seeded(at, 1)],
            labels: vec![Id::seeded(at, 1)],
            ..contact("Countess", "Bern")
        };
        for part in ["555", "267", "a.l", "countess"] {
            assert!(text_terms(part).into_iter().all(|term| found(&ada, term)), "{part}");
        }
        assert!(found(&ada, segment_term(Id::seeded(at, 1))) && !found(&ada, segment_term(Id::seeded(at, 2))));
        assert!(found(&ada, label_term(Id::seeded(at, 1))) && !found(&ada, label_term(Id::seeded(at, 2))));
        assert!(!found(&ada, value_term("city", "bern")), "equality has regard to letter case");
        let all = terms(&ada);
        assert!(all.windows(2).all(|pair| pair[0] < pair[1]), "in order, each once");
    }

    #[test]
    fn without_a_change_nothing_is_lost_or_gained() {
        let one = contact("Ada", "Berlin");
        assert_eq!(difference(&one, &one), (Vec::new(), Vec::new()));
        let (lost, gained) = difference(&one, &contact("Ada", "Bern"));
        let (back_lost, back_gained) = difference(&contact("Ada", "Bern"), &one);
        assert_eq!((lost, gained), (back_gained, back_lost));
    }

    /// The other questions, whose numbers databases store too.
    #[test]
    fn every_kind_of_question_keeps_its_number() {
        let own = [attribute_term("city"), segment_term(Id::from_bytes([7; 12])), part_terms("city", "ber")[0]];
        assert_eq!(own, [409_089_746_034_950_085, -4_082_218_589_207_373_178, -2_214_803_330_143_329_251]);
    }
}
