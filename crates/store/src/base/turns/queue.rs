//! A queue of queues, one for each party (a tenant, or all other work together): the next item is of the party that has
//! used the least.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::Duration;

use super::Party;

/// The time that a party has used, in nanoseconds. Only differences between parties matter.
type Used = u64;

/// With more parties than this, those without work are removed from the map.
const MANY: usize = 1024;

#[derive(Debug)]
pub(crate) struct FairQueue<T> {
    parties: HashMap<Party, Line<T>>,
    /// Parties with waiting items, ordered by what they have used.
    waiting: BTreeSet<(Used, Party)>,
    /// The number of waiting items of all parties.
    items: usize,
    /// What the party of the latest item had used at its turn. A party that comes back begins there.
    current: Used,
}

#[derive(Debug)]
struct Line<T> {
    items: VecDeque<T>,
    used: Used,
    /// The cost of the party's last item.
    last: Duration,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { parties: HashMap::new(), waiting: BTreeSet::new(), items: 0, current: 0 }
    }
}

impl<T> FairQueue<T> {
    pub fn push(&mut self, party: Party, item: T) {
        let current = self.current;
        let line = self.parties.entry(party).or_insert_with(|| Line {
            items: VecDeque::new(),
            used: current,
            last: Duration::ZERO,
        });
        if line.items.is_empty() {
            // A party that had no work for a while gets no advantage from that.
            line.used = line.used.max(current);
            self.waiting.insert((line.used, party));
        }
        line.items.push_back(item);
        self.items += 1;
    }

    pub fn len(&self) -> usize {
        self.items
    }

    pub fn len_of(&self, party: Party) -> usize {
        self.parties.get(&party).map_or(0, |line| line.items.len())
    }

    /// The party whose item is next, and what the last item of that party cost.
    pub fn next_party(&self) -> Option<(Party, Duration)> {
        let (_, party) = self.waiting.first()?;
        Some((*party, self.parties.get(party)?.last))
    }

    pub fn pop(&mut self) -> Option<(Party, T)> {
        let (used, party) = self.waiting.pop_first()?;
        self.current = self.current.max(used);
        let line = self.parties.get_mut(&party)?;
        let item = line.items.pop_front()?;
        self.items -= 1;
        if !line.items.is_empty() {
            self.waiting.insert((line.used, party));
        }
        Some((party, item))
    }

    /// Adds the cost of an item to what its party has used.
    pub fn charge(&mut self, party: Party, cost: Duration) {
        self.add(party, cost);
        if let Some(line) = self.parties.get_mut(&party) {
            line.last = cost;
        }
    }

    /// Adds a cost that several items share, such as that of a commit, to what a party has used.
    pub fn add(&mut self, party: Party, cost: Duration) {
        let Some(line) = self.parties.get_mut(&party) else { return };
        let waits = self.waiting.remove(&(line.used, party));
        line.used = line.used.saturating_add(u64::try_from(cost.as_nanos()).unwrap_or(u64::MAX).max(1));
        if waits {
            self.waiting.insert((line.used, party));
        }
        if self.parties.len() > MANY {
            let current = self.current;
            self.parties.retain(|_, line| !line.items.is_empty() || line.used > current);
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::TenantId;

    use super::*;

    fn tenant(number: u32) -> TenantId {
        (100_000 + number).to_string().parse().unwrap()
    }

    /// Serves `count` items, each with the cost of its party, and returns the items in the order served.
    fn serve(queue: &mut FairQueue<u32>, count: usize, cost: impl Fn(u32) -> u64) -> Vec<u32> {
        let served = (0..count).map_while(|_| {
            let (party, item) = queue.pop()?;
            queue.charge(party, Duration::from_millis(cost(item)));
            Some(item)
        });
        served.collect()
    }

    #[test]
    fn a_long_queue_of_one_delays_another_by_one_item() {
        let mut queue = FairQueue::default();
        (0..100).for_each(|_| queue.push(Some(tenant(1)), 1));
        assert_eq!(serve(&mut queue, 3, |_| 10), [1, 1, 1]);
        queue.push(Some(tenant(2)), 2);
        queue.push(None, 3);
        let next = serve(&mut queue, 4, |_| 10);
        assert!(next[..3].contains(&2) && next[..3].contains(&3), "{next:?}");
    }

    #[test]
    fn turns_are_of_equal_time_and_not_of_equal_number() {
        let mut queue = FairQueue::default();
        (0..200).for_each(|_| queue.push(Some(tenant(1)), 1));
        (0..200).for_each(|_| queue.push(Some(tenant(2)), 2));
        let served = serve(&mut queue, 110, |item| if item == 1 { 100 } else { 10 });
        let short = served.iter().filter(|item| **item == 2).count();
        assert!((95..=105).contains(&short), "{short} of 110");
    }

    #[test]
    fn a_party_that_was_away_saves_no_turns_up() {
        let mut queue = FairQueue::default();
        queue.push(Some(tenant(2)), 2);
        assert_eq!(serve(&mut queue, 1, |_| 1), [2]);
        (0..100).for_each(|_| queue.push(Some(tenant(1)), 1));
        assert_eq!(serve(&mut queue, 50, |_| 10).len(), 50);
        (0..50).for_each(|_| queue.push(Some(tenant(2)), 2));
        let served = serve(&mut queue, 20, |_| 10);
        assert!(served.iter().filter(|item| **item == 1).count() >= 9, "{served:?}");
    }

    #[test]
    fn items_of_a_party_keep_their_order_and_parties_without_work_are_forgotten() {
        let mut queue = FairQueue::default();
        for number in 0..5_000 {
            queue.push(Some(tenant(number)), number);
            queue.push(Some(tenant(number)), number + 1);
            assert_eq!(serve(&mut queue, 2, |_| 1), [number, number + 1]);
        }
        assert!(queue.parties.len() <= MANY + 1, "{}", queue.parties.len());
        assert!(queue.pop().is_none());
    }
}
