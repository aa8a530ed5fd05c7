//! Cost of a part: processor time of the server, of the receiver, and of the database if it is a process of its own.

use std::collections::HashMap;
use std::fs;
use std::ops::Sub;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::DELIVERIES;
use crate::child::TICK;
use crate::load::rate;

/// Processor time so far, or between two times.
#[derive(Clone, Copy, Debug, Default)]
pub struct Spent {
    pub server: Duration,
    pub receiver: Duration,
    pub database: Duration,
}

impl Sub for Spent {
    type Output = Self;

    fn sub(self, earlier: Self) -> Self {
        Self {
            server: self.server.saturating_sub(earlier.server),
            receiver: self.receiver.saturating_sub(earlier.receiver),
            database: self.database.saturating_sub(earlier.database),
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
}

/// Processor time of a process and its descendants, including ended ones.
pub fn by_family(process: u32) -> Result<Duration> {
    let all = stats()?;
    let is_of_it = |mut id: u32| {
        while id != process {
            match all.get(&id) {
                Some(stat) if stat.parent != id => id = stat.parent,
                _ => return false,
            }
        }
        true
    };
    let ticks = all.iter().filter(|(id, _)| is_of_it(**id)).map(|(_, stat)| stat.ticks).sum();
    Ok(TICK * ticks)
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
    fn costs_are_printed_for_ten_thousand_deliveries() {
        let second = Duration::from_secs(1);
        let spent = Spent { server: 3 * second, receiver: second, database: second }
            - Spent { server: second, ..Spent::default() };
        assert_eq!(spent.per_10000(20_000), "server 1.00, database 0.50, receiver 0.50, together 2.00");
    }
}
