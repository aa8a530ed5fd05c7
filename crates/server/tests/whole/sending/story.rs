//! A seeded story: the recipients of each call, and the failures meanwhile. It follows from the seed alone, not from
//! what the server does.

use std::ops::Range;

use rand::rngs::SmallRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};
use sandbox::FaultKind;

/// One fault per this number of people.
const PEOPLE_A_FAULT: usize = 25;
const SIZES: [usize; 3] = [1, 10, 100];

#[derive(Debug)]
pub struct Story {
    pub seed: u64,
    pub people: usize,
    pub calls: Vec<Call>,
    /// In order, each with the number of recipients that must be acknowledged before.
    pub events: Vec<(usize, Event)>,
}

/// One request, which sends to these people.
#[derive(Debug, Clone)]
pub struct Call {
    pub key: String,
    pub people: Range<usize>,
}

#[derive(Debug, Clone)]
pub enum Event {
    Fault {
        kind: FaultKind,
        /// The only person that the fault applies to; none: it applies to everyone.
        person: Option<usize>,
        count: u32,
    },
    /// `kill -9` of a node, and a restart.
    Kill { node: usize, amid: Amid },
    /// The database closes every connection while messages are in flight.
    Cut,
}

/// What the event interrupts.
#[derive(Debug, Clone, Copy)]
pub enum Amid {
    /// A call that has taken effect and is not answered.
    Call,
    /// Messages in flight.
    Sending,
}

/// Size of a story, and number of its failures.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    pub people: usize,
    pub nodes: usize,
    pub kills: usize,
    pub cuts: usize,
}

impl Story {
    pub fn new(seed: u64, scale: Scale) -> Self {
        let mut dice = SmallRng::seed_from_u64(seed);
        let Scale { people, nodes, kills, cuts } = scale;
        let calls = calls(&mut dice, people);
        let mut events: Vec<(usize, Event)> = Vec::new();
        for _ in 0..people / PEOPLE_A_FAULT {
            events.push((dice.random_range(0..people), fault(&mut dice, people)));
        }
        for kill in 0..kills {
            let (node, amid) = (dice.random_range(0..nodes), [Amid::Call, Amid::Sending][kill % 2]);
            events.push((moment(&mut dice, people), Event::Kill { node, amid }));
        }
        for cut in 0..cuts {
            // The first cut comes after all kills: a restart could hide that a server does not recover from a cut by
            // itself.
            let after = if cut == 0 { people * 3 / 4 } else { moment(&mut dice, people) };
            events.push((after, Event::Cut));
        }
        events.sort_by_key(|(after, _)| *after);
        Self { seed, people, calls, events }
    }

    /// The client's name of the message to a person.
    pub fn name_of(&self, person: usize) -> String {
        format!("story-{}-{person}", self.seed)
    }
}

/// When a kill or cut happens: while messages leave and more are accepted.
fn moment(dice: &mut SmallRng, people: usize) -> usize {
    dice.random_range(people / 10..people * 7 / 10)
}

fn calls(dice: &mut SmallRng, people: usize) -> Vec<Call> {
    let (mut calls, mut begin) = (Vec::new(), 0);
    while begin < people {
        let end = people.min(begin + SIZES.choose(dice).unwrap());
        calls.push(Call { key: format!("call-{:08x}-{}", dice.random::<u32>(), calls.len()), people: begin..end });
        begin = end;
    }
    calls
}

/// A random fault. About half of the faults on answers are for a given person, the others for the next messages.
fn fault(dice: &mut SmallRng, people: usize) -> Event {
    let kind = fault_kind(dice);
    let is_about_hooks = matches!(
        kind,
        FaultKind::Duplicate { .. } | FaultKind::Reorder | FaultKind::Batch { .. } | FaultKind::Delay { .. }
    );
    let person = (!is_about_hooks && dice.random()).then(|| dice.random_range(0..people));
    let count = if person.is_some() { 1 } else { dice.random_range(1..=3) };
    Event::Fault { kind, person, count }
}

fn fault_kind(dice: &mut SmallRng) -> FaultKind {
    match dice.random_range(0..17) {
        0..5 => FaultKind::AcceptThenReset,
        5..7 => FaultKind::Reset,
        7 | 8 => FaultKind::ServerError { status: *[500, 502, 503, 504].choose(dice).unwrap() },
        // Temporary, and permanent.
        9 | 10 => FaultKind::Refuse { code: 131_016 },
        11 => FaultKind::Refuse { code: 131_026 },
        // Accepted, then reported as failed.
        12 => FaultKind::Fail { code: 131_026 },
        13 => FaultKind::Duplicate { copies: dice.random_range(2..=4) },
        14 => FaultKind::Reorder,
        15 => FaultKind::Batch { size: 10 },
        _ => FaultKind::Delay { millis: 1000 },
    }
}
