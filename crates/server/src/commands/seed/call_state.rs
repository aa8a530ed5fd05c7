//! Random state of a seeded call: whether it is answered, when, for how long, and why it ends.

use domain::Timestamp;
use domain::calls::{CallDirection, CallStatus};
use rand::RngExt as _;
use rand::rngs::Xoshiro256PlusPlus;

/// Maximum durations: a call that starts earlier than their sum before the end of the seeded time is over by that end.
pub const LONGEST_RING_MILLIS: i64 = 40_000;
pub const LONGEST_TALK_MILLIS: i64 = 7_200_000;
const SHORTEST_TALK_MILLIS: i64 = 2_000;
const MEDIAN_TALK_MILLIS: f64 = 170_000.0;
/// Standard deviation of the logarithm of the talk's duration: about one talk in a hundred lasts over half an hour.
const SPREAD: f64 = 1.05;

#[derive(Debug, Clone, Copy)]
pub struct SeededCallState {
    pub status: CallStatus,
    pub answered_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub end_reason: Option<&'static str>,
}

pub fn direction(rng: &mut Xoshiro256PlusPlus) -> CallDirection {
    if rng.random_ratio(62, 100) { CallDirection::Inbound } else { CallDirection::Outbound }
}

/// A call that is over.
pub fn over(rng: &mut Xoshiro256PlusPlus, started_at: Timestamp) -> SeededCallState {
    let picked_up = after(started_at, rng.random_range(2_000..=LONGEST_RING_MILLIS));
    match rng.random_range(0..99) {
        0..74 => SeededCallState {
            status: CallStatus::Completed,
            answered_at: Some(picked_up),
            ended_at: Some(after(picked_up, talk_millis(rng))),
            end_reason: Some(one_of(rng, &["hangup_by_user", "hangup_by_user", "hangup_by_operator", "transferred"])),
        },
        74..92 => {
            unanswered(CallStatus::Missed, picked_up, one_of(rng, &["no_answer", "no_answer", "rejected", "busy"]))
        }
        _ => unanswered(CallStatus::Failed, picked_up, one_of(rng, &["network_error", "unreachable", "media_timeout"])),
    }
}

/// A call in progress: ringing or answered.
pub fn open(rng: &mut Xoshiro256PlusPlus, started_at: Timestamp, until: Timestamp) -> SeededCallState {
    let picked_up = after(started_at, rng.random_range(2_000..=LONGEST_RING_MILLIS));
    let (status, answered_at) =
        if picked_up <= until { (CallStatus::InProgress, Some(picked_up)) } else { (CallStatus::Ringing, None) };
    SeededCallState { status, answered_at, ended_at: None, end_reason: None }
}

fn unanswered(status: CallStatus, ended_at: Timestamp, reason: &'static str) -> SeededCallState {
    SeededCallState { status, answered_at: None, ended_at: Some(ended_at), end_reason: Some(reason) }
}

pub fn after(start: Timestamp, millis: i64) -> Timestamp {
    Timestamp::from_micros(start.micros() + millis * 1000)
}

pub fn one_of<T: Copy>(rng: &mut Xoshiro256PlusPlus, choices: &[T]) -> T {
    choices[rng.random_range(0..choices.len())]
}

/// A log-normal duration, as those of real calls are, within the bounds above.
#[expect(clippy::cast_possible_truncation, reason = "far from the ends of either type, and clamped after")]
fn talk_millis(rng: &mut Xoshiro256PlusPlus) -> i64 {
    // Box-Muller transform; `1 - u`, because the logarithm of 0 is undefined.
    let (u, v) = (rng.random::<f64>(), rng.random::<f64>());
    let normal = (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos();
    let drawn = (MEDIAN_TALK_MILLIS * (SPREAD * normal).exp()) as i64;
    drawn.clamp(SHORTEST_TALK_MILLIS, LONGEST_TALK_MILLIS)
}
