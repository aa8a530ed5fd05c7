//! The portfolio's limit of people to whom it opens a conversation in any 24 hours.
//!
//! A counted person takes a slot for a day. Messages that find no slot are given a time at which to try again: the
//! times are spread over the slots that come free, so that one free slot does not make every waiting message due.

use std::collections::BTreeMap;

use super::ids::{ByIds, Ids};
use crate::messaging::messages::Urgency;
use crate::{ContactId, Timestamp};

const DAY: i64 = 24 * 60 * 60;
/// Up to this many entries are kept without looking for expired ones.
const FEW: usize = 1024;

/// Whole seconds since 1970, rounded up: half of the memory, and no day ends too early.
type Second = u32;

/// The people who count towards the limit.
#[derive(Debug, Default)]
pub struct People {
    /// A person counts before this second, and no longer in it.
    until: ByIds<ContactId, Second>,
    /// How many slots come free in each second.
    ends: BTreeMap<Second, u32>,
    /// The sum of `ends`.
    counted: usize,
    /// `ends` has nothing up to and including this second.
    cleared: Second,
    cursors: SlotCursors,
}

/// For each urgency the last slot whose second was given out as a time to try again. A slot is not reserved for the
/// message that tries then.
pub type SlotCursors = [SlotCursor; Urgency::ALL.len()];

/// The first `slots` slots of `second`, and all slots before it, were given out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SlotCursor {
    second: Second,
    slots: u32,
}

/// A plan's view: the people who count, and those whom the plan would add.
#[derive(Debug)]
pub struct PeopleDraft<'a> {
    people: &'a People,
    now: Second,
    counted: usize,
    new: Ids,
    /// When to try again, for each person without a slot.
    retry_at: ByIds<ContactId, Second>,
    pub cursors: SlotCursors,
}

/// Until when a person counts if a conversation is opened now.
pub const fn until(now: Timestamp) -> Timestamp {
    now.plus_seconds(DAY)
}

impl People {
    /// Counts a person until a time. A person who counts already counts until the later of both times.
    pub fn count(&mut self, contact: ContactId, until: Timestamp) {
        let second = ceil(until);
        let before = self.until.get(&contact).copied().unwrap_or_default();
        if second <= before.max(self.cleared) {
            return;
        }
        self.end(before);
        self.until.insert(contact, second);
        *self.ends.entry(second).or_default() += 1;
        self.counted += 1;
    }

    /// Removes one slot that comes free in that second, if there is one.
    fn end(&mut self, second: Second) {
        let Some(slots) = self.ends.get_mut(&second) else { return };
        *slots -= 1;
        self.counted -= 1;
        if *slots == 0 {
            self.ends.remove(&second);
        }
    }

    pub fn counted(&self, now: Timestamp) -> usize {
        let over: u32 = self.ends.range(..=floor(now)).map(|(_, slots)| slots).sum();
        self.counted - usize::try_from(over).unwrap_or(self.counted)
    }

    /// Frees the slots of people whose day is over.
    pub fn expire(&mut self, now: Timestamp) {
        while let Some(first) = self.ends.first_entry().filter(|first| *first.key() <= floor(now)) {
            self.counted -= usize::try_from(first.remove()).unwrap_or_default();
        }
        self.cleared = floor(now);
        if self.until.len() > FEW + self.counted * 2 {
            self.until.retain(|_, second| *second > floor(now));
        }
    }

    pub fn set_cursors(&mut self, cursors: SlotCursors) {
        self.cursors = cursors;
    }

    pub fn forget(&mut self, now: Timestamp) {
        self.expire(now);
        self.until.retain(|_, second| *second > floor(now));
        self.until.shrink_to_fit();
    }

    pub fn draft(&self, now: Timestamp) -> PeopleDraft<'_> {
        PeopleDraft {
            people: self,
            now: floor(now),
            counted: self.counted(now),
            new: Ids::default(),
            retry_at: ByIds::default(),
            cursors: self.cursors,
        }
    }

    fn counts(&self, contact: ContactId, now: Second) -> bool {
        self.until.get(&contact).is_some_and(|second| *second > now)
    }
}

impl PeopleDraft<'_> {
    /// Takes a slot for the person, unless the person has one. Returns when to try again if no slot is free.
    pub fn take_slot(&mut self, contact: ContactId, urgency: Urgency, most: u32) -> Option<Timestamp> {
        if self.new.contains(&contact) || self.people.counts(contact, self.now) {
            return None;
        }
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if self.counted + self.new.len() < most {
            self.new.insert(contact);
            return None;
        }
        Some(Timestamp::from_seconds(self.retry_second(contact, urgency, most).into()))
    }

    /// All messages to one person wait for the same slot.
    fn retry_second(&mut self, contact: ContactId, urgency: Urgency, most: usize) -> Second {
        if let Some(second) = self.retry_at.get(&contact) {
            return *second;
        }
        let second = self.next_slot(urgency, most);
        self.retry_at.insert(contact, second);
        second
    }

    /// The next slot that was not given out for this urgency; after the last slot the first one again.
    fn next_slot(&mut self, urgency: Urgency, most: usize) -> Second {
        let rank = usize::try_from(urgency.rank()).unwrap_or_default();
        let Some(cursor) = self.cursors.get(rank).copied() else { return self.tomorrow() };
        let next = self.after(cursor).or_else(|| self.first(most));
        let next = next.unwrap_or(SlotCursor { second: self.tomorrow(), slots: 1 });
        if let Some(cursor) = self.cursors.get_mut(rank) {
            *cursor = next;
        }
        next.second
    }

    fn after(&self, cursor: SlotCursor) -> Option<SlotCursor> {
        if cursor.second <= self.now {
            return None;
        }
        let mut ends = self.people.ends.range(cursor.second..);
        ends.find_map(|(&second, &slots)| {
            let taken = if second == cursor.second { cursor.slots } else { 0 };
            (taken < slots).then_some(SlotCursor { second, slots: taken + 1 })
        })
    }

    /// The first slot that can be used. While more people count than the limit allows, the first ones cannot.
    fn first(&self, most: usize) -> Option<SlotCursor> {
        let mut over = (self.counted + self.new.len()).saturating_sub(most);
        for (&second, &slots) in self.people.ends.range(self.now + 1..) {
            let slots = usize::try_from(slots).unwrap_or_default();
            if over < slots {
                return Some(SlotCursor { second, slots: u32::try_from(over + 1).unwrap_or(u32::MAX) });
            }
            over -= slots;
        }
        None
    }

    fn tomorrow(&self) -> Second {
        self.now.saturating_add(u32::try_from(DAY + 1).unwrap_or_default())
    }
}

fn floor(at: Timestamp) -> Second {
    Second::try_from(at.seconds().clamp(0, i64::from(Second::MAX) - 1)).unwrap_or_default()
}

fn ceil(at: Timestamp) -> Second {
    floor(at.plus_micros(999_999))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Id;

    #[test]
    fn people_whose_day_is_over_are_not_remembered() {
        let (mut people, start) = (People::default(), Timestamp::from_seconds(1_776_000_000));
        for hour in 0..240 {
            let now = start.plus_seconds(hour * 3600);
            people.expire(now);
            (0..1000).for_each(|which| people.count(Id::seeded(now, which), until(now)));
            assert!(people.until.len() <= FEW + 2 * 24_000 + 1000, "{} after {hour} h", people.until.len());
        }
        assert_eq!((people.counted, people.ends.len()), (24_000, 24));
        people.forget(start.plus_seconds(300 * 3600));
        assert_eq!((people.until.capacity(), people.ends.len(), people.counted), (0, 0, 0));
    }

    #[test]
    fn a_person_has_one_slot_however_often_they_are_counted() {
        let (mut people, now) = (People::default(), Timestamp::from_seconds(1_776_000_000));
        for seconds in [5, 9, 9, 2] {
            people.count(Id::seeded(now, 1), now.plus_seconds(seconds));
        }
        assert_eq!((people.counted(now), people.ends.len()), (1, 1));
        assert_eq!((people.counted(now.plus_seconds(8)), people.counted(now.plus_seconds(9))), (1, 0));
        people.expire(now.plus_seconds(9));
        people.count(Id::seeded(now, 2), now.plus_seconds(9));
        assert_eq!(people.counted(now), 0, "that day is over");
    }

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn counted_until(seconds: &[i64]) -> People {
        let mut people = People::default();
        for (which, second) in (0..).zip(seconds) {
            people.count(Id::seeded(NOW, which), NOW.plus_seconds(*second));
        }
        people
    }

    /// Takes a slot; where none is free, the seconds from now until the next try.
    fn retry_in(draft: &mut PeopleDraft<'_>, which: u64, urgency: Urgency, most: u32) -> Option<i64> {
        draft.take_slot(Id::seeded(NOW, which), urgency, most).map(|at| at.seconds() - NOW.seconds())
    }

    #[test]
    fn a_day_ends_a_day_later_and_a_part_of_a_second_counts_as_a_whole_one() {
        assert_eq!(until(NOW), NOW.plus_seconds(86_400));
        let part = Timestamp::from_micros(NOW.micros() + 1);
        assert_eq!((i64::from(floor(part)), i64::from(ceil(part))), (NOW.seconds(), NOW.seconds() + 1));
        assert_eq!(ceil(NOW), floor(NOW));
        assert_eq!((floor(Timestamp::from_seconds(-5)), floor(Timestamp::from_micros(i64::MAX))), (0, u32::MAX - 1));
    }

    #[test]
    fn a_counted_person_has_a_slot_and_others_take_one_while_there_is_one() {
        let people = counted_until(&[5, 9]);
        let mut draft = people.draft(NOW);
        assert_eq!(retry_in(&mut draft, 0, Urgency::Marketing, 2), None, "counts already");
        assert_eq!(retry_in(&mut draft, 7, Urgency::Marketing, 3), None, "the third of three");
        assert_eq!(retry_in(&mut draft, 7, Urgency::Marketing, 3), None, "once more is the same slot");
        assert_eq!(retry_in(&mut draft, 8, Urgency::Marketing, 3), Some(5), "the first that comes free");
        assert_eq!(retry_in(&mut draft, 8, Urgency::Marketing, 3), Some(5), "one person, one slot");
        assert_eq!(retry_in(&mut draft, 9, Urgency::Marketing, 3), Some(9));
        assert_eq!(retry_in(&mut draft, 10, Urgency::Marketing, 3), Some(5), "after the last one it begins again");
        assert_eq!(retry_in(&mut draft, 11, Urgency::Service, 3), Some(5), "each urgency for itself");
    }

    #[test]
    fn slots_that_come_free_in_one_second_are_given_out_one_after_the_other() {
        let people = counted_until(&[5, 5, 9]);
        let mut draft = people.draft(NOW);
        let seconds: Vec<Option<i64>> =
            (10..15).map(|which| retry_in(&mut draft, which, Urgency::Utility, 3)).collect();
        assert_eq!(seconds, [Some(5), Some(5), Some(9), Some(5), Some(5)]);
    }

    #[test]
    fn while_more_people_count_than_the_limit_allows_the_first_slots_cannot_be_used() {
        let people = counted_until(&[5, 5, 9, 12]);
        for (most, second) in [(4, Some(5)), (3, Some(5)), (2, Some(9)), (1, Some(12)), (0, Some(86_401))] {
            assert_eq!(retry_in(&mut people.draft(NOW), 10, Urgency::Utility, most), second, "{most}");
        }
    }

    #[test]
    fn a_slot_that_was_given_out_is_remembered_until_its_second_has_passed() {
        let mut people = counted_until(&[5, 9]);
        let mut draft = people.draft(NOW);
        assert_eq!(retry_in(&mut draft, 10, Urgency::Utility, 2), Some(5));
        let cursors = draft.cursors;
        people.set_cursors(cursors);
        assert_eq!(retry_in(&mut people.draft(NOW), 11, Urgency::Utility, 2), Some(9), "the next one");
        people.count(Id::seeded(NOW, 20), NOW.plus_seconds(7));
        let later = people.draft(NOW.plus_seconds(5)).take_slot(Id::seeded(NOW, 11), Urgency::Utility, 2);
        assert_eq!(later, Some(NOW.plus_seconds(7)), "from the first again");
    }

    #[test]
    fn expiring_frees_slots_and_keeps_people_whose_day_goes_on() {
        let mut people = counted_until(&[5, 6, 6]);
        people.expire(NOW.plus_seconds(4));
        assert_eq!((people.counted, people.ends.len()), (3, 2));
        people.expire(NOW.plus_seconds(5));
        assert_eq!((people.counted, people.ends.len(), people.counted(NOW.plus_seconds(6))), (2, 1, 0));
        people.forget(NOW.plus_seconds(5));
        assert_eq!(people.until.len(), 2);
        assert!(!people.counts(Id::seeded(NOW, 0), floor(NOW)) && people.counts(Id::seeded(NOW, 1), floor(NOW)));
        assert!(!people.counts(Id::seeded(NOW, 1), floor(NOW) + 6), "in that second the person no longer counts");
        people.count(Id::seeded(NOW, 9), NOW.plus_seconds(5));
        assert_eq!(people.counted, 2, "a day that is over already");
        people.count(Id::seeded(NOW, 9), NOW.plus_seconds(6));
        assert_eq!(people.counted, 3);
    }

    #[test]
    fn a_later_day_replaces_an_earlier_one_of_the_same_person() {
        let mut people = counted_until(&[5, 5]);
        people.count(Id::seeded(NOW, 0), NOW.plus_seconds(8));
        let slots: Vec<(i64, u32)> =
            people.ends.iter().map(|(second, slots)| (i64::from(*second) - NOW.seconds(), *slots)).collect();
        assert_eq!((slots, people.counted), (vec![(5, 1), (8, 1)], 2));
        people.count(Id::seeded(NOW, 1), NOW.plus_seconds(8));
        assert_eq!((people.ends.len(), people.counted), (1, 2), "the second has no slots any more");
    }

    #[test]
    fn people_whose_day_is_over_are_looked_for_only_when_there_are_many() {
        for (over, left) in [(1027, 1030), (1028, 3)] {
            let mut people = People::default();
            (0..over).for_each(|which| people.count(Id::seeded(NOW, which), NOW.plus_seconds(5)));
            (0..3).for_each(|which| people.count(Id::seeded(NOW, 5000 + which), NOW.plus_seconds(100)));
            people.expire(NOW.plus_seconds(5));
            assert_eq!((people.until.len(), people.counted), (left, 3), "{over}");
        }
    }
}
