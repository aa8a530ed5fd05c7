//! Rows for tests.

use domain::calls::{Call, CallDirection, CallOperator, CallParty, CallStatus};
use domain::identity::accounts::Account;
use domain::identity::roles::Role;
use domain::{Id, TenantId, Timestamp};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use store::{Db, Statement};
use testkit::database::TestDb;

/// A whole second in the past.
pub const START: Timestamp = Timestamp::from_seconds(1_776_000_000);

pub fn random(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

pub fn account(email: &str) -> Account {
    Account {
        id: Id::new(START),
        email: email.to_owned(),
        name: "Ada".to_owned(),
        role: Role::Operator,
        disabled: false,
        removed_at: None,
        password_version: 1,
        credential_version: 1,
        created_at: START,
    }
}

pub async fn stored_account(test: &TestDb, tenant: TenantId, email: &str) -> Account {
    let new = account(email);
    let input = (tenant, new.clone());
    let made =
        test.db.write(input, |tx, (tenant, new)| Box::pin(store::identity::accounts::insert(tx, *tenant, new, "hash")));
    assert!(made.await.unwrap());
    new
}

pub fn operator(account: &Account) -> CallOperator {
    CallOperator { id: account.id, email: account.email.clone(), name: account.name.clone() }
}

/// A call that was answered after five seconds and talked for `duration` seconds.
pub fn call(call_id: &str, started_at: Timestamp, duration: i64) -> Call {
    Call {
        id: Id::new(started_at),
        call_id: call_id.to_owned(),
        direction: CallDirection::Inbound,
        status: CallStatus::Completed,
        from_number: "14155552671".to_owned(),
        to_number: "14155550100".to_owned(),
        started_at,
        answered_at: Some(started_at.plus_seconds(5)),
        ended_at: Some(started_at.plus_seconds(5 + duration)),
        end_reason: None,
        operator: None,
        team_name: None,
        caller: CallParty::default(),
        conversation_id: None,
        channel_id: None,
        channel_phone_number: None,
        talk_seconds: None,
    }
}

/// A random call. There are few start times, so that ids decide the order of many calls; durations have every order of
/// magnitude.
pub fn random_call(rng: &mut StdRng, call_id: &str, operators: &[CallOperator]) -> Call {
    let started_at = START.plus_seconds(rng.random_range(0..60));
    let exponent: u32 = rng.random_range(0..17);
    let duration = rng.random_range(0..=1_i64 << exponent);
    let mut new = call(call_id, started_at, duration);
    new.id = Id::from_bytes(rng.random());
    new.direction = if rng.random() { CallDirection::Inbound } else { CallDirection::Outbound };
    new.operator = operators.get(rng.random_range(0..=operators.len())).cloned();
    if rng.random_bool(0.2) {
        (new.status, new.answered_at) = (CallStatus::Missed, None);
    }
    new
}

pub async fn store_calls(test: &TestDb, tenant: TenantId, calls: &[Call]) -> u64 {
    let input = (tenant, calls.to_vec());
    let stored = test.db.write(input, |tx, (tenant, calls)| Box::pin(store::calls::insert_many(tx, *tenant, calls)));
    stored.await.unwrap()
}

/// Runs an SQL text of a test.
pub async fn run(db: &Db, sql: &str) {
    db.each(&Statement::composed("test", sql.to_owned()), &[], |_| Ok(())).await.unwrap();
}

/// Makes two tests of each function, one for each engine. The function creates its own database.
macro_rules! on_both {
    ($($name:ident)+) => {
        mod sqlite { $(#[tokio::test] async fn $name() { super::$name(store::Engine::Sqlite).await; })+ }
        mod postgres { $(#[tokio::test] async fn $name() { super::$name(store::Engine::Postgres).await; })+ }
    };
}
pub(crate) use on_both;
