//! Draining: how fast a server that has just started delivers a backlog to one endpoint, compared with a bare client
//! that posts the same bodies to the same receiver.

use std::sync::Arc;

use anyhow::{Result, ensure};
use domain::calls::{Call, CallDirection, CallParty, CallStatus};
use domain::delivery::events::{Fact, LoggedFact};
use domain::{Id, TenantId, Timestamp};

use super::bare::{self, IN_FLIGHT, PreparedPost};
use super::poster::{FROM, STARTED, TO};
use super::receipts::CALL;
use super::receiver::Manner;
use super::spent::DELIVERIES;
use super::time::{between, millis, now};
use super::world::World;
use crate::load::rate;
use crate::report::{PartResult, Row};
use crate::served::{Database, Prepared};

const TENANT: TenantId = TenantId::FIRST;
/// Calls per transaction while filling.
const AT_ONCE: usize = 500;

/// Returns the result, and the posts per second of the bare client.
pub async fn measure(database: Database, count: u64) -> Result<(PartResult, f64)> {
    let mut world = World::new(database).await?;
    // The endpoint is created first, so that all events are for it; no server delivers during the preparation.
    let webhook = world.listen(Manner::Good, 0).await?;
    world.child.end();
    let posts = fill(&world.prepared, count).await?;
    world.prepared.settle().await?;

    let before = world.spent_without_server()?;
    let began = now();
    world.child = world.prepared.serve()?;
    let ready = now();
    let receipts = world.receiver.receive(count).await?;
    let (first, last) = receipts.span()?;
    world.recorded(webhook).await?;
    let (recorded, spent, peak) = (now(), world.spent()? - before, world.peak()?);
    world.child.end();

    let floor = bare::measure(&world.receiver.url(Manner::Good, 1)?, posts).await?;
    let posted = floor.load.requests_per_second;
    // The server may begin to deliver before it prints its address.
    let took = between(ready.min(first), last);
    let per_second = rate(count, took);
    let drained = format!(
        "{count} events in {:.2} s, {per_second:.0} a second, {:.2} of the bare client; {} of them twice",
        took.as_secs_f64(),
        per_second / posted,
        receipts.repeats()
    );
    let course = format!(
        "ready after {}, the first receipt after {}, the last after {}, all recorded after {}",
        millis(between(began, ready)),
        millis(between(began, first)),
        millis(between(began, last)),
        millis(between(began, recorded))
    );
    let bare = floor.server_time_per_request.as_secs_f64() * DELIVERIES;
    let facts = vec![
        ("drain: from readiness to the last receipt", drained),
        ("drain: from the start of the process", course),
        (
            "drain: processor seconds for 10000 deliveries",
            format!("{}; the bare client {bare:.2}", spent.per_10000(count)),
        ),
        ("drain: highest resident memory", peak),
    ];
    let name = format!("floor: a bare client posts the same bodies, {IN_FLIGHT} in flight");
    Ok((PartResult { rows: vec![Row { name, measured: floor, floor: None }], facts }, posted))
}

/// Records calls like `POST /calls`, with their events; returns the bodies to be delivered.
async fn fill(prepared: &Prepared, count: u64) -> Result<Arc<[PreparedPost]>> {
    let app = prepared.app();
    let mut posts = Vec::new();
    let numbers: Vec<u64> = (0..count).collect();
    for some in numbers.chunks(AT_ONCE) {
        let now = app.now();
        let calls: Vec<Call> = some.iter().map(|number| call(now, *number)).collect();
        let facts: Vec<Fact> = calls.iter().map(|call| Fact::call(now, call)).collect();
        posts.extend(facts.iter().filter_map(prepared_post));
        let write = app.db().write((calls, facts), |tx, (calls, facts)| {
            Box::pin(async move {
                store::calls::insert_many(tx, TENANT, calls).await?;
                store::delivery::events::append(tx, TENANT, facts).await
            })
        });
        write.await?;
    }
    app.delivery().events().number().await?;
    let last = store::delivery::events::log(app.db(), TENANT).await?.last;
    ensure!(u64::try_from(last)? == count, "{last} of {count} events have their numbers");
    Ok(posts.into())
}

fn call(now: Timestamp, number: u64) -> Call {
    Call {
        id: Id::new(now),
        call_id: format!("{CALL}{number}"),
        direction: CallDirection::Inbound,
        status: CallStatus::Ringing,
        from_number: FROM.to_owned(),
        to_number: TO.to_owned(),
        started_at: Timestamp::from_seconds(STARTED),
        answered_at: None,
        ended_at: None,
        end_reason: None,
        operator: None,
        team_name: None,
        caller: CallParty { wa_id: Some(FROM.to_owned()), ..CallParty::default() },
        conversation_id: None,
        channel_id: None,
        channel_phone_number: Some(TO.to_owned()),
        talk_seconds: None,
    }
}

/// The delivery of a call: a call from an unknown person has one event.
fn prepared_post(fact: &Fact) -> Option<PreparedPost> {
    let event = Arc::new(LoggedFact { fact: fact.clone(), last: 1 }).events().next()?;
    Some(PreparedPost { id: event.id.delivery(), payload: event.payload().to_owned() })
}
