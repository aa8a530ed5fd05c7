//! Filters of contacts, and their plan: the part of a filter that the index can answer.

use super::conditions::{Compared, Condition, ConditionOperator};
use super::terms::{Term, attribute_term, label_term, part_terms, segment_term, text_terms, value_term};
use super::view::{Attributes, ContactView};
use crate::base::fold::fold;
use crate::{LabelId, SegmentId, Timestamp};

#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct ContactFilter {
    /// Part of the name, in any letter case, or of the number (V1).
    pub name: Option<String>,
    /// Part of the name, the number or the handle (V3).
    pub search: Option<String>,
    /// All of these must hold.
    pub conditions: Vec<Condition>,
    /// First and last instant of a range; the contact was created within it.
    pub created: Option<(Timestamp, Timestamp)>,
    /// A static segment that contains the contact.
    pub segment: Option<SegmentId>,
    /// A label that the contact has.
    pub label: Option<LabelId>,
    /// Whether the contact has consented to marketing.
    pub opted_in: Option<bool>,
    /// Whether the contact may get broadcasts.
    pub allow_broadcast: Option<bool>,
    pub blocked: Option<bool>,
    /// Groups of a dynamic segment: all conditions of at least one group must hold. Empty: no such filter.
    pub groups: Vec<Vec<Condition>>,
}

/// How the index answers a filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexPlan {
    /// A candidate has all terms of one branch; a branch without terms stands for all contacts.
    pub branches: Vec<Vec<Term>>,
    /// Every candidate matches the filter apart from `created`, so the contact itself need not be checked.
    pub exact: bool,
}

impl ContactFilter {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn plan(&self) -> IndexPlan {
        let texts = [&self.name, &self.search].into_iter().flatten().flat_map(|part| searched_terms(part));
        let attributes = self.conditions.iter().flat_map(condition_terms);
        let common: Vec<Term> =
            texts.chain(attributes).chain(self.segment.map(segment_term)).chain(self.label.map(label_term)).collect();
        let branch = |group: &Vec<Condition>| {
            let mut terms: Vec<Term> = common.iter().copied().chain(group.iter().flat_map(condition_terms)).collect();
            terms.sort_unstable();
            terms.dedup();
            terms
        };
        let no_condition = [Vec::new()];
        let groups: &[Vec<Condition>] = if self.groups.is_empty() { &no_condition } else { &self.groups };
        let mut branches: Vec<Vec<Term>> = Vec::new();
        for terms in groups.iter().map(branch) {
            if !branches.contains(&terms) {
                branches.push(terms);
            }
        }
        if branches.iter().any(Vec::is_empty) {
            // One branch stands for all contacts already.
            branches = vec![Vec::new()];
        }
        let exact = self.name.is_none()
            && [self.opted_in, self.allow_broadcast, self.blocked].iter().all(Option::is_none)
            && self.search.is_none()
            && self.groups.is_empty()
            && self.conditions.iter().all(Condition::is_exact);
        IndexPlan { branches, exact }
    }

    /// How many conditions a contact is checked against at most.
    pub fn conditions(&self) -> usize {
        self.conditions.len() + self.groups.iter().map(Vec::len).sum::<usize>()
    }

    /// True if the filter allows the contact. Candidates of the index are checked with it, unless the plan is exact.
    pub fn allows(&self, contact: &ContactView<'_>) -> bool {
        let created = self.created.is_none_or(|(first, last)| (first..=last).contains(&contact.created_at));
        created
            && self.name.as_ref().is_none_or(|part| in_name_or_number(contact, part))
            && self.search.as_ref().is_none_or(|part| in_name_or_number(contact, part) || in_handle(contact, part))
            && self.segment.is_none_or(|segment| contact.segments().contains(&segment))
            && self.label.is_none_or(|label| contact.labels().contains(&label))
            && self.opted_in.is_none_or(|opted_in| contact.opted_in == opted_in)
            && self.allow_broadcast.is_none_or(|allowed| contact.allow_broadcast == allowed)
            && self.blocked.is_none_or(|blocked| contact.blocked == blocked)
            && self.attributes_allow(contact)
    }

    fn attributes_allow(&self, contact: &ContactView<'_>) -> bool {
        if self.conditions.is_empty() && self.groups.is_empty() {
            return true;
        }
        let attributes = contact.attributes();
        all_hold(&self.conditions, contact, &attributes)
            && (self.groups.is_empty() || self.groups.iter().any(|group| all_hold(group, contact, &attributes)))
    }
}

pub(in crate::people) fn all_hold(
    conditions: &[Condition],
    contact: &ContactView<'_>,
    attributes: &Attributes<'_>,
) -> bool {
    conditions.iter().all(|condition| condition.holds_for(contact, attributes))
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

/// The digits of a formatted number such as `+1 (415) 555`, which is searched in numbers only. Bare digits are also
/// searched in names.
fn written_number(part: &str) -> Option<String> {
    let written = part.chars().all(|c| c.is_ascii_digit() || matches!(c, '+' | ' ' | '-' | '.' | '(' | ')'));
    let digits: String = part.chars().filter(char::is_ascii_digit).collect();
    (written && !digits.is_empty() && digits != part).then_some(digits)
}

/// Terms that every matching contact has.
fn searched_terms(part: &str) -> Vec<Term> {
    match written_number(part) {
        Some(digits) => text_terms(&digits),
        None => text_terms(part.strip_prefix('@').unwrap_or(part)),
    }
}

fn condition_terms(condition: &Condition) -> Vec<Term> {
    let Compared::Attribute(name) = condition.compared() else { return own_terms(condition) };
    match condition.operator {
        ConditionOperator::Equal => vec![value_term(name, &condition.value)],
        ConditionOperator::Contain => {
            let parts = part_terms(name, &condition.value);
            if parts.is_empty() { vec![attribute_term(name)] } else { parts }
        }
        ConditionOperator::Exist | ConditionOperator::Valid => vec![attribute_term(name)],
        ConditionOperator::NotContain
        | ConditionOperator::NotExist
        | ConditionOperator::NotEqual
        | ConditionOperator::Invalid => Vec::new(),
    }
}

/// Terms of a condition on the contact's own name or number: the index has the parts of both.
fn own_terms(condition: &Condition) -> Vec<Term> {
    match condition.operator {
        ConditionOperator::Equal | ConditionOperator::Contain => text_terms(&condition.value),
        _ => Vec::new(),
    }
}

impl Condition {
    fn is_exact(&self) -> bool {
        matches!(self.compared(), Compared::Attribute(_))
            && matches!(self.operator, ConditionOperator::Equal | ConditionOperator::Exist)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Id;
    use crate::people::contacts::{Contact, CustomParam, NewContact, terms};

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

    fn allows(filter: &ContactFilter, contact: &Contact) -> bool {
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
            let by_name = ContactFilter { name: Some(part.to_owned()), ..ContactFilter::default() };
            let by_search = ContactFilter { search: Some(part.to_owned()), ..ContactFilter::default() };
            assert_eq!((allows(&by_name, &ada), allows(&by_search, &ada)), (in_name, in_search), "{part}");
        }
    }

    #[test]
    fn conditions_on_name_and_phone_are_about_the_contact_itself() {
        let ada = contact("Ada Lovelace", "14155552671", &[("name", "Bob"), ("city", "Bern")]);
        let nameless = contact("", "14155552672", &[]);
        for (name, operator, value, expected) in [
            ("name", "contain", "ada", [true, false]),
            ("name", "notContain", "ada", [false, true]),
            ("name", "==", "Ada Lovelace", [true, false]),
            ("name", "==", "Bob", [false, false]),
            ("name", "!=", "Ada Lovelace", [false, true]),
            ("name", "exist", "", [true, false]),
            ("name", "invalid", "", [false, true]),
            ("phone", "==", "+1 (415) 555-2671", [true, false]),
            ("phone", "!=", "+1 (415) 555-2671", [false, true]),
            ("phone", "contain", "555-267", [true, true]),
            ("phone", "notExist", "", [false, false]),
            ("city", "==", "Bern", [true, false]),
        ] {
            let condition = Condition::new(name.to_owned(), operator.parse().unwrap(), value.to_owned());
            let filter = ContactFilter { conditions: vec![condition.clone()], ..ContactFilter::default() };
            assert_eq!([allows(&filter, &ada), allows(&filter, &nameless)], expected, "{condition:?}");
            if let Some(positive) = condition.negated() {
                let positive = ContactFilter { conditions: vec![positive], ..ContactFilter::default() };
                assert_eq!([allows(&positive, &ada), allows(&positive, &nameless)], expected.map(|is| !is));
            }
        }
    }

    #[test]
    fn consent_and_blocks_are_checked_on_the_contact_itself() {
        let ada = contact("Ada", "14155552671", &[]);
        let blocked = Contact { blocked_at: Some(Timestamp::from_seconds(1)), ..ada.clone() };
        let refused = Contact { allow_broadcast: false, ..ada.clone() };
        let mut opted_out = ada.clone();
        opted_out.consent.opted_in = false;
        let all = [&ada, &blocked, &refused, &opted_out];
        for (filter, expected) in [
            (ContactFilter { blocked: Some(true), ..ContactFilter::default() }, [false, true, false, false]),
            (ContactFilter { blocked: Some(false), ..ContactFilter::default() }, [true, false, true, true]),
            (ContactFilter { allow_broadcast: Some(false), ..ContactFilter::default() }, [false, false, true, false]),
            (ContactFilter { opted_in: Some(false), ..ContactFilter::default() }, [false, false, false, true]),
            (
                ContactFilter { opted_in: Some(true), blocked: Some(false), ..ContactFilter::default() },
                [true, false, true, false],
            ),
        ] {
            assert_eq!(all.map(|contact| allows(&filter, contact)), expected, "{filter:?}");
            assert!(!filter.plan().exact && !filter.is_empty());
        }
    }

    #[test]
    fn groups_are_alternatives() {
        let is =
            |value: &str| Condition { name: "city".into(), operator: ConditionOperator::Equal, value: value.into() };
        let filter = ContactFilter { groups: vec![vec![is("Bern")], vec![is("Berlin")]], ..ContactFilter::default() };
        assert!(allows(&filter, &contact("Ada", "14155552671", &[("city", "Berlin")])));
        assert!(!allows(&filter, &contact("Ada", "14155552671", &[("city", "Paris")])));
        assert_eq!(filter.plan().branches.len(), 2);
        let of = |groups: Vec<Vec<Condition>>| ContactFilter { groups, ..ContactFilter::default() };
        assert_eq!(of(vec![vec![is("Bern")], vec![is("Bern"), is("Bern")]]).plan().branches.len(), 1);
        let not = Condition { operator: ConditionOperator::NotContain, ..is("Bern") };
        let any = of(vec![vec![is("Bern")], vec![not.clone()], vec![not]]);
        assert_eq!((any.plan().branches, any.conditions()), (vec![Vec::new()], 3), "contacts are read once");
    }

    fn any_filter() -> impl Strategy<Value = ContactFilter> {
        let operator =
            prop::sample::select(vec!["contain", "notContain", "exist", "notExist", "==", "!=", "valid", "invalid"]);
        let condition = ("[ab]|name|phone", operator, "[xyXÄ ]{0,7}|[a-cA-C1-3]{0,7}")
            .prop_map(|(name, operator, value)| Condition { name, operator: operator.parse().unwrap(), value });
        let conditions = prop::collection::vec(condition, 0..3);
        let part = prop::option::of("[a-cA-Cß+1-3 @.-]{1,8}");
        let groups = prop::collection::vec(conditions.clone(), 0..3);
        (part.clone(), part, conditions, groups).prop_map(|(name, search, conditions, groups)| ContactFilter {
            name,
            search,
            conditions,
            groups,
            ..ContactFilter::default()
        })
    }

    proptest! {
        /// The index may return too many candidates, never too few.
        #[test]
        fn every_matching_contact_has_the_terms_of_a_branch(
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

    fn allows_name(part: &str, contact: &Contact) -> bool {
        allows(&ContactFilter { name: Some(part.to_owned()), ..ContactFilter::default() }, contact)
    }

    fn is(name: &str, value: &str) -> Condition {
        Condition { name: name.into(), operator: ConditionOperator::Equal, value: value.into() }
    }

    #[test]
    fn a_filter_is_empty_only_when_it_asks_for_nothing() {
        assert!(ContactFilter::default().is_empty());
        for filter in [
            ContactFilter { name: Some(String::new()), ..ContactFilter::default() },
            ContactFilter { conditions: vec![is("a", "b")], ..ContactFilter::default() },
            ContactFilter { groups: vec![Vec::new()], ..ContactFilter::default() },
        ] {
            assert!(!filter.is_empty(), "{filter:?}");
        }
    }

    #[test]
    fn an_empty_filter_allows_all_contacts_and_is_exact() {
        assert!(allows(&ContactFilter::default(), &contact("Ada", "14155552671", &[])));
        assert_eq!(ContactFilter::default().plan(), IndexPlan { branches: vec![Vec::new()], exact: true });
    }

    #[test]
    fn the_first_and_the_last_instant_of_the_range_of_creation_belong_to_it() {
        let ada = contact("Ada", "14155552671", &[]);
        let at = |micros: i64| Timestamp::from_micros(ada.created_at.micros() + micros);
        for (first, last, allowed) in [(0, 0, true), (-1, 1, true), (1, 2, false), (-2, -1, false), (-1, 0, true)] {
            let filter = ContactFilter { created: Some((at(first), at(last))), ..ContactFilter::default() };
            assert_eq!(allows(&filter, &ada), allowed, "{first} to {last}");
        }
    }

    #[test]
    fn a_static_segment_contains_its_listed_contacts() {
        let at = Timestamp::from_seconds(1_776_000_000);
        let inside = Contact { segments: vec![Id::seeded(at, 1), Id::seeded(at, 2)], ..contact("Ada", "1", &[]) };
        let filter = |entropy| ContactFilter { segment: Some(Id::seeded(at, entropy)), ..ContactFilter::default() };
        assert!(allows(&filter(1), &inside) && allows(&filter(2), &inside) && !allows(&filter(3), &inside));
        assert_eq!(filter(1).plan().branches, [vec![segment_term(Id::seeded(at, 1))]]);
        assert!(filter(1).plan().exact);
    }

    #[test]
    fn all_demands_of_a_filter_hold_together() {
        let ada = contact("Ada", "14155552671", &[("city", "Bern"), ("tier", "gold")]);
        let with = |conditions: Vec<Condition>, groups: Vec<Vec<Condition>>| {
            allows(&ContactFilter { conditions, groups, ..ContactFilter::default() }, &ada)
        };
        assert!(with(vec![is("city", "Bern"), is("tier", "gold")], vec![]));
        assert!(!with(vec![is("city", "Bern"), is("tier", "lead")], vec![]), "all conditions");
        assert!(with(vec![], vec![vec![is("city", "Rome")], vec![is("city", "Bern"), is("tier", "gold")]]));
        assert!(!with(vec![], vec![vec![is("city", "Bern"), is("tier", "lead")]]), "a group as a whole");
        assert!(!with(vec![is("tier", "lead")], vec![vec![is("city", "Bern")]]), "conditions and groups");
        assert!(with(vec![is("tier", "gold")], vec![vec![is("city", "Bern")]]));
        let far = Timestamp::from_seconds(1);
        let wrong_time =
            ContactFilter { name: Some("Ada".into()), created: Some((far, far)), ..ContactFilter::default() };
        assert!(!allows(&wrong_time, &ada));
    }

    #[test]
    fn formatted_numbers_are_searched_in_numbers_only() {
        let named = contact("Room 415", "12125550100", &[]);
        assert!(allows_name("415", &named), "bare digits may be part of a name");
        for sign in ["+", " ", "-", ".", "(", ")"] {
            assert!(!allows_name(&format!("{sign}415"), &named), "{sign}");
            assert!(allows_name(&format!("{sign}212"), &named), "{sign}");
            assert_eq!(written_number(&format!("4{sign}15")).as_deref(), Some("415"), "{sign}");
        }
        assert_eq!(written_number("415"), None);
        assert_eq!(written_number("+"), None, "signs without a digit are letters");
        assert_eq!(written_number("+4a"), None);
    }

    #[test]
    fn a_handle_is_found_with_and_without_its_at_sign() {
        let ada = contact("x", "14155552671", &[]);
        let found =
            |part: &str| allows(&ContactFilter { search: Some(part.to_owned()), ..ContactFilter::default() }, &ada);
        assert!(found("@ada.l") && found("DA.L") && !found("@@ada") && !found("ada@"));
        let nameless = Contact { username: None, phone: None, ..ada.clone() };
        assert!(!allows(&ContactFilter { search: Some("ada".into()), ..ContactFilter::default() }, &nameless));
        assert!(!allows_name("1", &nameless));
    }

    #[test]
    fn an_index_alone_answers_only_equality_existence_and_segments() {
        for (operator, exact, terms) in [
            ("==", true, vec![value_term("a", "xyz")]),
            ("exist", true, vec![attribute_term("a")]),
            ("valid", false, vec![attribute_term("a")]),
            ("contain", false, part_terms("a", "xyz")),
            ("notContain", false, vec![]),
            ("notExist", false, vec![]),
            ("!=", false, vec![]),
            ("invalid", false, vec![]),
        ] {
            let condition = Condition { name: "a".into(), operator: operator.parse().unwrap(), value: "xyz".into() };
            let plan = ContactFilter { conditions: vec![condition.clone()], ..ContactFilter::default() }.plan();
            assert_eq!(plan, IndexPlan { branches: vec![terms.clone()], exact }, "{operator}");
            let in_group = ContactFilter { groups: vec![vec![condition]], ..ContactFilter::default() }.plan();
            assert_eq!(in_group, IndexPlan { branches: vec![terms], exact: false }, "{operator}");
        }
        assert!(!ContactFilter { name: Some("a".into()), ..ContactFilter::default() }.plan().exact);
        assert!(!ContactFilter { search: Some("a".into()), ..ContactFilter::default() }.plan().exact);
        let short = Condition { name: "a".into(), operator: ConditionOperator::Contain, value: "xy".into() };
        let plan = ContactFilter { conditions: vec![short], ..ContactFilter::default() }.plan();
        assert_eq!(plan.branches, [vec![attribute_term("a")]], "a part that is too short leaves the attribute itself");
    }

    #[test]
    fn every_branch_has_the_common_terms_once_and_in_order() {
        let filter = ContactFilter {
            search: Some("@ada".into()),
            conditions: vec![is("city", "Bern")],
            groups: vec![vec![is("city", "Bern")], vec![is("tier", "gold")]],
            ..ContactFilter::default()
        };
        let sorted = |mut terms: Vec<Term>| {
            terms.sort_unstable();
            terms
        };
        let (city, tier) = (value_term("city", "Bern"), value_term("tier", "gold"));
        let ada = text_terms("ada");
        assert_eq!(ada.len(), 1);
        assert_eq!(filter.plan().branches, [sorted(vec![ada[0], city]), sorted(vec![ada[0], city, tier])]);
        let number = ContactFilter { name: Some("+1 (415)".into()), ..ContactFilter::default() };
        assert_eq!(number.plan().branches, [sorted(text_terms("1415"))]);
    }
}
