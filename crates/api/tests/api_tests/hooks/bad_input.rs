//! Unsigned posts are counted and otherwise leave no trace, and no post makes the server fail.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use futures_util::stream;
use store::{Engine, Statement};
use testkit::World;
use testkit::database::TestDb;
use testkit::world::{Answer, request};

use crate::hooks::{SandboxNumber, TEXT};

const MAX_BODY: usize = 4 << 20;

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, reason: &str) {
    assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (status, reason), "{}", answer.text);
}

/// The sample body as equal JSON, with members in another order and without the line ends.
fn re_encoded() -> String {
    serde_json::from_str::<serde_json::Value>(TEXT).unwrap().to_string()
}

testkit::both_databases! {
    async fn what_the_network_did_not_sign_is_refused(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let body = TEXT.as_bytes();
        let unsigned = request("POST", &line.path(), None).body(Body::from(TEXT)).unwrap();
        assert_refused(&app.send(unsigned).await, 403, "signature_missing");
        let good = line.sign(body);
        let hex = good.strip_prefix("sha256=").unwrap();
        for signature in [
            "",
            "sha256=",
            hex,
            &format!("sha1={hex}"),
            &format!("SHA256={hex}"),
            &format!("sha256={}", hex.to_uppercase()),
            &good[..good.len() - 1],
            &format!("{good}0"),
            &format!("sha256={}", "0".repeat(64)),
        ] {
            assert_refused(&line.post_signed(&app, body, signature).await, 403, "signature_invalid");
        }
        for changed in [&body[..body.len() - 1], re_encoded().as_bytes(), &[body, b"\n"].concat(), b""] {
            assert_refused(&line.post_signed(&app, changed, &good).await, 403, "signature_invalid");
        }
        assert!(line.journalled(&app).await.is_empty());
    }

    async fn odd_headers_are_no_signature(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let good = line.sign(TEXT.as_bytes());
        let twice = request("POST", &line.path(), None).header("x-hub-signature-256", &good);
        let twice = twice.header("x-hub-signature-256", &good).body(Body::from(TEXT)).unwrap();
        assert_refused(&app.send(twice).await, 403, "signature_invalid");
        let no_text = request("POST", &line.path(), None).header("x-hub-signature-256", &b"sha256=\xff\xfe"[..]);
        assert_refused(&app.send(no_text.body(Body::from(TEXT)).unwrap()).await, 403, "signature_invalid");
        assert!(line.journalled(&app).await.is_empty());
    }

    async fn the_signature_of_another_channel_does_not_fit(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let (channel, secrets) = app.add_channel(app.tenant(), "Sales", "14155550101").await;
        let neighbour = SandboxNumber { tenant: app.tenant(), channel, secrets };
        let foreign = SandboxNumber::new(&app, app.test.new_tenant("unlimited").await, "Foreign").await;
        for other in [&neighbour, &foreign] {
            let signature = other.sign(TEXT.as_bytes());
            assert_refused(&line.post_signed(&app, TEXT.as_bytes(), &signature).await, 403, "signature_invalid");
            assert!(other.journalled(&app).await.is_empty());
        }
        assert!(line.journalled(&app).await.is_empty());
    }

    async fn a_channel_that_is_not_there_is_not_found(app = World::new) {
        for id in ["507f1f77bcf86cd799439011", "nothing", "%00", "%F0%9F%92%A9"] {
            let signed = request("POST", &format!("/hooks/whatsapp/{id}"), None).header("x-hub-signature-256", "sha256=00");
            assert_refused(&app.send(signed.body(Body::from(TEXT)).unwrap()).await, 404, "not_found");
        }
        let unsigned = request("POST", "/hooks/whatsapp/507f1f77bcf86cd799439011", None).body(Body::empty()).unwrap();
        assert_refused(&app.send(unsigned).await, 404, "not_found");
    }

    async fn a_body_beyond_the_limit_is_refused_without_being_held(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let body = vec![b'x'; MAX_BODY + 1];
        assert_refused(&line.post(&app, &body).await, 413, "body_too_large");
        // The announced length is too large: the server must not read a byte, or this test would hang.
        let announced = request("POST", &line.path(), None).header("x-hub-signature-256", line.sign(&body));
        let announced = announced.header("content-length", MAX_BODY + 1);
        let never = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
        assert_refused(&app.send(announced.body(never).unwrap()).await, 413, "body_too_large");
        // An endless body is read up to the limit.
        let taken = Arc::new(AtomicUsize::new(0));
        let counted = taken.clone();
        let endless = stream::repeat_with(move || {
            counted.fetch_add(1 << 20, Ordering::Relaxed);
            Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; 1 << 20]))
        });
        let builder = request("POST", &line.path(), None).header("x-hub-signature-256", line.sign(&body));
        assert_refused(&app.send(builder.body(Body::from_stream(endless)).unwrap()).await, 413, "body_too_large");
        assert_eq!(taken.load(Ordering::Relaxed), MAX_BODY + (1 << 20));
        assert!(line.journalled(&app).await.is_empty());
    }

    async fn a_large_body_needs_its_signature_too(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let body = vec![b'x'; 1 << 20];
        let forged = format!("sha256={}", "0".repeat(64));
        assert_refused(&line.post_signed(&app, &body, &forged).await, 403, "signature_invalid");
        assert!(line.journalled(&app).await.is_empty());
        assert_eq!(line.post(&app, &body).await.status, 200);
        assert_eq!(line.journalled(&app).await, [body]);
    }

    async fn what_cannot_be_a_signature_is_refused_before_a_byte_is_read(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        for signature in ["", "x", "sha256=00", "sha1=5bdcc146bf60754e6a042426089575c75a003f08"] {
            let never = Body::from_stream(stream::pending::<Result<Bytes, std::io::Error>>());
            let builder = request("POST", &line.path(), None).header("x-hub-signature-256", signature);
            assert_refused(&app.send(builder.body(never).unwrap()).await, 403, "signature_invalid");
        }
    }

    async fn a_body_that_breaks_off_is_not_taken(app = World::new) {
        let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
        let pieces = [Ok(Bytes::from(TEXT)), Err(std::io::Error::other("gone"))];
        let builder = request("POST", &line.path(), None).header("x-hub-signature-256", line.sign(TEXT.as_bytes()));
        let answer = app.send(builder.body(Body::from_stream(stream::iter(pieces))).unwrap()).await;
        assert_refused(&answer, 400, "invalid_body");
        assert!(line.journalled(&app).await.is_empty());
    }
}

static WITHOUT_JOURNAL: Statement = Statement::new("test.without_journal", "DROP TABLE inbound_journal");

/// After any failure of the server, the network must post again.
async fn a_journal_that_cannot_be_written_makes_the_network_try_again(engine: Engine) {
    let app = World::on(TestDb::alone(engine).await);
    let line = SandboxNumber::new(&app, app.tenant(), "Support").await;
    let dropped = app.app.db().write((), |tx, ()| Box::pin(tx.execute(&WITHOUT_JOURNAL, store::params![])));
    dropped.await.unwrap();
    let answer = line.post(&app, TEXT.as_bytes()).await;
    assert_refused(&answer, StatusCode::SERVICE_UNAVAILABLE.as_u16(), "unavailable");
    assert!(answer.headers.contains_key("retry-after"));
}

#[tokio::test]
async fn a_journal_that_cannot_be_written_on_sqlite() {
    a_journal_that_cannot_be_written_makes_the_network_try_again(Engine::Sqlite).await;
}

#[tokio::test]
async fn a_journal_that_cannot_be_written_on_postgres() {
    a_journal_that_cannot_be_written_makes_the_network_try_again(Engine::Postgres).await;
}
