//! Exactly one effect despite a crash: the outcome that an operation saves under its idempotency key, and which holder
//! may save one.

use std::time::Duration;

use app::base::idempotency::{IdempotencyScope, KeyLock, KeyStatus, save_outcome, saved_outcome};
use app::{App, Error};
use domain::TenantId;
use domain::identity::tenants::Tenant;
use store::base::idempotency::Holder;
use store::{Engine, Tx};
use testkit::World;
use testkit::database::random_tenant;

const LONGEST_RUN: Duration = Duration::from_secs(30);

fn scope(tenant: TenantId, body: u8) -> IdempotencyScope {
    let scope = IdempotencyScope::new(tenant, "token:1".to_owned(), "send", "order-42".to_owned());
    scope.arrived([body; 32]);
    scope
}

async fn begin(app: &App, scope: &IdempotencyScope) -> KeyStatus {
    app.idempotency().begin(scope, LONGEST_RUN).await.unwrap()
}

async fn lock_key(app: &App, scope: &IdempotencyScope) -> KeyLock {
    match begin(app, scope).await {
        KeyStatus::Locked(lock) => lock,
        other => panic!("{other:?}"),
    }
}

/// An operation whose effect is a new tenant, and whose outcome is the tenant's number.
async fn make(tx: &mut Tx<'_>, scope: &IdempotencyScope, tenant: &Tenant) -> Result<String, Error> {
    if let Some(outcome) = saved_outcome(tx, scope).await? {
        return Ok(outcome);
    }
    store::identity::tenants::insert(tx, tenant).await?;
    let outcome = tenant.id.to_string();
    save_outcome(tx, scope, &outcome).await?;
    Ok(outcome)
}

async fn operate(app: &App, scope: &IdempotencyScope) -> Result<String, Error> {
    let tenant = Tenant {
        id: random_tenant(),
        name: "Effect".to_owned(),
        plan: "growth".to_owned(),
        created_at: app.now(),
        suspended_at: None,
    };
    let made = tenant.id;
    let done = app.db().write((scope.clone(), tenant), |tx, (scope, tenant)| Box::pin(make(tx, scope, tenant))).await;
    let there = store::identity::tenants::find(app.db(), made).await.unwrap().is_some();
    assert_eq!(there, done.as_ref().is_ok_and(|outcome| *outcome == made.to_string()), "effect and outcome are one");
    done
}

testkit::both_databases! {
    async fn an_operation_that_was_cut_off_after_its_effect_answers_from_it(app = World::new) {
        let first = scope(app.tenant(), 1);
        let lock = lock_key(&app.app, &first).await;
        let made = operate(&app.app, &first).await.unwrap();
        assert!(matches!(begin(&app.app, &first).await, KeyStatus::InUse));
        lock.release().await.unwrap();

        let again = scope(app.tenant(), 1);
        let lock = lock_key(&app.app, &again).await;
        assert_eq!(operate(&app.app, &again).await.unwrap(), made);
        lock.save_answer(200, None, made.clone().into_bytes()).await.unwrap();
        let KeyStatus::Answered(answer) = begin(&app.app, &again).await else { panic!("it was answered") };
        assert_eq!((answer.status, answer.body, answer.fingerprint), (200, made.into_bytes(), Some([1; 32])));
    }

    async fn another_request_under_a_key_with_an_effect_is_refused(app = World::new) {
        let first = scope(app.tenant(), 1);
        let lock = lock_key(&app.app, &first).await;
        let made = operate(&app.app, &first).await.unwrap();
        lock.release().await.unwrap();

        let other = scope(app.tenant(), 2);
        let lock = lock_key(&app.app, &other).await;
        assert!(matches!(operate(&app.app, &other).await, Err(Error::KeyReused)));
        lock.save_answer(409, None, Vec::new()).await.unwrap();
        let _lock = lock_key(&app.app, &first).await;
        assert_eq!(operate(&app.app, &first).await.unwrap(), made, "the refusal did not take the key's place");
    }

    async fn nothing_is_done_under_a_key_without_a_holder(app = World::new) {
        let scope = scope(app.tenant(), 1);
        let refused = operate(&app.app, &scope).await;
        assert!(matches!(refused, Err(Error::KeyInUse)), "{refused:?}");
    }

    async fn a_slow_holder_and_its_successor_have_one_effect(app = World::new) {
        let (slow, fast) = (scope(app.tenant(), 1), scope(app.tenant(), 1));
        let _slow = lock_key(&app.app, &slow).await;
        app.test.clock.advance(LONGEST_RUN + Duration::from_secs(30));
        let lock = lock_key(&app.app, &fast).await;
        let (one, other) = tokio::join!(operate(&app.app, &slow), operate(&app.app, &fast));
        assert_eq!(one.unwrap(), other.unwrap());
        lock.save_answer(200, None, Vec::new()).await.unwrap();
    }

    async fn the_keys_of_a_dead_process_are_free(app = World::new) {
        let scope = scope(app.tenant(), 1);
        let dead = Holder { name: "embedded/dead".to_owned(), since: app.app.now() };
        let key = store::base::idempotency::IdempotencyKey {
            tenant: app.tenant(), credential: "token:1".to_owned(), operation: "send".to_owned(), key: "order-42".to_owned(),
        };
        let left = app.test.db.write((key, dead), |tx, (key, dead)| {
            Box::pin(store::base::idempotency::acquire(tx, key, dead, dead.since.plus_seconds(-60), dead.since.plus_seconds(86_400)))
        });
        assert!(left.await.unwrap());
        if app.test.db.engine() == Engine::Postgres {
            assert!(matches!(begin(&app.app, &scope).await, KeyStatus::InUse), "another node may be at it");
            app.test.clock.advance(LONGEST_RUN + Duration::from_secs(30));
        }
        lock_key(&app.app, &scope).await.release().await.unwrap();
    }

    async fn keys_are_deleted_after_a_day(app = World::alone) {
        let scope = scope(app.tenant(), 1);
        lock_key(&app.app, &scope).await.save_answer(200, None, Vec::new()).await.unwrap();
        app.test.clock.advance(Duration::from_hours(24) - Duration::from_secs(1));
        app.app.sweep_idempotency().await.unwrap();
        assert!(matches!(begin(&app.app, &scope).await, KeyStatus::Answered(_)));
        app.test.clock.advance(Duration::from_secs(1));
        app.app.sweep_idempotency().await.unwrap();
        let lock = lock_key(&app.app, &scope).await;
        lock.release().await.unwrap();
    }
}

#[tokio::test]
async fn every_start_has_a_name_of_its_own() {
    let (one, other) = (World::new(Engine::Sqlite).await, World::new(Engine::Sqlite).await);
    assert_eq!(one.app.node_name(), other.app.node_name());
    assert_ne!(one.app.process_name(), other.app.process_name());
    assert!(one.app.process_name().starts_with("embedded/"), "{}", one.app.process_name());
}
