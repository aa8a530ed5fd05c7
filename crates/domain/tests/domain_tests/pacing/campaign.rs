//! Whole campaigns on a virtual clock.

use std::collections::HashMap;
use std::time::Instant;

use domain::messaging::messages::Urgency;
use domain::messaging::pacing::{Candidate, Limits, Pacer};
use domain::{MessageId, Timestamp};

use crate::pacing::meter::Meter;
use crate::pacing::outbox::Outbox;
use crate::pacing::{DAY, SECOND, START, at, channel, long, message, opening};

const PAGE: usize = 128;
/// The sender wakes up to this many microseconds late.
const LATE: u64 = 1000;

struct Campaign {
    pacer: Pacer,
    outbox: Outbox,
    meter: Meter,
    now: Timestamp,
    sent: u64,
    postponed: u64,
    looks: u64,
    /// Arrival of each message with a code: only the waits of these messages are measured.
    came: HashMap<MessageId, Timestamp>,
    waited: Vec<i64>,
}

impl Campaign {
    fn new(recipients: u64, limits: Limits) -> Self {
        let (mut pacer, mut outbox) = (Pacer::new(), Outbox::default());
        pacer.set_limits(channel(0), limits);
        for which in 0..recipients {
            outbox.enqueue(opening(which, which, Urgency::Marketing), START);
        }
        let (meter, came, waited) = (Meter::new(limits), HashMap::new(), Vec::new());
        Self { pacer, outbox, meter, now: START, sent: 0, postponed: 0, looks: 0, came, waited }
    }

    /// Sends all messages of the campaign, and those of `others` after they have come.
    fn run(&mut self, others: impl IntoIterator<Item = (Timestamp, Candidate)>) {
        let (mut others, mut asked) = (others.into_iter().peekable(), Some(START));
        while asked.is_some() || others.peek().is_some() {
            let late = i64::try_from(chance(self.looks) % LATE).unwrap_or_default();
            let woken = asked.map(|asked| Timestamp::from_micros(asked.micros() + late));
            let came = others.peek().map(|(came, _)| *came);
            self.now = Timestamp::earlier(woken, came).map_or(self.now, |next| next.max(self.now));
            while let Some((came, message)) = others.next_if(|(came, _)| *came <= self.now) {
                self.enqueue(message, came);
            }
            asked = self.look();
        }
        self.waited.sort_unstable();
    }

    fn enqueue(&mut self, message: Candidate, came: Timestamp) {
        if message.urgency == Urgency::Authentication {
            self.came.insert(message.id, came);
        }
        self.outbox.enqueue(message, came);
    }

    /// One round of the sender. Returns when to run the next one.
    fn look(&mut self) -> Option<Timestamp> {
        let (page, plan) = self.outbox.look(&mut self.pacer, PAGE, self.now);
        for message in plan.go.iter().map(|place| page[*place]) {
            assert_eq!(self.meter.pass(&message, self.now), Ok(()), "{message:?} after {} messages", self.sent);
            let came = self.came.get(&message.id);
            self.waited.extend(came.map(|came| self.now.micros() - came.micros()));
        }
        self.looks += 1;
        self.sent += plan.go.len() as u64;
        self.postponed += plan.later.len() as u64;
        let more = plan.next.is_none() && page.len() == PAGE;
        if more { Some(self.now) } else { Timestamp::earlier(plan.next, self.outbox.next_due(self.now)) }
    }

    /// How much of what the number could have sent until now it did send, in thousandths.
    fn used(&self, per_second: u32) -> u64 {
        let quarters = (self.now.micros() - START.micros()) * 4 / SECOND + 1;
        self.sent * 4 * 1000 / (quarters.unsigned_abs() * u64::from(per_second))
    }
}

/// Pseudo-random, the same in every run.
fn chance(which: u64) -> u64 {
    let mut mixed = which.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x1234_5678);
    mixed = (mixed ^ (mixed >> 31)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ (mixed >> 29)
}

/// Messages with codes at random times, and about every ten minutes a bot that sends 60 messages at once to one person.
fn others(seconds: u64) -> Vec<(Timestamp, Candidate)> {
    let some_time = |which: u64| at(i64::try_from(chance(which) % (seconds * 1_000_000)).unwrap_or_default());
    let code = |which: u64| (some_time(which), message(10_000_000 + which, 5_000_000 + which, Urgency::Authentication));
    let burst = |which: u64| (some_time(which / 60), message(20_000_000 + which, which / 60, Urgency::Service));
    let mut all: Vec<_> = (0..seconds * 2).map(code).chain((0..seconds / 600 * 60).map(burst)).collect();
    all.sort_unstable_by_key(|(came, message)| (*came, message.id));
    all
}

#[test]
fn a_campaign_uses_the_number_and_codes_overtake_it() {
    let (recipients, began) = (if long() { 1_000_000 } else { 100_000 }, Instant::now());
    let limits = Limits { new_people: Some(1_000_000), ..Limits::default() };
    let mut campaign = Campaign::new(recipients, limits);
    let others = others(recipients / 80);
    let all = recipients + others.len() as u64;
    campaign.run(others);
    let (sent, used) = (campaign.sent, campaign.used(limits.per_second));
    let waited = |thousandths: usize| campaign.waited[(campaign.waited.len() - 1) * thousandths / 1000] / 1000;
    println!("{sent} messages over {} looks, {} kept back for a while", campaign.looks, campaign.postponed);
    println!("{} s on the virtual clock, {used} ‰ of what is allowed", campaign.now.seconds_since(START));
    let codes = campaign.waited.len();
    println!("{codes} codes waited {} ms (median), {} (p99), {} (most)", waited(500), waited(990), waited(1000));
    println!("took {:?}, {} people counted", began.elapsed(), campaign.pacer.people(campaign.now));
    assert_eq!(sent, all);
    assert!(used >= 980, "{used} ‰");
    assert!(waited(990) < 1000, "{} ms", waited(990));
    assert_eq!(campaign.pacer.people(campaign.now) as u64, recipients);
}

#[test]
fn a_campaign_over_the_portfolio_goes_on_day_by_day() {
    let (recipients, each_day) = (30_000, 10_000);
    let mut campaign = Campaign::new(recipients, Limits { new_people: Some(each_day), ..Limits::default() });
    campaign.run([]);
    let took = campaign.now.micros() - START.micros();
    println!("{} looks, {} kept back for a while, {} s", campaign.looks, campaign.postponed, took / SECOND);
    assert_eq!(campaign.sent, recipients);
    assert!(took < 2 * DAY + 200 * SECOND, "{} s after the second day", (took - 2 * DAY) / SECOND);
    assert!(campaign.postponed < recipients * 3, "{} times kept back", campaign.postponed);
}
