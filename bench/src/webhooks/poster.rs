//! The client that records calls, as fast as connections allow or at a steady rate, and notes the times of post and
//! answer. A call that was answered with 200 is accepted and must be delivered.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use tokio::io::AsyncWriteExt as _;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::receipts::CALL;
use super::time::now;
use crate::answer::AnswerReader;
use crate::load::{self, Case, post_request};

const CALLS: &str = "/api/ext/v3/calls";
pub const FROM: &str = "14155552671";
pub const TO: &str = "14155550100";
/// Start time of the calls in Unix seconds: fixed, so that every run measures the same data.
pub const STARTED: i64 = 1_776_000_000;
const STARTED_TEXT: &str = "2026-04-12T13:20:00.000Z";

/// Numbers of calls, each used once per run.
#[derive(Clone, Debug, Default)]
pub struct Numbers(Arc<AtomicU64>);

impl Numbers {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}

/// An accepted call, with its times as `now` gives them.
#[derive(Clone, Copy, Debug)]
pub struct Accepted {
    pub call: u64,
    pub posted: u64,
    pub answered: u64,
}

#[derive(Clone, Copy, Debug)]
pub enum Pace {
    AsFastAsPossible,
    /// This number per second, independent of the answers, as long as a connection is free.
    Steady(u32),
}

/// When to stop.
#[derive(Clone, Copy, Debug)]
pub enum Until {
    Time(Duration),
    Count(u64),
}

/// Posts calls for one tenant.
#[derive(Clone, Debug)]
pub struct Poster {
    pub target: SocketAddr,
    pub token: String,
    pub numbers: Numbers,
    pub connections: usize,
}

impl Poster {
    /// The same posts as a case of the load client, which keeps no times of single calls and costs less.
    pub fn case(&self, name: &str) -> Case {
        let (bearer, numbers) = (bearer(&self.token), self.numbers.clone());
        let write = move |_: usize, _: u64, out: &mut Vec<u8>| post(out, &bearer, numbers.next());
        Case { name: name.to_owned(), expected_status: 200, write_request: Arc::new(write) }
    }

    pub async fn run(&self, pace: Pace, until: Until) -> Result<Vec<Accepted>> {
        let slots = Arc::new(Slots { began: Instant::now(), pace, until, taken: AtomicU64::new(0) });
        let mut loops = JoinSet::new();
        for _ in 0..self.connections {
            loops.spawn(post_while_slots_last(self.clone(), Arc::clone(&slots)));
        }
        let mut accepted = Vec::new();
        while let Some(part) = loops.join_next().await {
            accepted.extend(part.context("a connection ended early")??);
        }
        Ok(accepted)
    }
}

/// The schedule of posts.
#[derive(Debug)]
struct Slots {
    began: Instant,
    pace: Pace,
    until: Until,
    taken: AtomicU64,
}

impl Slots {
    /// Waits until the next post is due; false when no further post is.
    async fn next(&self) -> bool {
        let index = self.taken.fetch_add(1, Ordering::Relaxed);
        let due = match self.pace {
            Pace::AsFastAsPossible => Instant::now(),
            Pace::Steady(rate) => self.began + Duration::from_secs(index) / rate,
        };
        let is_over = match self.until {
            Until::Time(time) => due >= self.began + time,
            Until::Count(count) => index >= count,
        };
        if !is_over && matches!(self.pace, Pace::Steady(_)) {
            tokio::time::sleep_until(due).await;
        }
        !is_over
    }
}

async fn post_while_slots_last(client: Poster, slots: Arc<Slots>) -> Result<Vec<Accepted>> {
    let (mut stream, mut reader) = (load::connect(client.target).await?, AnswerReader::new());
    let (bearer, mut request, mut accepted) = (bearer(&client.token), Vec::with_capacity(1024), Vec::new());
    while slots.next().await {
        let call = client.numbers.next();
        request.clear();
        post(&mut request, &bearer, call);
        let posted = now();
        stream.write_all(&request).await.context("posting a call")?;
        let answer = reader.read(&mut stream).await?;
        let answered = now();
        ensure!(answer.status == 200, "a call was answered with:\n{}", reader.last_answer());
        accepted.push(Accepted { call, posted, answered });
    }
    Ok(accepted)
}

fn bearer(token: &str) -> String {
    format!("authorization: Bearer {token}\r\n")
}

fn post(out: &mut Vec<u8>, bearer: &str, number: u64) {
    post_request(out, CALLS, bearer, &body(number));
}

/// An inbound call from an unknown person, which has one event.
pub fn body(number: u64) -> String {
    format!(
        "{{\"call_id\":\"{CALL}{number}\",\"direction\":\"inbound\",\"from_number\":\"{FROM}\",\"to_number\":\"{TO}\",\
         \"started_at\":\"{STARTED_TEXT}\"}}"
    )
}

#[cfg(test)]
mod tests {
    use domain::Timestamp;

    use super::*;
    use crate::floor;

    async fn poster() -> Poster {
        let server = floor::listen(100).await.unwrap();
        let target = server.address;
        tokio::spawn(server.serve(std::future::pending()));
        Poster { target, token: "none".into(), numbers: Numbers::default(), connections: 3 }
    }

    #[test]
    fn a_body_says_when_the_call_started() {
        let body: serde_json::Value = serde_json::from_str(&body(7)).unwrap();
        assert_eq!(body["call_id"], "bench-7");
        assert_eq!(body["started_at"], Timestamp::from_seconds(STARTED).to_rfc3339());
    }

    #[tokio::test]
    async fn calls_have_the_requested_number_of_distinct_recipients() {
        let poster = poster().await;
        for round in 1..=2 {
            let accepted = poster.run(Pace::AsFastAsPossible, Until::Count(50)).await.unwrap();
            assert_eq!(accepted.len(), 50);
            assert!(accepted.iter().all(|one| one.posted <= one.answered && one.call / 50 == round - 1));
        }
    }

    #[tokio::test]
    async fn a_steady_pace_has_a_fixed_number_of_slots() {
        let accepted = poster().await.run(Pace::Steady(100), Until::Time(Duration::from_millis(200))).await.unwrap();
        assert_eq!(accepted.len(), 20);
    }
}
