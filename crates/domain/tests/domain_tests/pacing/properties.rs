//! Random traffic: no limit is ever broken, and no message waits without a reason.

use std::collections::HashMap;

use domain::Timestamp;
use domain::messaging::messages::Urgency;
use domain::messaging::pacing::{Candidate, Limits, Pacer, Plan};
use proptest::prelude::*;

use crate::pacing::meter::Meter;
use crate::pacing::outbox::Outbox;
use crate::pacing::{DAY, SECOND, at, channel, id, person, template};

#[derive(Debug, Clone)]
enum Event {
    Message { channel: u64, to: u64, urgency: Urgency, template: Option<u64>, opens: bool },
    PauseChannel(u64, i64),
    PausePair(u64, u64, i64),
    PauseTemplate(u64, i64),
    Forget,
}

fn limits() -> impl Strategy<Value = Limits> {
    (0_u32..14, 0_u32..4, 0_u32..4, prop::option::of(1_u32..5)).prop_map(
        |(per_second, pair_burst, pair_seconds, new_people)| Limits {
            per_second,
            pair_burst,
            pair_seconds,
            new_people,
        },
    )
}

fn event() -> impl Strategy<Value = Event> {
    let urgency = prop::sample::select(Urgency::ALL.to_vec());
    let message = (0_u64..2, 0_u64..9, urgency, prop::option::of(0_u64..3), any::<bool>())
        .prop_map(|(channel, to, urgency, template, opens)| Event::Message { channel, to, urgency, template, opens });
    let length = 0..5 * SECOND;
    prop_oneof![
        30 => message,
        1 => (0_u64..2, length.clone()).prop_map(|(channel, length)| Event::PauseChannel(channel, length)),
        1 => (0_u64..2, 0_u64..9, length.clone()).prop_map(|(which, to, length)| Event::PausePair(which, to, length)),
        1 => (0_u64..3, length).prop_map(|(template, length)| Event::PauseTemplate(template, length)),
        1 => Just(Event::Forget),
    ]
}

/// Events, each with the time since the event before it: bursts, pauses, and sometimes half a day to a day.
fn traffic() -> impl Strategy<Value = Vec<(i64, Event)>> {
    let pause = prop_oneof![10 => Just(0), 5 => 0..SECOND / 3, 3 => 0..3 * SECOND, 1 => DAY / 2..DAY + SECOND];
    prop::collection::vec((pause, event()), 1..120)
}

/// The pacer together with the models of the outbox and the network, and the pauses that the test has set.
struct Street {
    pacer: Pacer,
    outbox: Outbox,
    meter: Meter,
    paused_until: HashMap<Vec<[u8; 12]>, Timestamp>,
}

impl Street {
    fn new(limits: Limits) -> Self {
        let mut pacer = Pacer::new();
        (0..2).for_each(|which| pacer.set_limits(channel(which), limits));
        Self { pacer, outbox: Outbox::default(), meter: Meter::new(limits), paused_until: HashMap::new() }
    }

    fn happen(&mut self, place: usize, event: &Event, now: Timestamp) {
        let until = |length: i64| Timestamp::from_micros(now.micros() + length);
        match *event {
            Event::Message { channel: number, to, urgency, template: of, opens } => {
                let (id, template) = (id(4, place as u64), of.map(template));
                let (channel, contact) = (channel(number), person(to));
                self.outbox.enqueue(Candidate { id, channel, contact, urgency, template, opens }, now);
            }
            Event::PauseChannel(number, length) => {
                self.pacer.pause_channel(channel(number), until(length));
                self.pause(vec![*channel(number).bytes()], until(length));
            }
            Event::PausePair(number, to, length) => {
                self.pacer.pause_pair(channel(number), person(to), until(length));
                self.pause(vec![*channel(number).bytes(), *person(to).bytes()], until(length));
            }
            Event::PauseTemplate(of, length) => {
                self.pacer.pause_template(template(of), until(length));
                self.pause(vec![*template(of).bytes()], until(length));
            }
            Event::Forget => self.pacer.forget(now),
        }
    }

    fn pause(&mut self, what: Vec<[u8; 12]>, until: Timestamp) {
        let paused_until = self.paused_until.entry(what).or_insert(until);
        *paused_until = until.max(*paused_until);
    }

    fn is_paused(&self, what: &[[u8; 12]], now: Timestamp) -> bool {
        self.paused_until.get(what).is_some_and(|until| *until > now)
    }

    /// Runs rounds until nothing more can leave at this instant. Returns when to run again.
    fn look(&mut self, size: usize, now: Timestamp) -> Result<Option<Timestamp>, TestCaseError> {
        loop {
            let (keys, page) = self.outbox.page(size, now);
            let plan = self.pacer.plan(&page, now);
            prop_assert_eq!(&plan, &self.pacer.plan(&page, now), "planning changes nothing");
            self.check(&page, &plan, now)?;
            self.pacer.commit(&page, &plan, now);
            self.outbox.apply(&keys, &plan);
            if plan.go.is_empty() && plan.later.is_empty() {
                prop_assert!(
                    page.is_empty() || plan.next.is_some(),
                    "a message that stays has a time for the next try"
                );
                return Ok(Timestamp::earlier(plan.next, self.outbox.next_due(now)));
            }
        }
    }

    fn check(&mut self, page: &[Candidate], plan: &Plan, now: Timestamp) -> Result<(), TestCaseError> {
        for place in &plan.go {
            prop_assert!(!self.waits_for_a_pause(&page[*place], now), "{:?} is paused", page[*place]);
            prop_assert_eq!(self.meter.pass(&page[*place], now), Ok(()));
        }
        for (place, until) in &plan.later {
            let message = &page[*place];
            let people = self.meter.portfolio(message, now, SECOND).is_err();
            let reason = people || self.meter.pair(message, now).is_err() || self.waits_for_a_pause(message, now);
            prop_assert!(reason && *until > now, "{message:?} could go");
        }
        prop_assert!(plan.next.is_none_or(|next| next > now));
        self.check_staying(page, plan, now)
    }

    /// Checks the messages that neither leave nor get a later time: their number has no room, and no later message of
    /// the page took it.
    fn check_staying(&self, page: &[Candidate], plan: &Plan, now: Timestamp) -> Result<(), TestCaseError> {
        let later = |place: usize| plan.later.iter().any(|(other, _)| *other == place);
        for place in (0..page.len()).filter(|place| !plan.go.contains(place) && !later(*place)) {
            let number = page[place].channel;
            let full = self.meter.number(number, now).is_err() || self.is_paused(&[*number.bytes()], now);
            prop_assert!(full && plan.next.is_some(), "{:?} could go", page[place]);
            let overtaken = plan.go.iter().any(|other| *other > place && page[*other].channel == number);
            prop_assert!(!overtaken, "{:?} was overtaken", page[place]);
        }
        Ok(())
    }

    fn waits_for_a_pause(&self, message: &Candidate, now: Timestamp) -> bool {
        let template = message.template.is_some_and(|template| self.is_paused(&[*template.bytes()], now));
        template
            || self.is_paused(&[*message.channel.bytes()], now)
            || self.is_paused(&[*message.channel.bytes(), *message.contact.bytes()], now)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if crate::pacing::long() { 20_000 } else { 400 }))]

    #[test]
    fn limits_hold_and_nothing_waits_without_a_reason(limits in limits(), traffic in traffic(), size in 3_usize..40) {
        let (mut street, mut now, mut asked) = (Street::new(limits), at(0), None);
        for (place, (pause, event)) in traffic.iter().enumerate() {
            let then = Timestamp::from_micros(now.micros() + pause);
            while let Some(next) = asked.filter(|next| *next < then) {
                asked = street.look(size, next)?;
            }
            street.happen(place, event, then);
            now = then;
            asked = street.look(size, now)?;
        }
        // No message starves: each day allows at least one new person, each second at least one message.
        let end = Timestamp::from_micros(now.micros() + 130 * DAY);
        while let Some(next) = asked {
            prop_assert!(next < end, "{} messages never leave", street.outbox.len());
            asked = street.look(size, next)?;
        }
        prop_assert_eq!(street.outbox.len(), 0);
    }
}
