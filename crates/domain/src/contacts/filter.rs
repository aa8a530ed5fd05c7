//! Which contacts a list shows, and which of that an index can answer.

use super::conditions::{Condition, Operator};
use super::terms::{Term, attribute_term, fold, part_terms, segment_term, text_terms, value_term};
use super::view::{Attributes, ContactView};
use crate::{SegmentId, Timestamp};

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Filter {
    /// Part of the name, in any letter case, or of the number (V1).
    pub name: Option<String>,
    /// Part of the name, the number or the handle (V3).
    pub search: Option<String>,
    /// All of these must hold.
    pub conditions: Vec<Condition>,
    /// First and last instant between which the contact was made.
    pub created: Option<(Timestamp, Timestamp)>,
    /// A static segment that the contact was put into.
    pub segment: Option<SegmentId>,
    /// Of a dynamic segment: one of the groups must hold as a whole. None: no such demand.
    pub groups: Vec<Vec<Condition>>,
}

/// How an index answers a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Contacts that have all terms of one of these; a branch without terms is every contact.
    pub branches: Vec<Vec<Term>>,
    /// Whoever has the terms is wanted: there is nothing left to look at in the contact itself.
    pub exact: bool,
}

impl Filter {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn plan(&self) -> Plan {
        let texts = [&self.name, &self.search].into_iter().flatten().flat_map(|part| searched_terms(part));
        let attributes = self.conditions.iter().flat_map(condition_terms);
        let common: Vec<Term> = texts.chain(attributes).chain(self.segment.map(segment_term)).collect();
        let branch = |group: &Vec<Condition>| {
            let mut terms: Vec<Term> = common.iter().copied().chain(group.iter().flat_map(condition_terms)).collect();
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let branches =
            if self.groups.is_empty() { vec![branch(&Vec::new())] } else { self.groups.iter().map(branch).collect() };
        let exact = self.name.is_none()
            && self.search.is_none()
            && self.groups.is_empty()
            && self.conditions.iter().all(Condition::is_exact);
        Plan { branches, exact }
    }

    /// Is this contact wanted? Asked of every candidate that the index names.
    pub fn allows(&self, contact: &ContactView<'_>) -> bool {
        let created = self.created.is_none_or(|(first, last)| (first..=last).contains(&contact.created_at));
        created
            && self.name.as_ref().is_none_or(|part| in_name_or_number(contact, part))
            && self.search.as_ref().is_none_or(|part| in_name_or_number(contact, part) || in_handle(contact, part))
            && self.segment.is_none_or(|segment| contact.segments().contains(&segment))
            && self.attributes_allow(contact)
    }

    fn attributes_allow(&self, contact: &ContactView<'_>) -> bool {
        if self.conditions.is_empty() && self.groups.is_empty() {
            return true;
        }
        let attributes = contact.attributes();
        all_hold(&self.conditions, &attributes)
            && (self.groups.is_empty() || self.groups.iter().any(|group| all_hold(group, &attributes)))
    }
}

pub(super) fn all_hold(conditions: &[Condition], attributes: &Attributes<'_>) -> bool {
    conditions.iter().all(|condition| condition.holds(attributes.value(&condition.name)))
}

fn in_name_or_number(contact: &ContactView<'_>, part: &str) -> bool {
    let in_number = |digits: &str| contact.phone.is_some_and(|phone| phone.contains(digits));
    match written_number(part) {
        Some(digits) => in_number(&digits),
        None => in_number(part) || fold(contact.name).contains(&fold(part)),
    }
}

fn in_handle(contact: &ContactView<'_>, part: &str) -> bool {
    let handle = part.strip_prefix('@').unwrap_or(part);
    contact.username.is_some_and(|username| fold(username).contains(&fold(handle)))
}

/// The digits of a number as people write it: `+1 (415) 555`. Such a part is looked for in numbers alone; bare digits
/// also in names.
fn written_number(part: &str) -> Option<String> {
    let written = part.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | ' ' | '-' | '.' | '(' | ')'));
    let digits: String = part.chars().filter(char::is_ascii_digit).collect();
    (written && !digits.is_empty() && digits != part).then_some(digits)
}

/// The letters that every wanted contact has in its name, number or handle.
fn searched_terms(part: &str) -> Vec<Term> {
    match written_number(part) {
        Some(digits) => text_terms(&digits),
        None => text_terms(part.strip_prefix('@').unwrap_or(part)),
    }
}

fn condition_terms(condition: &Condition) -> Vec<Term> {
    let name = &condition.name;
    match condition.operator {
        Operator::Equal => vec![value_term(name, &condition.value)],
        Operator::Contain => {
            let parts = part_terms(name, &condition.value);
            if parts.is_empty() { vec![attribute_term(name)] } else { parts }
        }
        Operator::Exist | Operator::Valid => vec![attribute_term(name)],
        Operator::NotContain | Operator::NotExist | Operator::NotEqual | Operator::Invalid => Vec::new(),
    }
}

impl Condition {
    fn is_exact(&self) -> bool {
        matches!(self.operator, Operator::Equal | Operator::Exist)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::contacts::{Contact, CustomParam, NewContact, terms};

    fn contact(name: &str, phone: &str, params: &[(&str, &str)]) -> Contact {
        let param = |(name, value): &(&str, &str)| CustomParam { name: (*name).to_owned(), value: (*value).to_owned() };
        let new = NewContact {
            name: name.to_owned(),
            phone: Some(phone.to_owned()),
            custom_params: params.iter().map(param).collect(),
            ..NewContact::default()
        };
        Contact { username: Some("ada.l".to_owned()), ..Contact::new(new, Timestamp::from_seconds(1_776_000_000)) }
    }

    fn allows(filter: &Filter, contact: &Contact) -> bool {
        let texts = contact.texts();
        filter.allows(&contact.view(&texts))
    }

    #[test]
    fn parts_of_names_numbers_and_handles() {
        let ada = contact("Ada 7 Lovelace", "14155552671", &[]);
        for (part, in_name, in_search) in [
            ("LOVE", true, true),
            ("555267", true, true),
            ("+1 (415)", true, true),
            ("7", true, true),
            ("ada.l", false, true),
            ("@ADA", false, true),
            ("bob", false, false),
            ("+9", false, false),
        ] {
            let by_name = Filter { name: Some(part.to_owned()), ..Filter::default() };
            let by_search = Filter { search: Some(part.to_owned()), ..Filter::default() };
            assert_eq!((allows(&by_name, &ada), allows(&by_search, &ada)), (in_name, in_search), "{part}");
        }
    }

    #[test]
    fn groups_are_alternatives() {
        let is = |value: &str| Condition { name: "city".into(), operator: Operator::Equal, value: value.into() };
        let filter = Filter { groups: vec![vec![is("Bern")], vec![is("Berlin")]], ..Filter::default() };
        assert!(allows(&filter, &contact("Ada", "14155552671", &[("city", "Berlin")])));
        assert!(!allows(&filter, &contact("Ada", "14155552671", &[("city", "Paris")])));
        assert_eq!(filter.plan().branches.len(), 2);
    }

    fn any_filter() -> impl Strategy<Value = Filter> {
        let operator =
            prop::sample::select(vec!["contain", "notContain", "exist", "notExist", "==", "!=", "valid", "invalid"]);
        let condition = ("[ab]", operator, "[xyXÄ ]{0,7}").prop_map(|(name, operator, value)| Condition {
            name,
            operator: operator.parse().unwrap(),
            value,
        });
        let conditions = prop::collection::vec(condition, 0..3);
        let part = prop::option::of("[a-cA-Cß+1-3 @.-]{1,8}");
        let groups = prop::collection::vec(conditions.clone(), 0..3);
        (part.clone(), part, conditions, groups).prop_map(|(name, search, conditions, groups)| Filter {
            name,
            search,
            conditions,
            groups,
            ..Filter::default()
        })
    }

    proptest! {
        /// An index may name too many contacts, never too few.
        #[test]
        fn whoever_is_wanted_has_the_terms_of_a_branch(
            filter in any_filter(),
            name in "[a-cA-Cß1-3 .]{0,12}",
            phone in "[123]{5,9}",
            value in "[xyXÄ ]{0,9}",
        ) {
            let contact = contact(&name, &phone, &[("a", &value)]);
            let has = terms(&contact);
            let plan = filter.plan();
            let candidate = plan.branches.iter().any(|branch| branch.iter().all(|term| has.contains(term)));
            if allows(&filter, &contact) {
                prop_assert!(candidate);
            } else {
                prop_assert!(!(plan.exact && candidate));
            }
        }
    }
}
