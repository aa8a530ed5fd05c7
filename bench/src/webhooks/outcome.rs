//! Computes rates and latencies of recorded and delivered calls.

use std::collections::HashMap;
use std::time::Duration;

use anyhow::{Result, ensure};

use super::poster::Accepted;
use super::receipts::Receipts;
use super::time::{between, millis};
use crate::child::Measured;
use crate::histogram::Histogram;
use crate::load::{Measurement, rate};

#[derive(Debug)]
pub struct Outcome {
    pub accepted: u64,
    /// From the first post to the last answer.
    pub accepting: Duration,
    pub delivered: u64,
    /// From the first post to the last receipt.
    pub delivering: Duration,
    /// From the last answer to the last receipt.
    pub rest: Duration,
    /// From the answer to the receipt; zero if the receipt came first.
    after_answer: Histogram,
    /// From the post to the receipt.
    after_post: Histogram,
}

impl Outcome {
    /// Fails unless every accepted call was delivered to `endpoints` endpoints. Deliveries of other calls do not count.
    pub fn of(accepted: &[Accepted], receipts: &Receipts, endpoints: u64) -> Result<Self> {
        let known: HashMap<u64, &Accepted> = accepted.iter().map(|one| (one.call, one)).collect();
        let (mut after_answer, mut after_post, mut last) = (Histogram::new(), Histogram::new(), 0);
        for receipt in receipts.each() {
            let Some(one) = known.get(&receipt.call) else { continue };
            after_answer.record(between(one.answered, receipt.at));
            after_post.record(between(one.posted, receipt.at));
            last = last.max(receipt.at);
        }
        let (count, delivered) = (accepted.len() as u64, after_post.count());
        ensure!(delivered == count * endpoints, "{delivered} of {} deliveries arrived", count * endpoints);
        let began = accepted.iter().map(|one| one.posted).min().unwrap_or(0);
        let answered = accepted.iter().map(|one| one.answered).max().unwrap_or(0);
        Ok(Self {
            accepted: count,
            accepting: between(began, answered),
            delivered,
            delivering: between(began, last),
            rest: between(answered, last),
            after_answer,
            after_post,
        })
    }

    /// The result as a row: deliveries per second, and the times from the answer to the receipt.
    pub fn measured(&self, bytes: u64, server: Duration) -> Measured {
        let load = Measurement {
            requests_per_second: rate(self.delivered, self.delivering),
            p50: self.after_answer.permille(500),
            p99: self.after_answer.permille(990),
            bytes_per_answer: bytes,
            count: self.delivered,
            count_with_warm_up: self.delivered,
        };
        let deliveries = u32::try_from(self.delivered).unwrap_or(u32::MAX).max(1);
        Measured { load, server_time_per_request: server / deliveries }
    }

    pub fn accepted_per_second(&self) -> f64 {
        rate(self.accepted, self.accepting)
    }

    pub fn since_post(&self) -> String {
        let [p50, p99] = [500, 990].map(|permille| millis(self.after_post.permille(permille)));
        format!("p50 {p50}, p99 {p99}")
    }
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;
    use crate::webhooks::receipts::Receipt;
    use domain::Id;

    fn receipts(all: &[(u64, u64, u64)]) -> Receipts {
        let line = |&(endpoint, call, at): &(u64, u64, u64)| {
            format!("{}\n", Receipt { endpoint, call, at, id: Id::seeded(Timestamp::from_seconds(7), call) })
        };
        Receipts::read(all.iter().map(line).collect::<String>().as_bytes()).unwrap()
    }

    #[test]
    fn times_are_those_of_accepted_calls_alone() {
        let accepted =
            [Accepted { call: 1, posted: 100, answered: 120 }, Accepted { call: 2, posted: 130, answered: 160 }];
        let outcome = Outcome::of(&accepted, &receipts(&[(0, 1, 110), (0, 2, 190), (0, 77, 900)]), 1).unwrap();
        assert_eq!((outcome.accepted, outcome.delivered), (2, 2));
        let times = [outcome.accepting, outcome.delivering, outcome.rest].map(|time| time.as_nanos());
        assert_eq!(times, [60, 90, 30]);
        let nanos = |histogram: &Histogram, permille| histogram.permille(permille).as_nanos();
        assert_eq!([nanos(&outcome.after_answer, 500), nanos(&outcome.after_answer, 990)], [0, 30]);
        assert_eq!([nanos(&outcome.after_post, 500), nanos(&outcome.after_post, 990)], [10, 60]);
    }

    #[test]
    fn an_accepted_call_without_a_delivery_is_an_error() {
        let accepted = [Accepted { call: 1, posted: 1, answered: 2 }];
        let error = Outcome::of(&accepted, &receipts(&[(0, 1, 3)]), 2).unwrap_err();
        assert_eq!(error.to_string(), "1 of 2 deliveries arrived");
    }
}
