//! Rules for merging two contacts and for undoing a merge.

use super::contact::{Consent, Contact, CustomParam, MAX_PARAMS, MAX_PARAMS_CHARACTERS};
use super::identity::{Identity, IdentityKind, add_sighting, current, first_named};
use crate::Timestamp;
use crate::people::bsuid::is_generated;
use crate::people::labels::MAX_LABELS_ON_ONE;

/// The merged contact: the kept one, with the other's data where it has none.
///
/// `identities` are those of both. The later decision on consent holds. The merged contact allows broadcasts and SMS
/// only if both did, and is blocked if one was. A BSUID of ours gives way to the network's.
pub fn combine(kept: &Contact, other: &Contact, identities: &[Identity], at: Timestamp) -> Contact {
    let mut one = kept.clone();
    give_way(&mut one.bsuid, &other.bsuid);
    give_way(&mut one.parent_bsuid, &other.parent_bsuid);
    if one.name.trim().is_empty() {
        one.name.clone_from(&other.name);
    }
    add_params(&mut one.custom_params, &other.custom_params);
    add_missing(&mut one.teams, &other.teams, |team| &team.id);
    add_missing(&mut one.segments, &other.segments, |segment| segment);
    add_missing(&mut one.labels, &other.labels, |label| label);
    one.labels.truncate(MAX_LABELS_ON_ONE);
    one.consent = later(&kept.consent, &other.consent).clone();
    one.allow_broadcast &= other.allow_broadcast;
    one.allow_sms &= other.allow_sms;
    one.blocked_at = [kept.blocked_at, other.blocked_at].into_iter().flatten().min();
    show_current(&mut one, identities);
    one.updated_at = at;
    one
}

/// Replaces a generated id with the network's.
pub fn give_way(ours: &mut String, theirs: &str) {
    if is_generated(ours) && !is_generated(theirs) {
        theirs.clone_into(ours);
    }
}

/// Sets number and handle to those seen last. The network's first BSUID replaces a generated one: from then on, it is
/// the primary BSUID in events, and the generated one stays an identity.
pub fn show_current(contact: &mut Contact, identities: &[Identity]) {
    contact.phone = current(identities, IdentityKind::Phone).map(str::to_owned);
    contact.username = current(identities, IdentityKind::Username).map(str::to_owned);
    if let Some(named) = first_named(identities) {
        give_way(&mut contact.bsuid, named);
    }
}

/// Adds attributes up to the limit of a contact: beyond it every later change would be refused.
fn add_params(ours: &mut Vec<CustomParam>, theirs: &[CustomParam]) {
    let mut characters = ours.iter().map(|param| param.value.chars().count()).sum::<usize>();
    for param in theirs {
        let longer = characters + param.value.chars().count();
        let known = ours.iter().any(|own| own.name == param.name);
        if !known && ours.len() < MAX_PARAMS && longer <= MAX_PARAMS_CHARACTERS {
            characters = longer;
            ours.push(param.clone());
        }
    }
}

fn add_missing<T: Clone, K: PartialEq>(ours: &mut Vec<T>, theirs: &[T], key: impl Fn(&T) -> &K) {
    for one in theirs {
        if !ours.iter().any(|known| key(known) == key(one)) {
            ours.push(one.clone());
        }
    }
}

/// The later decision. Without a time there was no decision; of two at the same time the refusal wins.
fn later<'a>(ours: &'a Consent, theirs: &'a Consent) -> &'a Consent {
    let rank = |consent: &Consent| (consent.at, !consent.opted_in);
    if rank(theirs) > rank(ours) { theirs } else { ours }
}

/// The kept contact after its merge is undone: without the data of the merge, with later changes.
///
/// `before` and `merged` are the kept contact right before and right after the merge, `now` is its present state.
/// Number and handle follow from its remaining identities.
pub fn separate(before: &Contact, merged: &Contact, now: &Contact, identities: &[Identity]) -> Contact {
    let mut own = now.clone();
    if now.bsuid == merged.bsuid {
        own.bsuid.clone_from(&before.bsuid);
    }
    if now.parent_bsuid == merged.parent_bsuid {
        own.parent_bsuid.clone_from(&before.parent_bsuid);
    }
    if now.name == merged.name {
        own.name.clone_from(&before.name);
    }
    take_back(&mut own.custom_params, &before.custom_params, &merged.custom_params);
    take_back(&mut own.teams, &before.teams, &merged.teams);
    take_back(&mut own.segments, &before.segments, &merged.segments);
    take_back(&mut own.labels, &before.labels, &merged.labels);
    if now.consent == merged.consent {
        own.consent = before.consent.clone();
    }
    if now.allow_broadcast == merged.allow_broadcast {
        own.allow_broadcast = before.allow_broadcast;
    }
    if now.allow_sms == merged.allow_sms {
        own.allow_sms = before.allow_sms;
    }
    if now.blocked_at == merged.blocked_at {
        own.blocked_at = before.blocked_at;
    }
    if now.updated_at == merged.updated_at {
        own.updated_at = before.updated_at;
    }
    show_current(&mut own, identities);
    own
}

/// The other contact after the merge is undone: as it was, with number and handle from its identities.
///
/// A refusal since the merge may come from either person, so it holds for both.
pub fn restore(before: &Contact, merged: &Contact, now: &Contact, identities: &[Identity], at: Timestamp) -> Contact {
    let mut own = before.clone();
    if now.consent != merged.consent && !now.consent.opted_in {
        own.consent = now.consent.clone();
    }
    own.allow_broadcast &= now.allow_broadcast || !merged.allow_broadcast;
    own.allow_sms &= now.allow_sms || !merged.allow_sms;
    if merged.blocked_at.is_none() {
        own.blocked_at = now.blocked_at;
    }
    show_current(&mut own, identities);
    if own != *before {
        own.updated_at = at;
    }
    own
}

/// The identities of each contact after a merge is undone.
#[derive(Debug)]
pub struct Divided {
    pub kept: Vec<Identity>,
    pub other: Vec<Identity>,
}

/// Each contact gets its own identities with their later sightings; new ones belong to the kept contact.
///
/// `kept` and `other` are the identities before the merge, `now` those of the merged contact.
pub fn divide(kept: &[Identity], other: &[Identity], now: &[Identity]) -> Divided {
    let find = |list: &[Identity], wanted: &Identity| {
        list.iter().find(|identity| identity.is(wanted.kind, &wanted.value)).cloned()
    };
    let mut divided = Divided { kept: Vec::new(), other: Vec::new() };
    for present in now {
        let (ours, theirs) = (find(kept, present), find(other, present));
        if ours.is_none() && theirs.is_none() {
            divided.kept.push(present.clone());
        }
        let mut united: Vec<Identity> = ours.iter().cloned().collect();
        if let Some(theirs) = &theirs {
            add_sighting(&mut united, theirs);
        }
        let back = |was: Identity| united.first().map(|united| with_later_sightings(was, united, present));
        divided.kept.extend(ours.and_then(back));
        divided.other.extend(theirs.and_then(back));
    }
    divided
}

fn with_later_sightings(was: Identity, united: &Identity, present: &Identity) -> Identity {
    let first_seen = if present.first_seen == united.first_seen { was.first_seen } else { present.first_seen };
    let last_seen = if present.last_seen == united.last_seen { was.last_seen } else { present.last_seen };
    Identity { first_seen, last_seen, ..was }
}

/// Removes the entries of `own` that the merge added and that are unchanged since.
fn take_back<T: PartialEq>(own: &mut Vec<T>, before: &[T], merged: &[T]) {
    own.retain(|one| before.contains(one) || !merged.contains(one));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;
    use crate::people::contacts::{NewContact, Team, check_params};

    fn contact(name: &str, params: &[(&str, &str)]) -> Contact {
        let param = |(name, value): &(&str, &str)| CustomParam { name: (*name).to_owned(), value: (*value).to_owned() };
        let custom_params = params.iter().map(param).collect();
        let new = NewContact { name: name.to_owned(), custom_params, ..NewContact::default() };
        Contact::new(new, Timestamp::from_seconds(1_776_000_000))
    }

    const AT: Timestamp = Timestamp::from_seconds(1_776_000_100);

    #[test]
    fn the_kept_contact_takes_missing_data_from_the_other() {
        let (ada, other) = (contact("", &[("city", "Bern")]), contact("Ada", &[("city", "Berlin"), ("tier", "gold")]));
        let refused = Consent { opted_in: false, source: Some("API".to_owned()), at: Some(AT) };
        let one = combine(&ada, &Contact { consent: refused.clone(), ..other }, &[], AT);
        assert_eq!((one.name.as_str(), one.param("city"), one.param("tier")), ("Ada", Some("Bern"), Some("gold")));
        assert_eq!((one.consent, one.id), (refused, ada.id));
    }

    #[test]
    fn a_merged_contact_has_no_more_than_a_contact_may_have() {
        let long = "x".repeat(4000);
        let values = |names: [&'static str; 3]| names.map(|name| (name, long.as_str()));
        let one = combine(&contact("", &values(["a", "b", "c"])), &contact("", &values(["c", "d", "e"])), &[], AT);
        assert_eq!(check_params(&one.custom_params), Ok(()));
        assert_eq!(one.custom_params.len(), 4);
    }

    #[test]
    fn a_refusal_after_the_merge_holds_for_both() {
        let (ada, other) = (contact("Ada", &[]), contact("Bob", &[]));
        let merged = combine(&ada, &other, &[], AT);
        assert_eq!(restore(&other, &merged, &merged, &[], AT), other);
        let consent = Consent { opted_in: false, source: Some("STOP".to_owned()), at: Some(AT) };
        let now = Contact { consent, allow_sms: false, blocked_at: Some(AT), ..merged.clone() };
        let back = restore(&other, &merged, &now, &[], AT);
        assert_eq!((&back.consent, back.allow_sms, back.allow_broadcast), (&now.consent, false, true));
        assert_eq!((back.blocked_at, back.updated_at), (Some(AT), AT));
    }

    #[test]
    fn undoing_returns_each_contact_its_own_identities() {
        let seen = |value: &str, first: i64, last: i64| Identity {
            first_seen: Timestamp::from_seconds(first),
            last_seen: Timestamp::from_seconds(last),
            ..Identity::seen(IdentityKind::Username, value, AT)
        };
        let (ada, bob) = ([seen("ada", 5, 6)], [seen("ada", 3, 4), seen("bob", 1, 2)]);
        let back = divide(&ada, &bob, &[seen("ada", 3, 6), seen("bob", 1, 2)]);
        assert_eq!((back.kept.as_slice(), back.other.as_slice()), (&ada[..], &bob[..]));
        let back = divide(&ada, &bob, &[seen("ada", 3, 9), seen("bob", 0, 2), seen("cy", 7, 7)]);
        assert_eq!(back.kept, [seen("ada", 5, 9), seen("cy", 7, 7)]);
        assert_eq!(back.other, [seen("ada", 3, 9), seen("bob", 0, 2)]);
    }

    #[test]
    fn undoing_keeps_later_changes() {
        let (ada, other) = (contact("Ada", &[("city", "Bern")]), contact("A.", &[("tier", "gold"), ("shoe", "38")]));
        let merged = combine(&ada, &other, &[], AT);
        assert_eq!(separate(&ada, &merged, &merged, &[]), ada);
        let mut now = merged.clone();
        now.name = "Ada L.".to_owned();
        crate::people::contacts::merge_params(
            &mut now.custom_params,
            &[CustomParam { name: "tier".into(), value: "lead".into() }],
        );
        let own = separate(&ada, &merged, &now, &[]);
        assert_eq!((own.name.as_str(), own.param("tier"), own.param("shoe")), ("Ada L.", Some("lead"), None));
    }

    fn consent(opted_in: bool, second: Option<i64>) -> Consent {
        Consent { opted_in, source: None, at: second.map(|second| AT.plus_seconds(second)) }
    }

    fn team(entropy: u64, name: &str) -> Team {
        Team { id: Id::seeded(AT, entropy), name: name.to_owned() }
    }

    #[test]
    fn the_later_decision_counts_and_of_two_at_once_the_refusal() {
        for (ours, theirs, opted_in, at) in [
            ((true, None), (false, None), false, None),
            ((false, None), (true, None), false, None),
            ((true, Some(1)), (false, Some(2)), false, Some(2)),
            ((false, Some(1)), (true, Some(2)), true, Some(2)),
            ((true, Some(2)), (false, Some(1)), true, Some(2)),
            ((false, Some(1)), (true, Some(1)), false, Some(1)),
            ((true, Some(1)), (false, Some(1)), false, Some(1)),
            ((true, Some(1)), (false, None), true, Some(1)),
            ((true, None), (true, Some(1)), true, Some(1)),
        ] {
            let with = |(opted_in, second)| Contact { consent: consent(opted_in, second), ..contact("", &[]) };
            let one = combine(&with(ours), &with(theirs), &[], AT);
            assert_eq!(one.consent, consent(opted_in, at), "{ours:?} {theirs:?}");
        }
        // Of two equal decisions that of the kept contact stays, with its source.
        let decided = |source: &str| Contact {
            consent: Consent { source: Some(source.into()), ..consent(false, Some(1)) },
            ..contact("", &[])
        };
        assert_eq!(combine(&decided("ours"), &decided("theirs"), &[], AT).consent.source.as_deref(), Some("ours"));
    }

    #[test]
    fn a_refusal_of_either_holds_for_both() {
        for (ours, theirs) in [(true, true), (true, false), (false, true), (false, false)] {
            let with = |allowed| Contact { allow_broadcast: allowed, allow_sms: allowed, ..contact("", &[]) };
            let one = combine(&with(ours), &with(theirs), &[], AT);
            assert_eq!((one.allow_broadcast, one.allow_sms), (ours && theirs, ours && theirs));
        }
        let blocked = |second: Option<i64>| Contact {
            blocked_at: second.map(|second| AT.plus_seconds(second)),
            ..contact("", &[])
        };
        for (ours, theirs, one) in
            [(None, None, None), (Some(5), None, Some(5)), (None, Some(5), Some(5)), (Some(9), Some(5), Some(5))]
        {
            assert_eq!(combine(&blocked(ours), &blocked(theirs), &[], AT).blocked_at, blocked(one).blocked_at);
        }
    }

    #[test]
    fn teams_and_segments_are_those_of_both_each_once() {
        let kept = Contact { teams: vec![team(1, "Sales")], segments: vec![Id::seeded(AT, 10)], ..contact("Ada", &[]) };
        let other = Contact {
            teams: vec![team(1, "Old name"), team(2, "Support")],
            segments: vec![Id::seeded(AT, 11), Id::seeded(AT, 10)],
            ..contact("Bob", &[])
        };
        let one = combine(&kept, &other, &[], AT);
        assert_eq!(one.teams, [team(1, "Sales"), team(2, "Support")]);
        assert_eq!(one.segments, [Id::seeded(AT, 10), Id::seeded(AT, 11)]);
        assert_eq!((one.name.as_str(), one.updated_at), ("Ada", AT));
        let nameless = Contact { name: " ".into(), ..kept };
        assert_eq!(combine(&nameless, &other, &[], AT).name, "Bob", "a blank name is none");
    }

    #[test]
    fn number_and_handle_are_those_seen_last() {
        let seen = |kind, value: &str, second| Identity::seen(kind, value, AT.plus_seconds(second));
        let identities = [
            seen(IdentityKind::Phone, "1", 1),
            seen(IdentityKind::Phone, "2", 2),
            seen(IdentityKind::Username, "new", 4),
            seen(IdentityKind::Username, "old", 3),
        ];
        let mut one = combine(&contact("", &[]), &contact("", &[]), &identities, AT);
        assert_eq!((one.phone.as_deref(), one.username.as_deref()), (Some("2"), Some("new")));
        show_current(&mut one, &[]);
        assert_eq!((one.phone, one.username), (None, None));
    }

    #[test]
    fn a_generated_bsuid_gives_way_to_the_networks_and_returns_when_the_merge_is_undone() {
        let named = |bsuid: &str| Contact { bsuid: bsuid.into(), parent_bsuid: "US.ENT.9".into(), ..contact("", &[]) };
        let (ours, theirs) = (contact("Ada", &[]), named("US.9"));
        let merged = combine(&ours, &theirs, &[Identity::seen(IdentityKind::Bsuid, "US.1", AT)], AT);
        assert_eq!((merged.id, merged.bsuid.as_str(), merged.parent_bsuid.as_str()), (ours.id, "US.9", "US.ENT.9"));
        assert_eq!(separate(&ours, &merged, &merged, &[]).bsuid, ours.bsuid);
        assert_eq!(combine(&named("US.7"), &theirs, &[], AT).bsuid, "US.7", "of two named ones the older contact's");
        let mut sighted = ours.clone();
        let seen = |bsuid: &str, second| Identity::seen(IdentityKind::Bsuid, bsuid, AT.plus_seconds(second));
        show_current(&mut sighted, &[seen(&ours.bsuid, 0), seen("US.3", 2), seen("US.4", 1)]);
        assert_eq!(sighted.bsuid, "US.4");
        show_current(&mut sighted, &[seen("US.3", -2), seen("US.4", 1)]);
        assert_eq!(sighted.bsuid, "US.4", "a named one stays");
    }

    #[test]
    fn the_limits_of_parameters_are_reached_and_not_passed() {
        let many = |names: std::ops::Range<usize>| -> Vec<CustomParam> {
            names.map(|n| CustomParam { name: n.to_string(), value: "x".into() }).collect()
        };
        let mut ours = many(0..199);
        add_params(&mut ours, &many(198..202));
        assert_eq!(ours, many(0..200), "the 200th is taken, the 201st is not");
        let long = |name: &str, length: usize| CustomParam { name: name.into(), value: "ä".repeat(length) };
        let mut ours = vec![long("a", 16_000)];
        add_params(&mut ours, &[long("b", 385), long("c", 384), long("d", 1)]);
        assert_eq!(ours, [long("a", 16_000), long("c", 384)], "exactly 16 384 characters");
    }

    /// A merged contact whose members all came from the other one.
    fn merge_of_everything() -> (Contact, Contact, Contact) {
        let kept = contact("", &[]);
        let other = Contact {
            teams: vec![team(1, "Sales")],
            segments: vec![Id::seeded(AT, 10)],
            consent: consent(false, Some(1)),
            allow_broadcast: false,
            allow_sms: false,
            blocked_at: Some(AT),
            ..contact("Bob", &[("tier", "gold")])
        };
        let merged = combine(&kept, &other, &[], AT);
        (kept, other, merged)
    }

    #[test]
    fn undoing_removes_the_data_of_the_merge() {
        let (kept, _, merged) = merge_of_everything();
        assert_eq!(separate(&kept, &merged, &merged, &[]), kept);
    }

    #[test]
    fn each_member_that_was_changed_since_the_merge_stays() {
        let (kept, _, merged) = merge_of_everything();
        let later = AT.plus_seconds(9);
        let changes: [fn(&mut Contact); 8] = [
            |now| "Bobby".clone_into(&mut now.name),
            |now| now.teams.push(team(7, "New")),
            |now| now.segments.push(Id::seeded(AT, 70)),
            |now| now.consent = consent(true, Some(9)),
            |now| now.allow_broadcast = true,
            |now| now.allow_sms = true,
            |now| now.blocked_at = None,
            |now| now.custom_params.push(CustomParam { name: "new".into(), value: "1".into() }),
        ];
        for (place, change) in changes.into_iter().enumerate() {
            let mut now = Contact { updated_at: later, ..merged.clone() };
            change(&mut now);
            let mut expected = Contact { updated_at: later, ..kept.clone() };
            change(&mut expected);
            assert_eq!(separate(&kept, &merged, &now, &[]), expected, "change {place}");
        }
    }

    #[test]
    fn after_an_undo_number_and_handle_follow_from_the_identities_that_are_left() {
        let (kept, other, merged) = merge_of_everything();
        let identities =
            [Identity::seen(IdentityKind::Phone, "7", AT), Identity::seen(IdentityKind::Username, "ada", AT)];
        let own = separate(&kept, &merged, &merged, &identities);
        assert_eq!((own.phone.as_deref(), own.username.as_deref()), (Some("7"), Some("ada")));
        let back = restore(&other, &merged, &merged, &identities, AT.plus_seconds(5));
        assert_eq!((back.phone.as_deref(), back.username.as_deref()), (Some("7"), Some("ada")));
        assert_eq!(back.updated_at, AT.plus_seconds(5), "it is another contact than before");
    }

    #[test]
    fn only_a_refusal_since_the_merge_holds_for_the_restored_contact() {
        let later = AT.plus_seconds(9);
        // The contact before the merge: opted in, broadcasts and SMS allowed, not blocked.
        let open = contact("Bob", &[]);
        let back = |merged: &Contact, now: &Contact| restore(&open, merged, now, &[], later);
        let no_broadcast = Contact { allow_broadcast: false, ..open.clone() };
        let no_sms = Contact { allow_sms: false, ..open.clone() };
        assert!(!back(&open, &no_broadcast).allow_broadcast && !back(&open, &no_sms).allow_sms);
        assert!(back(&no_broadcast, &no_broadcast).allow_broadcast, "refused before the merge, and by the other one");
        assert!(back(&no_sms, &no_sms).allow_sms);
        assert!(back(&no_broadcast, &open).allow_broadcast && back(&no_sms, &open).allow_sms);
        let refused = Contact { consent: consent(false, Some(5)), ..open.clone() };
        let agreed = Contact { consent: consent(true, Some(5)), ..open.clone() };
        assert_eq!(back(&open, &refused).consent, refused.consent);
        assert_eq!(back(&open, &agreed).consent, open.consent, "an agreement is not carried over");
        assert_eq!(back(&refused, &refused).consent, open.consent);
        let blocked = |second| Contact { blocked_at: Some(AT.plus_seconds(second)), ..open.clone() };
        assert_eq!(back(&open, &blocked(3)).blocked_at, Some(AT.plus_seconds(3)));
        assert_eq!(back(&blocked(1), &blocked(1)).blocked_at, None, "it was the other one who was blocked");
        assert_eq!(back(&open, &open), open, "nothing has changed");
        assert_eq!(back(&open, &no_sms).updated_at, later);
    }
}
