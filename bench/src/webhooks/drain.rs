//! Owns draining: how fast a server that has just started tells one endpoint everything that waits for it, beside a bare
//! client that posts the same bodies to the same receiver.

use std::sync::Arc;

use anyhow::{Result, ensure};
use domain::calls::{Call, CallDirection, CallParty, CallStatus};
use domain::events::{Fact, LoggedFact};
use domain::{Id, TenantId, Timestamp};

use super::bare::{self, Letter, UNDER_WAY};
use super::poster::{FROM, STARTED, TO};
use super::receipts::CALL;
use super::receiver::Manner;
use super::world::World;
use super::{Told, between, millis, now};
use crate::load::rate;
use crate::report::Row;
use crate::served::{Database, Prepared};

const TENANT: TenantId = TenantId::FIRST;
/// Calls that are recorded in one transaction while filling.
const AT_ONCE: usize = 500;

/// Answers what it has to say, and how many the bare client posts in a second.
pub async fn measure(database: Database, count: u64) -> Result<(Told, f64)> {
    let mut world = World::new(database).await?;
    // The endpoint is there first, so that everything after it is for it; nobody delivers while it is prepared.
    let webhook = world.listen(Manner::Good, 0).await?;
    world.child.end();
    let letters = fill(&world.prepared, count).await?;
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

    let floor = bare::measure(&world.receiver.url(Manner::Good, 1)?, letters).await?;
    let posted = floor.load.requests_per_second;
    // It may begin to deliver before it says where it listens.
    let took = between(ready.min(first), last);
    let per_second = rate(count, took);
    let drained = format!(
        "{count} events in {:.2} s, {per_second:.0} a second, {:.2} of the bare client; {} of them twice",
        took.as_secs_f64(),
        per_second / posted,
        receipts.repeats()
    );
    let course = format!(
        "ready after {}, the first receipt after {}, the last after {}, all written down after {}",
        millis(between(began, ready)),
        millis(between(began, first)),
        millis(between(began, last)),
        millis(between(began, recorded))
    );
    let bare = floor.server_time_per_request.as_secs_f64() * super::DELIVERIES;
    let facts = vec![
        ("drain: from readiness to the last receipt", drained),
        ("drain: from the start of the process", course),
        ("drain: processor seconds for 10000 deliveries", format!("{}; the bare client {bare:.2}", spent.told(count))),
        ("drain: highest resident memory", peak),
    ];
    let name = format!("floor: a bare client posts the same bodies, {UNDER_WAY} under way");
    Ok((Told { rows: vec![Row { name, measured: floor, floor: None }], facts }, posted))
}

/// Calls as `POST /calls` records them, with their events. Answers what will be delivered.
async fn fill(prepared: &Prepared, count: u64) -> Result<Arc<[Letter]>> {
    let app = prepared.app();
    let mut letters = Vec::new();
    let numbers: Vec<u64> = (0..count).collect();
    for some in numbers.chunks(AT_ONCE) {
        let now = app.now();
        let calls: Vec<Call> = some.iter().map(|number| call(now, *number)).collect();
        let facts: Vec<Fact> = calls.iter().map(|call| Fact::call(now, call)).collect();
        letters.extend(facts.iter().filter_map(letter));
        let write = app.db().write((calls, facts), |tx, (calls, facts)| {
            Box::pin(async move {
                store::calls::insert_many(tx, TENANT, calls).await?;
                store::events::append(tx, TENANT, facts).await
            })
        });
        write.await?;
    }
    app.events().number().await?;
    let last = store::events::log(app.db(), TENANT).await?.last;
    ensure!(u64::try_from(last)? == count, "{last} of {count} events have their numbers");
    Ok(letters.into())
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
    }
}

/// Of somebody unknown there is one event.
fn letter(fact: &Fact) -> Option<Letter> {
    let event = Arc::new(LoggedFact { fact: fact.clone(), last: 1 }).events().next()?;
    Some(Letter { id: event.id.delivery(), payload: event.payload().to_owned() })
}
