//! Repeated requests, and requests that only look the same.

use std::time::Duration;

use axum::body::{Body, Bytes};
use futures_util::{future, stream};
use serde_json::json;
use testkit::World;
use testkit::world::{Answer, request};

use crate::idempotency::world::{
    CONTACTS, CSV, IMPORT, assert_first, assert_refused, assert_replay, contact, effects, import, keyed, post,
};

fn form(boundary: &str) -> String {
    format!(
        "--{boundary}\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\n{CSV}\r\n\
         --{boundary}\r\nContent-Disposition: form-data; name=\"more\"\r\n\r\nafter the file\r\n--{boundary}--\r\n"
    )
}

/// Imports a form that arrives in pieces, under a key.
async fn upload(app: &World, token: &str, key: &str, boundary: &str) -> Answer {
    let pieces: Vec<_> = form(boundary)
        .into_bytes()
        .chunks(7)
        .map(|piece| Ok::<_, std::io::Error>(Bytes::copy_from_slice(piece)))
        .collect();
    let mime = format!("multipart/form-data; boundary={boundary}");
    app.send(keyed(IMPORT, token, key, &mime, Body::from_stream(stream::iter(pieces)))).await
}

testkit::both_databases! {
    async fn the_same_request_again_has_the_first_answer_and_no_second_effect(app = World::with_api_token) {
        let first = import(&app, &app.token, "import-1", CSV).await;
        assert_first(&first);
        assert_replay(&import(&app, &app.token, "import-1", CSV).await, &first);
        assert_eq!(effects(&app, &app.token).await, 1);
        let next = import(&app, &app.token, "import-2", CSV).await;
        assert_first(&next);
        assert_ne!(next.json()["id"], first.json()["id"]);
        assert_eq!(effects(&app, &app.token).await, 2);
    }

    async fn a_replay_shows_what_was_and_not_what_is(app = World::with_api_token) {
        let first = post(&app, CONTACTS, &app.token, "k", &contact("Ada")).await;
        assert_first(&first);
        app.by(&app.token).post(CONTACTS, &contact("Grace")).await;
        let again = post(&app, CONTACTS, &app.token, "k", &contact("Ada")).await;
        assert_replay(&again, &first);
        assert_ne!(again.headers["x-request-id"], first.headers["x-request-id"], "a request of its own");
        assert_eq!(app.by(&app.token).get(&format!("{CONTACTS}/14155552671")).await.json()["name"], "Grace");
    }

    async fn another_request_under_the_same_key_is_refused(app = World::with_api_token) {
        let first = import(&app, &app.token, "k", CSV).await;
        let other_body = import(&app, &app.token, "k", format!("{CSV}14155552672,Grace\n")).await;
        assert_refused(&other_body, 409, "idempotency_key_reused");
        assert_eq!((&other_body.json()["code"], &other_body.json()["parameter"]), (&json!(40902), &json!("Idempotency-Key")));
        let other_query = app.send(keyed(&format!("{IMPORT}?dry_run=true"), &app.token, "k", "text/csv", CSV)).await;
        assert_refused(&other_query, 409, "idempotency_key_reused");
        let other_type = app.send(keyed(IMPORT, &app.token, "k", "application/x-ndjson", CSV)).await;
        assert_refused(&other_type, 409, "idempotency_key_reused");
        let spelled = app.send(keyed(IMPORT, &app.token, "k", "Text/CSV; charset=utf-8", CSV)).await;
        assert_replay(&spelled, &first);
        let other_case = app.send(keyed(&IMPORT.replace("import", "IMPORT"), &app.token, "k", "text/csv", CSV)).await;
        assert_replay(&other_case, &first);
        assert_eq!(effects(&app, &app.token).await, 1);
    }

    async fn a_path_belongs_to_the_request(app = World::with_api_token) {
        let path = |number: &str| format!("/{}/api/v1/addContact/{number}", app.tenant());
        assert_first(&post(&app, &path("14155552671"), &app.token, "k", &json!({"name": "Ada"})).await);
        let other = post(&app, &path("14155552672"), &app.token, "k", &json!({"name": "Ada"})).await;
        assert_refused(&other, 409, "idempotency_key_reused");
    }

    async fn a_form_that_arrives_in_pieces_is_the_same_form(app = World::with_api_token) {
        let first = upload(&app, &app.token, "k", "boundary-1").await;
        assert_first(&first);
        assert_replay(&upload(&app, &app.token, "k", "boundary-1").await, &first);
        let whole = app.send(keyed(IMPORT, &app.token, "k", "multipart/form-data; boundary=boundary-1", form("boundary-1"))).await;
        assert_replay(&whole, &first);
        let other_boundary = upload(&app, &app.token, "k", "boundary-2").await;
        assert_refused(&other_boundary, 409, "idempotency_key_reused");
        assert_eq!(effects(&app, &app.token).await, 1);
    }

    async fn a_refusal_is_kept_too(app = World::with_api_token) {
        let wrong = json!({"whatsapp_number": "letters", "name": "Ada"});
        let refused = post(&app, CONTACTS, &app.token, "k", &wrong).await;
        assert_refused(&refused, 400, "invalid_parameter");
        assert_replay(&post(&app, CONTACTS, &app.token, "k", &wrong).await, &refused);
        assert_refused(&post(&app, CONTACTS, &app.token, "k", &contact("Ada")).await, 409, "idempotency_key_reused");
        // V1 answers a refusal with 200; it is stored too.
        let path = format!("/{}/api/v1/addContact/1", app.tenant());
        let failure = post(&app, &path, &app.token, "k", &json!({"name": "Ada"})).await;
        assert_eq!((failure.status.as_u16(), &failure.json()["result"]), (200, &json!(false)), "{}", failure.text);
        assert_replay(&post(&app, &path, &app.token, "k", &json!({"name": "Ada"})).await, &failure);
    }

    async fn twenty_at_the_same_time_have_one_effect(app = World::with_api_token) {
        let answers = future::join_all((0..20).map(|_| import(&app, &app.token, "k", CSV))).await;
        let first: Vec<_> = answers.iter().filter(|answer| answer.status == 200 && !answer.headers.contains_key("idempotent-replayed")).collect();
        assert_eq!(first.len(), 1);
        for answer in &answers {
            if answer.status == 200 {
                assert_eq!(answer.text, first[0].text);
            } else {
                assert_refused(answer, 409, "idempotency_in_progress");
                assert_eq!((&answer.json()["code"], answer.headers["retry-after"].as_bytes()), (&json!(40903), &b"1"[..]));
            }
        }
        assert_eq!(effects(&app, &app.token).await, 1);
        assert_replay(&import(&app, &app.token, "k", CSV).await, first[0]);
    }

    async fn a_key_is_free_again_after_a_day(app = World::with_api_token) {
        let first = import(&app, &app.token, "k", CSV).await;
        app.test.clock.advance(Duration::from_hours(24) - Duration::from_secs(1));
        assert_replay(&import(&app, &app.token, "k", CSV).await, &first);
        app.advance(1);
        assert_first(&import(&app, &app.token, "k", format!("{CSV}14155552672,Grace\n")).await);
        assert_eq!(effects(&app, &app.token).await, 2);
    }

    async fn a_replay_counts_as_a_call(app = World::new) {
        let tenant = app.test.new_tenant("growth").await;
        let token = app.token(tenant, &["api"]).await;
        let into = u64::try_from(app.now().micros().rem_euclid(10_000_000)).unwrap();
        app.test.clock.advance(Duration::from_micros(10_000_000 - into));
        let first = post(&app, CONTACTS, &token, "k", &contact("Ada")).await;
        assert_first(&first);
        for _ in 1..10 {
            let again = post(&app, CONTACTS, &token, "k", &contact("Ada")).await;
            assert_replay(&again, &first);
            assert!(again.headers.contains_key("ratelimit"));
        }
        assert_refused(&post(&app, CONTACTS, &token, "k", &contact("Ada")).await, 429, "rate_limited");
    }

    async fn a_put_takes_a_key_and_a_get_does_not_care(app = World::with_api_token) {
        app.by(&app.token).post(CONTACTS, &contact("Ada")).await;
        let put = async || {
            let body = json!({"contacts": [{"target": "14155552671", "customParams": [{"name": "city", "value": "Bern"}]}]});
            let request = request("PUT", CONTACTS, Some(&app.token)).header("idempotency-key", "k").header("content-type", "application/json");
            app.send(request.body(Body::from(body.to_string())).unwrap()).await
        };
        let first = put().await;
        assert_first(&first);
        assert_replay(&put().await, &first);
        let get = request("GET", CONTACTS, Some(&app.token)).header("idempotency-key", "no key at all").body(Body::empty()).unwrap();
        assert_first(&app.send(get).await);
    }
}
