//! The load client: a closed loop of requests on a number of kept connections. A `Case` provides the requests and the
//! expected status.

use std::{
    fmt,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use tokio::{io::AsyncWriteExt as _, net::TcpStream, task::JoinSet};

use crate::{answer::AnswerReader, histogram::Histogram};

/// Appends the bytes of a request to an empty, reused buffer: connection, number of the request on it, buffer.
pub type WriteRequest = dyn Fn(usize, u64, &mut Vec<u8>) + Send + Sync;

/// A row of a benchmark: its requests, and the expected status.
#[derive(Clone)]
pub struct Case {
    pub name: String,
    pub expected_status: u16,
    pub write_request: Arc<WriteRequest>,
}

#[derive(Clone, Copy, Debug)]
pub struct Plan {
    pub connections: usize,
    pub warm_up: Duration,
    pub measured: Duration,
}

#[derive(Clone, Debug)]
pub struct Measurement {
    pub requests_per_second: f64,
    pub p50: Duration,
    pub p99: Duration,
    /// Mean size of a body in bytes.
    pub bytes_per_answer: u64,
    /// Answers within the measured time.
    pub count: u64,
    /// All answers, including the warm-up.
    pub count_with_warm_up: u64,
}

impl Case {
    /// A case that repeats the same request.
    pub fn fixed(name: impl Into<String>, request: Vec<u8>, expected_status: u16) -> Self {
        let write_request = Arc::new(move |_: usize, _: u64, out: &mut Vec<u8>| out.extend_from_slice(&request));
        Self { name: name.into(), expected_status, write_request }
    }
}

impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case").field("name", &self.name).finish_non_exhaustive()
    }
}

/// The bytes of a GET request; `header_lines` each end with CR LF.
pub fn get_request(path: &str, header_lines: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nhost: 127.0.0.1\r\naccept: application/json\r\n{header_lines}\r\n").into_bytes()
}

/// Appends a POST request with JSON; `header_lines` each end with CR LF.
pub fn post_request(out: &mut Vec<u8>, path: &str, header_lines: &str, body: &str) {
    use std::io::Write as _;
    // Writing to memory cannot fail.
    let _ = write!(
        out,
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n{header_lines}\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
}

pub async fn run(target: SocketAddr, case: &Case, plan: Plan) -> Result<Measurement> {
    count(target, case, plan).await?.measurement(plan.measured)
}

async fn count(target: SocketAddr, case: &Case, plan: Plan) -> Result<Tally> {
    let mut streams = Vec::with_capacity(plan.connections);
    for _ in 0..plan.connections {
        streams.push(connect(target).await?);
    }
    let window = Window::after(plan.warm_up, plan.measured);
    let mut loops = JoinSet::new();
    for (connection, stream) in streams.into_iter().enumerate() {
        loops.spawn(ask_until_end(stream, connection, case.clone(), window));
    }
    let mut sum = Tally::new();
    // Returning at the first error drops the set, which aborts the other loops.
    while let Some(tally) = loops.join_next().await {
        sum.merge(&tally.context("a load loop ended early")?.with_context(|| format!("in \"{}\"", case.name))?);
    }
    Ok(sum)
}

/// Measures `calls` requests one after the other, after one for warm-up: for requests that take seconds, of which a row
/// of fixed time would have too few.
pub async fn run_calls(target: SocketAddr, case: &Case, calls: u64) -> Result<Measurement> {
    let (mut client, mut tally) = (LoadClient::new(connect(target).await?, 0, case.clone()), Tally::new());
    client.ask(0).await?;
    let began = Instant::now();
    for i in 1..=calls {
        let asked = Instant::now();
        let bytes = client.ask(i).await?;
        tally.record(asked.elapsed(), bytes);
    }
    tally.count_with_warm_up = calls + 1;
    tally.measurement(began.elapsed())
}

/// Count per second.
#[expect(clippy::cast_precision_loss, reason = "a rate for people; a run has far fewer than 2^52 of anything")]
pub fn rate(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64()
}

pub async fn connect(target: SocketAddr) -> Result<TcpStream> {
    let stream = TcpStream::connect(target).await.with_context(|| format!("connecting to {target}"))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

#[derive(Clone, Copy)]
struct Window {
    start: Instant,
    end: Instant,
}

impl Window {
    fn after(warm_up: Duration, measured: Duration) -> Self {
        let start = Instant::now() + warm_up;
        Self { start, end: start + measured }
    }

    /// Whether an answer counts. The time of the answer decides at both ends of the window, not that of the request.
    fn holds(self, answered: Instant) -> bool {
        self.start <= answered && answered < self.end
    }
}

async fn ask_until_end(stream: TcpStream, connection: usize, case: Case, window: Window) -> Result<Tally> {
    let (mut client, mut tally) = (LoadClient::new(stream, connection, case), Tally::new());
    let mut asked = Instant::now();
    for i in 0.. {
        let bytes = client.ask(i).await?;
        let answered = Instant::now();
        tally.count_with_warm_up += 1;
        if window.holds(answered) {
            tally.record(answered - asked, bytes);
        } else if answered >= window.end {
            break;
        }
        asked = answered;
    }
    Ok(tally)
}

/// A connection with buffers that its requests share.
struct LoadClient {
    stream: TcpStream,
    connection: usize,
    case: Case,
    request: Vec<u8>,
    reader: AnswerReader,
}

impl LoadClient {
    fn new(stream: TcpStream, connection: usize, case: Case) -> Self {
        Self { stream, connection, case, request: Vec::with_capacity(4096), reader: AnswerReader::new() }
    }

    /// Sends request `i`; returns the size of the answer's body.
    async fn ask(&mut self, i: u64) -> Result<u64> {
        self.request.clear();
        (self.case.write_request)(self.connection, i, &mut self.request);
        self.stream.write_all(&self.request).await.context("sending a request")?;
        let answer = self.reader.read(&mut self.stream).await?;
        let expected = self.case.expected_status;
        if answer.status != expected {
            bail!("expected status {expected}, the answer was:\n{}", self.reader.last_answer());
        }
        Ok(answer.body_bytes as u64)
    }
}

struct Tally {
    latencies: Histogram,
    bytes: u64,
    count_with_warm_up: u64,
}

impl Tally {
    fn new() -> Self {
        Self { latencies: Histogram::new(), bytes: 0, count_with_warm_up: 0 }
    }

    fn record(&mut self, latency: Duration, bytes: u64) {
        self.latencies.record(latency);
        self.bytes += bytes;
    }

    fn merge(&mut self, other: &Self) {
        self.latencies.merge(&other.latencies);
        self.bytes += other.bytes;
        self.count_with_warm_up += other.count_with_warm_up;
    }

    fn measurement(&self, measured: Duration) -> Result<Measurement> {
        let count = self.latencies.count();
        let bytes_per_answer = self.bytes.checked_div(count).context("no answer came in the measured time")?;
        Ok(Measurement {
            requests_per_second: rate(count, measured),
            p50: self.latencies.permille(500),
            p99: self.latencies.permille(990),
            bytes_per_answer,
            count,
            count_with_warm_up: self.count_with_warm_up,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::floor;

    fn short_plan() -> Plan {
        Plan { connections: 3, warm_up: Duration::from_millis(20), measured: Duration::from_millis(200) }
    }

    #[tokio::test]
    async fn counts_answers_and_their_bytes() {
        let server = floor::listen(1000).await.unwrap();
        let address = server.address;
        tokio::spawn(server.serve(std::future::pending()));
        let case = Case::fixed("floor", get_request("/", ""), 200);
        // A busy machine can stop this process for longer than a short run takes, which then has nothing to measure.
        let mut plan = short_plan();
        let measurement = loop {
            match run(address, &case, plan).await {
                Ok(measurement) => break measurement,
                Err(error) if plan.measured > Duration::from_secs(20) => panic!("{error:#}"),
                Err(_) => plan.measured *= 4,
            }
        };
        assert_eq!(measurement.bytes_per_answer, 1000);
        assert!(measurement.count > 0 && measurement.count_with_warm_up > measurement.count);
        assert!(Duration::ZERO < measurement.p50 && measurement.p50 <= measurement.p99);
    }

    #[tokio::test]
    async fn calls_are_counted_after_the_first() {
        let server = floor::listen(1000).await.unwrap();
        let address = server.address;
        tokio::spawn(server.serve(std::future::pending()));
        let case = Case::fixed("floor", get_request("/", ""), 200);
        let measurement = run_calls(address, &case, 3).await.unwrap();
        assert_eq!((measurement.count, measurement.count_with_warm_up), (3, 4));
        assert_eq!(measurement.bytes_per_answer, 1000);
    }

    #[tokio::test]
    async fn an_unexpected_status_stops_the_run_and_shows_the_body() {
        let server = floor::listen(100).await.unwrap();
        let address = server.address;
        tokio::spawn(server.serve(std::future::pending()));
        let case = Case::fixed("wrong", get_request("/", ""), 404);
        let error = format!("{:#}", run(address, &case, short_plan()).await.unwrap_err());
        assert!(error.contains("in \"wrong\"") && error.contains("200 OK") && error.contains("xxxx"), "{error}");
    }

    #[tokio::test]
    async fn requests_are_numbered_on_each_connection() {
        let server = floor::listen(100).await.unwrap();
        let address = server.address;
        tokio::spawn(server.serve(std::future::pending()));
        let seen = Arc::new(std::sync::Mutex::new(Vec::new()));
        let recorded = Arc::clone(&seen);
        let write_request = Arc::new(move |connection: usize, i: u64, out: &mut Vec<u8>| {
            recorded.lock().unwrap().push((connection, i));
            out.extend_from_slice(&get_request("/", ""));
        });
        let case = Case { name: "numbered".into(), expected_status: 200, write_request };
        let tally = count(address, &case, short_plan()).await.unwrap();
        let mut seen = seen.lock().unwrap().clone();
        assert_eq!(seen.len() as u64, tally.count_with_warm_up);
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen.len() as u64, tally.count_with_warm_up, "a number was used twice");
        assert!((0..3).all(|connection| seen.contains(&(connection, 0))));
    }
}
