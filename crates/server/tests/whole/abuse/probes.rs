//! What health and the neighbour see while an attack runs.

use std::io::Write as _;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

use crate::is_long;

use super::world::{QuietTimes, Siege};

/// How long an attack lasts.
pub fn duration() -> Duration {
    if is_long() { Duration::from_secs(30) } else { Duration::from_secs(2) }
}

/// How long health may take under attack, in the long form.
const HEALTH_BOUND: Duration = Duration::from_millis(100);
/// How many times as long as without an attack the neighbour's requests may take.
const NEIGHBOUR_BOUND: u32 = 10;
/// The short form runs a build without optimisation for a few seconds, beside other tests: it compares the p90, of
/// health too, and with at least this time. A server that computes on its threads for requests, or writes thousands of rows in one
/// transaction, is slower by far.
const SHORT_FLOOR: Duration = Duration::from_millis(25);

/// How much more resident memory in MiB the server may need than before an attack: what the settings allow for bodies,
/// and 20 % of the sum (`docs/threat-model.md`). A build without optimisation beside other tests also has what the
/// allocator keeps for the threads that an attack starts.
const MORE_MEMORY: u64 = 64;
const SHORT_MORE_MEMORY: u64 = 256;
/// How many more files the server may have open than before an attack, and than the attack has connections: a tenant
/// has at most 96 deliveries in flight in these tests, and the neighbour and the database have some connections.
const MORE_OPEN_FILES: usize = 256;

/// What the server uses.
#[derive(Debug, Default, Clone, Copy)]
pub struct Usage {
    /// Resident, in MiB.
    pub memory: u64,
    pub open_files: usize,
}

impl Usage {
    fn of(world: &Siege) -> Self {
        Self { memory: world.memory(), open_files: world.open_files() }
    }

    fn most(self, other: Self) -> Self {
        Self { memory: self.memory.max(other.memory), open_files: self.open_files.max(other.open_files) }
    }
}

#[derive(Debug, Default)]
pub struct Seen {
    health: Vec<Duration>,
    neighbour: Vec<Duration>,
    pub before: Usage,
    /// The highest values during the attack.
    pub most: Usage,
}

/// Asks health and the neighbour in turns until `attack` ends. Every answer must be a success. On a thread of its own:
/// what is measured does not wait for the attack's clients, which this process runs too.
pub async fn beside<T>(world: &Siege, name: &str, attack: impl Future<Output = T>) -> (T, Seen) {
    let (before, goes_on) = (Usage::of(world), AtomicBool::new(true));
    let (outcome, seen) = thread::scope(|scope| {
        let probing = scope.spawn(|| ask_in_turns(world, name, before, &goes_on));
        let outcome = {
            let _end = EndOfAttack(&goes_on);
            tokio::task::block_in_place(|| Handle::current().block_on(attack))
        };
        (outcome, probing.join())
    });
    let seen = seen.unwrap_or_else(|panic| resume_unwind(panic));
    report(world, name, &seen).await;
    (outcome, seen)
}

/// Ends the probes, also when the attack panics.
struct EndOfAttack<'a>(&'a AtomicBool);

impl Drop for EndOfAttack<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

fn ask_in_turns(world: &Siege, name: &str, before: Usage, goes_on: &AtomicBool) -> Seen {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut seen = Seen { before, most: before, ..Seen::default() };
    runtime.block_on(async {
        let (neighbour, mut number) = (world.neighbour(), 0);
        while number == 0 || goes_on.load(Ordering::Relaxed) {
            assert!(neighbour.sees_health().await.unwrap(), "{name}: the health listener");
            let began = Instant::now();
            assert!(neighbour.sees_main_health().await.unwrap(), "{name}: health");
            let health = began.elapsed();
            let began = Instant::now();
            let status = neighbour.ask(number).await.unwrap();
            assert!(status.is_success(), "{name}: the neighbour got {status}");
            seen.record(health, began.elapsed(), Usage::of(world));
            number += 1;
        }
    });
    seen
}

/// Measures health and the neighbour without an attack.
pub async fn quiet(world: &Siege) {
    let ((), seen) = beside(world, "quiet", tokio::time::sleep(duration())).await;
    let _ = world.quiet.set(QuietTimes { health: seen.health, neighbour: seen.neighbour });
}

/// Asserts that an attack stayed within the bounds on memory and open files.
pub fn assert_bounded(name: &str, seen: &Seen) {
    let Seen { before, most, .. } = seen;
    let bound = if is_long() { (before.memory + MORE_MEMORY) * 12 / 10 } else { before.memory + SHORT_MORE_MEMORY };
    assert!(most.memory <= bound, "{name}: {} MiB after {} MiB, more than {bound}", most.memory, before.memory);
    let bound = before.open_files + MORE_OPEN_FILES;
    assert!(most.open_files <= bound, "{name}: {} open files after {}", most.open_files, before.open_files);
}

/// Asserts the same, that health was answered in time during an attack, and the neighbour about as fast as without one.
pub fn assert_calm(world: &Siege, name: &str, seen: &Seen) {
    assert_bounded(name, seen);
    let (percent, floor) = if is_long() { (99, Duration::ZERO) } else { (90, SHORT_FLOOR) };
    let quiet = world.quiet.get().unwrap();
    let usual = percentile(&quiet.health, percent);
    let bound = if is_long() { HEALTH_BOUND } else { usual.max(floor) * NEIGHBOUR_BOUND };
    let health = percentile(&seen.health, percent);
    assert!(health < bound, "{name}: the p{percent} of health is {health:?}, and {usual:?} without an attack");
    let quiet = percentile(&quiet.neighbour, percent);
    let neighbour = percentile(&seen.neighbour, percent);
    let bound = quiet.max(floor) * NEIGHBOUR_BOUND;
    assert!(neighbour < bound, "{name}: the neighbour's p{percent} is {neighbour:?}, and {quiet:?} without an attack");
}

/// How long after an attack the neighbour is answered within ten times of its quiet p99 again.
async fn recovery(world: &Siege) -> Duration {
    let (ended, neighbour, mut number) = (Instant::now(), world.neighbour(), 0);
    let Some(enough) = world.quiet.get().map(|quiet| p99(&quiet.neighbour) * NEIGHBOUR_BOUND) else {
        return Duration::ZERO;
    };
    loop {
        let began = Instant::now();
        assert!(neighbour.ask(number).await.unwrap().is_success());
        if began.elapsed() <= enough {
            return ended.elapsed();
        }
        number += 1;
    }
}

impl Seen {
    fn record(&mut self, health: Duration, neighbour: Duration, usage: Usage) {
        self.health.push(health);
        self.neighbour.push(neighbour);
        self.most = self.most.most(usage);
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
async fn report(world: &Siege, name: &str, seen: &Seen) {
    if !is_long() {
        return;
    }
    let recovered = recovery(world).await;
    let (before, most, count) = (seen.before, seen.most, seen.neighbour.len());
    let (health, neighbour) = (p99(&seen.health), p99(&seen.neighbour));
    let line = format!(
        "{name}: memory {} -> {} MiB; open files {} -> {}; health p99 {health:?}; neighbour p99 {neighbour:?} of {count}; \
         recovered after {recovered:?}",
        before.memory, most.memory, before.open_files, most.open_files,
    );
    let _ = writeln!(std::io::stderr(), "{line}");
}
