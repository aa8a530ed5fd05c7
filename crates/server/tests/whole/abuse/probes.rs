//! What health and the neighbour see while an attack runs.

use std::io::Write as _;
use std::time::{Duration, Instant};

use crate::is_long;

use super::world::Siege;

/// How long an attack lasts.
pub fn duration() -> Duration {
    if is_long() { Duration::from_secs(30) } else { Duration::from_secs(2) }
}

/// How long health may take under attack.
const HEALTH_BOUND: Duration = Duration::from_millis(100);
/// How many times as long as without an attack the neighbour's requests may take.
const NEIGHBOUR_BOUND: u32 = 10;
/// The short form runs a build without optimisation for a few seconds, beside other tests: it compares the p90, and
/// with at least this time. A server that computes on its threads for requests, or writes thousands of rows in one
/// transaction, is slower by far.
const SHORT_FLOOR: Duration = Duration::from_millis(25);

#[derive(Debug, Default)]
pub struct Seen {
    health: Vec<Duration>,
    neighbour: Vec<Duration>,
    /// The highest resident memory in MiB.
    pub memory: u64,
}

/// Asks health and the neighbour in turns until `attack` ends. Every answer must be a success.
pub async fn beside<T>(world: &Siege, name: &str, attack: impl Future<Output = T>) -> (T, Seen) {
    let (before, mut seen) = (world.memory(), Seen::default());
    tokio::pin!(attack);
    let mut number = 0;
    let outcome = loop {
        let probe = async move {
            assert!(world.healthy().await.unwrap(), "{name}: the health listener");
            let began = Instant::now();
            assert!(world.main_healthy().await.unwrap(), "{name}: health");
            let health = began.elapsed();
            let began = Instant::now();
            let status = world.neighbour(number).await.unwrap();
            assert!(status.is_success(), "{name}: the neighbour got {status}");
            (health, began.elapsed())
        };
        tokio::pin!(probe);
        let ended = tokio::select! {
            outcome = &mut attack => Some(outcome),
            (health, neighbour) = &mut probe => {
                seen.record(health, neighbour, world.memory());
                None
            }
        };
        number += 1;
        if let Some(outcome) = ended {
            let (health, neighbour) = probe.await;
            seen.record(health, neighbour, world.memory());
            break outcome;
        }
    };
    report(world, name, before, &seen).await;
    (outcome, seen)
}

/// Measures the neighbour without an attack.
pub async fn quiet(world: &Siege) {
    let ((), seen) = beside(world, "quiet", tokio::time::sleep(duration())).await;
    let _ = world.quiet.set(seen.neighbour);
}

/// Asserts that health was answered in time during an attack, and the neighbour about as fast as without one.
pub fn assert_calm(world: &Siege, name: &str, seen: &Seen) {
    let (percent, floor) = if is_long() { (99, Duration::ZERO) } else { (90, SHORT_FLOOR) };
    let health = percentile(&seen.health, percent);
    assert!(health < HEALTH_BOUND, "{name}: the p{percent} of health is {health:?}");
    let quiet = percentile(world.quiet.get().unwrap(), percent);
    let neighbour = percentile(&seen.neighbour, percent);
    let bound = quiet.max(floor) * NEIGHBOUR_BOUND;
    assert!(neighbour < bound, "{name}: the neighbour's p{percent} is {neighbour:?}, and {quiet:?} without an attack");
}

/// How long after an attack the neighbour is answered within ten times of its quiet p99 again.
async fn recovery(world: &Siege) -> Duration {
    let (ended, mut number) = (Instant::now(), 1_000_000);
    let Some(enough) = world.quiet.get().map(|quiet| p99(quiet) * NEIGHBOUR_BOUND) else { return Duration::ZERO };
    loop {
        let began = Instant::now();
        assert!(world.neighbour(number).await.unwrap().is_success());
        if began.elapsed() <= enough {
            return ended.elapsed();
        }
        number += 1;
    }
}

impl Seen {
    fn record(&mut self, health: Duration, neighbour: Duration, memory: u64) {
        self.health.push(health);
        self.neighbour.push(neighbour);
        self.memory = self.memory.max(memory);
    }
}

/// The time that 99 of 100 answers need at most.
fn p99(times: &[Duration]) -> Duration {
    percentile(times, 99)
}

/// The time that this many of 100 answers need at most.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) * percent / 100).copied().unwrap_or_default()
}

/// The figures, on standard error.
async fn report(world: &Siege, name: &str, before: u64, seen: &Seen) {
    if !is_long() {
        return;
    }
    let recovered = recovery(world).await;
    let (memory, count) = (seen.memory, seen.neighbour.len());
    let (health, neighbour) = (p99(&seen.health), p99(&seen.neighbour));
    let line = format!(
        "{name}: memory {before} MiB before, {memory} MiB at most; health p99 {health:?}; neighbour p99 {neighbour:?} of {count}; \
         recovered after {recovered:?}"
    );
    let _ = writeln!(std::io::stderr(), "{line}");
}
