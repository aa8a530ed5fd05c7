//! Cost of a part: processor time of the server, of the receiver, and of the database if it is a process of its own; and
//! the bytes that server and database wrote to files.

use std::collections::HashMap;
use std::fs;
use std::ops::Sub;
use std::time::Duration;

use anyhow::{Context as _, Result};

use crate::child::TICK;
use crate::load::rate;

/// Number of deliveries that costs are given for.
pub const DELIVERIES: f64 = 10_000.0;

/// What was spent so far, or between two times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    pub server: Duration,
    pub receiver: Duration,
    /// All servers of the database.
    pub database: Duration,
    /// The coordinator among them; zero if there is one server.
    pub coordinator: Duration,
    /// Bytes that server and database wrote to files.
    pub written: u64,
}

impl Sub for Spent {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            server: self.server.saturating_sub(earlier.server),
            receiver: self.receiver.saturating_sub(earlier.receiver),
            database: self.database.saturating_sub(earlier.database),
            coordinator: self.coordinator.saturating_sub(earlier.coordinator),
            written: self.written.saturating_sub(earlier.written),
        }
    }
}

impl Spent {
    /// Text with the processor seconds for ten thousand deliveries: server, database, receiver and their sum.
    pub fn per_10000(&self, deliveries: u64) -> String {
        let seconds = |time: Duration| DELIVERIES / rate(deliveries, time);
        let sum = self.server + self.receiver + self.database;
        let [server, receiver, database] = [self.server, self.receiver, self.database].map(seconds);
        format!("server {server:.2}, database {database:.2}, receiver {receiver:.2}, together {:.2}", seconds(sum))
    }

    /// Text with the cost of one delivery: processor time of server and database, and written bytes.
    pub fn for_each(&self, deliveries: u64) -> String {
        let millis = |time: Duration| 1e3 / rate(deliveries, time);
        let (server, database) = (millis(self.server), millis(self.database));
        let coordinator = coordinator_share(self.coordinator, millis);
        let kilobytes = self.written.checked_div(deliveries).unwrap_or_default().div_ceil(1000);
        format!("server {server:.2} ms, database {database:.2} ms{coordinator}, {kilobytes} KB written")
    }
}

/// Text with the coordinator's share of a cost; empty if there is one server.
pub fn coordinator_share(coordinator: Duration, cost: impl Fn(Duration) -> f64) -> String {
    if coordinator.is_zero() { String::new() } else { format!(" (coordinator {:.2})", cost(coordinator)) }
}

/// Processor time of a database's servers: of all of them, and of the first, the coordinator, if there are several.
pub fn of_servers(processes: &[u32]) -> Result<(Duration, Duration)> {
    let times = processes.iter().map(|process| by_family(*process)).collect::<Result<Vec<_>>>()?;
    let coordinator = if let [coordinator, _, ..] = times[..] { coordinator } else { Duration::ZERO };
    Ok((times.iter().sum(), coordinator))
}

/// Processor time of a process and its descendants, including ended ones.
pub fn by_family(process: u32) -> Result<Duration> {
    let all = stats()?;
    let ticks = family(&all, process).map(|(_, stat)| stat.ticks).sum();
    Ok(TICK * ticks)
}

/// Bytes that a process and its descendants have passed to write calls (`wchar` in proc_pid_io(5)), which includes a
/// little that went to sockets; those that have ended are not counted. `write_bytes` would count the whole folio, of up to
/// 256 KiB, for each page that a call makes dirty.
pub fn written_by_family(process: u32) -> Result<u64> {
    let all = stats()?;
    // A process may have ended meanwhile.
    Ok(family(&all, process).filter_map(|(id, _)| written(id)).sum())
}

fn written(process: u32) -> Option<u64> {
    let io = fs::read_to_string(format!("/proc/{process}/io")).ok()?;
    io.lines().find_map(|line| line.strip_prefix("wchar:"))?.trim().parse().ok()
}

/// A process and its descendants.
fn family(all: &HashMap<u32, Stat>, process: u32) -> impl Iterator<Item = (u32, Stat)> {
    let is_of_it = move |mut id: u32| {
        while id != process {
            match all.get(&id) {
                Some(stat) if stat.parent != id => id = stat.parent,
                _ => return false,
            }
        }
        true
    };
    all.iter().filter(move |(id, _)| is_of_it(**id)).map(|(id, stat)| (*id, *stat))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    parent: u32,
    /// User and system ticks of the process and of its ended children.
    ticks: u32,
}

fn stats() -> Result<HashMap<u32, Stat>> {
    let mut all = HashMap::new();
    for entry in fs::read_dir("/proc").context("reading the list of processes")? {
        let Some(id) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // The process may have ended meanwhile.
        let Ok(text) = fs::read_to_string(format!("/proc/{id}/stat")) else { continue };
        all.extend(read(&text).map(|stat| (id, stat)));
    }
    Ok(all)
}

/// Fields 4 and 14 to 17 of proc_pid_stat(5), counted after the program's name, which may contain spaces.
fn read(text: &str) -> Option<Stat> {
    let (_, fields) = text.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(1);
    let parent = fields.next()?.parse().ok()?;
    let times: Vec<u32> = fields.skip(9).take(4).map_while(|time| time.parse().ok()).collect();
    (times.len() == 4).then(|| Stat { parent, ticks: times.iter().sum() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_times_are_added_after_any_name() {
        let stat = "7 (a) b (c) S 3 7 7 0 -1 4194560 1 0 0 0 250 50 20 5 20 0 3 0 1 2 3";
        assert_eq!(read(stat), Some(Stat { parent: 3, ticks: 325 }));
        assert_eq!(read("7 (cut) S 1 7 7"), None);
    }

    #[test]
    fn a_family_has_used_at_least_what_its_head_has() {
        let own = crate::child::processor_time_of(std::process::id()).unwrap();
        assert!(by_family(std::process::id()).unwrap() >= own);
    }

    #[test]
    fn costs_are_printed_for_ten_thousand_deliveries_and_for_each() {
        let second = Duration::from_secs(1);
        let all =
            Spent { server: 3 * second, receiver: second, database: second, written: 50_000_000, ..Spent::default() };
        let spent = all - Spent { server: second, ..Spent::default() };
        assert_eq!(spent.per_10000(20_000), "server 1.00, database 0.50, receiver 0.50, together 2.00");
        assert_eq!(spent.for_each(20_000), "server 0.10 ms, database 0.05 ms, 3 KB written");
        let distributed = Spent { coordinator: Duration::from_millis(800), ..spent };
        let costs = "server 0.10 ms, database 0.05 ms (coordinator 0.04), 3 KB written";
        assert_eq!(distributed.for_each(20_000), costs);
    }
}
