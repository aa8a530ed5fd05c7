//! Memory with many messages in the outbox: before any is due, and while they leave.

use std::time::{Duration, Instant};

use anyhow::Result;
use server::commands::progress;

use super::calls::Whom;
use super::world::World;
use crate::child::Child;
use crate::report::PartResult;
use crate::served::Database;

/// How long memory is observed while messages leave.
const DRAINING: Duration = Duration::from_secs(30);
const SAMPLE_EVERY: Duration = Duration::from_millis(200);

/// Fills the outbox through the API, in calls with 10 000 unknown recipients: each message has its own contact and
/// conversation.
pub async fn measure(database: Database, count: u64) -> Result<PartResult> {
    let world = World::new(database, 0).await?;
    let child = world.serve().await?;
    let idle = child.resident_mebibytes()?;
    let bar = progress::bar(Some(count), "messages");
    let began = Instant::now();
    world.fill(&child, Whom::Unknown, count, |done| bar.set_position(done)).await?;
    bar.finish_and_clear();
    let filled = began.elapsed().as_secs_f64();
    let (waiting, peak) = (child.resident_mebibytes()?, child.peak_mebibytes()?);
    world.release().await?;
    let before = world.waiting().await?;
    let highest = highest(&child, DRAINING).await?;
    let left = before.saturating_sub(world.waiting().await?);
    let seconds = DRAINING.as_secs();
    let facts = vec![
        ("messages that wait", format!("{count}, each to a different person, accepted in {filled:.0} s")),
        ("resident memory before they were accepted", format!("{idle:.1} MiB")),
        (
            "resident memory while they wait",
            format!("{waiting:.1} MiB; at most {peak:.1} MiB while they were accepted"),
        ),
        ("highest resident memory while they leave", format!("{highest:.1} MiB in {seconds} s, in which {left} left")),
    ];
    Ok(PartResult { rows: Vec::new(), facts })
}

async fn highest(child: &Child, time: Duration) -> Result<f64> {
    let (since, mut highest) = (Instant::now(), 0.0_f64);
    while since.elapsed() < time {
        highest = highest.max(child.resident_mebibytes()?);
        tokio::time::sleep(SAMPLE_EVERY).await;
    }
    Ok(highest)
}
