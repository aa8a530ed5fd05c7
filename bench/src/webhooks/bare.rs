//! The floor of delivering: loops over the server's HTTP client that post the same bodies to the same receiver with the
//! same concurrency, without a database and without computing signatures.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use axum::http::Request;
use axum::http::header::CONTENT_TYPE;
use channels::transport::{self, HttpTransport, Timeouts, Transport as _};
use domain::DeliveryId;
use tokio::task::JoinSet;

use crate::child::{Measured, processor_time_of};
use crate::histogram::Histogram;
use crate::load::{Measurement, rate};

/// Posts in flight: the server's default limit of deliveries in flight to an endpoint.
pub const IN_FLIGHT: usize = 32;
/// As long as a real signature; the receiver does not check it.
const SIGNATURE: &str = "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=";

/// A body to post.
#[derive(Clone, Debug)]
pub struct PreparedPost {
    pub id: DeliveryId,
    pub payload: String,
}

#[derive(Debug)]
struct Round {
    transport: HttpTransport,
    url: String,
    posts: Arc<[PreparedPost]>,
    next: AtomicUsize,
    end: usize,
}

/// Posts all bodies, after a tenth of them for warm-up. The client runs in this process, so `server_time_per_request`
/// is the processor time of this process.
pub async fn measure(url: &str, posts: Arc<[PreparedPost]>) -> Result<Measured> {
    let transport = HttpTransport::new(Timeouts::default()).context("making a client")?;
    let round = |end: usize| Round {
        transport: transport.clone(),
        url: url.to_owned(),
        posts: Arc::clone(&posts),
        next: AtomicUsize::new(0),
        end,
    };
    post_all(round(posts.len().div_ceil(10))).await?;
    let (began, before) = (Instant::now(), processor_time_of(std::process::id())?);
    let latencies = post_all(round(posts.len())).await?;
    let (took, spent) = (began.elapsed(), processor_time_of(std::process::id())?.saturating_sub(before));
    let count = latencies.count();
    let bytes: usize = posts.iter().map(|post| post.payload.len()).sum();
    let load = Measurement {
        requests_per_second: rate(count, took),
        p50: latencies.permille(500),
        p99: latencies.permille(990),
        bytes_per_answer: (bytes / posts.len().max(1)) as u64,
        count,
        count_with_warm_up: count,
    };
    Ok(Measured { load, server_time_per_request: spent / u32::try_from(count)?.max(1) })
}

async fn post_all(round: Round) -> Result<Histogram> {
    let (round, mut loops, mut sum) = (Arc::new(round), JoinSet::new(), Histogram::new());
    for _ in 0..IN_FLIGHT {
        loops.spawn(post_some(Arc::clone(&round)));
    }
    while let Some(part) = loops.join_next().await {
        sum.merge(&part.context("a loop of the bare client ended early")??);
    }
    Ok(sum)
}

async fn post_some(round: Arc<Round>) -> Result<Histogram> {
    let mut latencies = Histogram::new();
    loop {
        let index = round.next.fetch_add(1, Ordering::Relaxed);
        if index >= round.end {
            return Ok(latencies);
        }
        latencies.record(post(&round, &round.posts[index]).await?);
    }
}

async fn post(round: &Round, body: &PreparedPost) -> Result<Duration> {
    let began = Instant::now();
    let request = Request::post(&round.url)
        .header(CONTENT_TYPE, "application/json")
        .header("webhook-id", body.id.to_string())
        .header("webhook-timestamp", body.id.second())
        .header("webhook-signature", SIGNATURE)
        .body(transport::full(body.payload.clone()))?;
    let answer = round.transport.call(request).await?;
    ensure!(answer.status().is_success(), "the receiver answered {}", answer.status());
    transport::collect(answer.into_body(), 0).await?;
    Ok(began.elapsed())
}
