//! Requests that break off, clients that disconnect, processes that die.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::{StreamExt as _, stream};
use store::Engine;
use store::base::idempotency::{Holder, IdempotencyKey};
use testkit::World;
use testkit::world::{Answer, edge_settings};
use tokio::sync::mpsc;

use crate::idempotency::world::{
    CONTACTS, CSV, assert_first, assert_refused, assert_replay, contact, effects, import, keyed, post, token,
};

type Pieces = mpsc::Sender<io::Result<Bytes>>;

/// A body that the test sends piece by piece.
fn by_hand() -> (Pieces, Body) {
    let (send, receive) = mpsc::channel(1);
    let pieces = stream::unfold(receive, async |mut receive| receive.recv().await.map(|piece| (piece, receive)));
    (send, Body::from_stream(pieces.boxed()))
}

/// Repeats the import until the first request with this key has ended, and returns the answer.
async fn answer_when_finished(app: &World, token: &str, key: &str) -> Answer {
    for _ in 0..5000 {
        let answer = import(app, token, key, CSV).await;
        if answer.status != 409 && answer.status != 408 {
            return answer;
        }
        assert_ne!(answer.reason(), "idempotency_key_reused");
        tokio::task::yield_now().await;
    }
    panic!("the first request never ended");
}

testkit::both_databases! {
    async fn the_same_key_is_refused_while_a_request_runs(app = World::with_api_token) {
        let (pieces, body) = by_hand();
        let meanwhile = async {
            pieces.send(Ok(Bytes::from_static(b"phone,name\n"))).await.unwrap();
            // The queue of pieces takes the second piece only when the operation has read the first.
            pieces.send(Ok(Bytes::from_static(b"14155552671,Ada\n"))).await.unwrap();
            let early = import(&app, &app.token, "k", CSV).await;
            drop(pieces);
            early
        };
        let (first, early) = tokio::join!(import(&app, &app.token, "k", body), meanwhile);
        assert_first(&first);
        assert_refused(&early, 409, "idempotency_in_progress");
        assert_eq!(early.headers["retry-after"], "1");
        assert_replay(&import(&app, &app.token, "k", CSV).await, &first);
    }

    async fn a_caller_who_went_away_finds_the_answer(test) {
        let app = Arc::new(World::on(test));
        let token = token(&app).await;
        let (pieces, body) = by_hand();
        let leaving = tokio::spawn({
            let (app, token) = (app.clone(), token.clone());
            async move { import(&app, &token, "k", body).await }
        });
        pieces.send(Ok(Bytes::from_static(b"phone,name\n"))).await.unwrap();
        pieces.send(Ok(Bytes::from_static(b"14155552671,Ada\n"))).await.unwrap();
        leaving.abort();
        assert!(leaving.await.is_err());
        drop(pieces);
        let answer = answer_when_finished(&app, &token, "k").await;
        assert_eq!((answer.status.as_u16(), answer.headers["idempotent-replayed"].as_bytes()), (200, &b"true"[..]));
        assert_eq!(effects(&app, &token).await, 1);
    }

    async fn a_body_that_broke_off_may_come_again(app = World::with_api_token) {
        let (pieces, body) = by_hand();
        let cut = async {
            pieces.send(Ok(Bytes::from_static(b"phone,name\n"))).await.unwrap();
            pieces.send(Err(io::Error::other("cut"))).await.unwrap();
        };
        let (refused, ()) = tokio::join!(import(&app, &app.token, "k", body), cut);
        assert_refused(&refused, 400, "invalid_body");
        assert_first(&import(&app, &app.token, "k", CSV).await);
        assert_eq!(effects(&app, &app.token).await, 1);
    }

    async fn a_request_that_took_too_long_may_come_again(test) {
        let mut settings = edge_settings("https://switchboard.example");
        settings.request_timeout = Duration::from_secs(1);
        let app = World::with_edge(test, settings).with_token(&["api"]).await;
        let (_pieces, body) = by_hand();
        assert_refused(&import(&app, &app.token, "k", body).await, 408, "request_timeout");
        assert_first(&answer_when_finished(&app, &app.token, "k").await);
    }

    async fn a_body_too_large_is_refused_each_time(app = World::with_api_token) {
        let large = || {
            let pieces = (0..48).map(|_| Ok::<_, io::Error>(Bytes::from(vec![b' '; 1 << 16])));
            app.send(keyed(CONTACTS, &app.token, "k", "application/json", Body::from_stream(stream::iter(pieces))))
        };
        for _ in 0..2 {
            assert_refused(&large().await, 413, "body_too_large");
        }
        assert_first(&post(&app, CONTACTS, &app.token, "k", &contact("Ada")).await);
        assert_refused(&large().await, 409, "idempotency_key_reused");
    }

    async fn what_a_dead_process_began_runs_again(app = World::new) {
        let (tenant, owner) = (app.tenant(), app.account(app.tenant(), "ada@example.com", domain::identity::roles::Role::Administrator).await);
        let (id, token) = app.token_of(tenant, &owner.to_string(), &["api"]).await;
        let key = IdempotencyKey { tenant, credential: format!("token:{id}"), operation: "import_contacts".to_owned(), key: "k".to_owned() };
        let dead = Holder { name: "embedded/dead".to_owned(), since: app.now() };
        let left = app.test.db.write((key, dead), |tx, (key, dead)| {
            let (lost, until) = (dead.since.plus_seconds(-60), dead.since.plus_seconds(86_400));
            Box::pin(store::base::idempotency::acquire(tx, key, dead, lost, until))
        });
        assert!(left.await.unwrap());
        if app.test.db.engine() == Engine::Postgres {
            assert_refused(&import(&app, &token, "k", CSV).await, 409, "idempotency_in_progress");
            // Longer than any request may take.
            app.test.clock.advance(Duration::from_mins(10));
        }
        let first = import(&app, &token, "k", CSV).await;
        assert_first(&first);
        assert_replay(&import(&app, &token, "k", CSV).await, &first);
        assert_eq!(effects(&app, &token).await, 1);
    }
}
