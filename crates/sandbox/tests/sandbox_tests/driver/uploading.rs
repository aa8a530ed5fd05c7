//! Uploads that span several pieces.

use channels::transport::{Body, BoxError, full};
use futures_util::stream::{self, StreamExt as _};
use http::Request;
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use sandbox::Reply;
use serde_json::Value;
use store::platform::sandbox::{due, media};

use crate::driver::world::{Street, TOKEN, street};

/// The start of a form whose file has several pieces.
fn form() -> Vec<u8> {
    let part = |head: &str| format!("--b0undary\r\nContent-Disposition: form-data; {head}\r\n").into_bytes();
    let fields = [part("name=\"messaging_product\""), b"\r\nwhatsapp\r\n".to_vec()];
    let file = [part("name=\"file\"; filename=\"a.png\""), b"Content-Type: image/png\r\n\r\n".to_vec()];
    [fields.concat(), file.concat(), vec![7; 600_000]].concat()
}

fn upload(world: &Street, body: Body) -> Request<Body> {
    Request::post(format!("http://sandbox/v23.0/{}/media", world.channel.phone_number_id))
        .header("authorization", format!("Bearer {TOKEN}"))
        .header("content-type", "multipart/form-data; boundary=b0undary")
        .body(body)
        .unwrap()
}

/// A body that sends these bytes and then neither more bytes nor an end.
fn broken_off(bytes: Vec<u8>) -> Body {
    let first = stream::once(async move { Ok::<_, BoxError>(Frame::data(bytes.into())) });
    StreamBody::new(first.chain(stream::pending())).boxed_unsync()
}

testkit::both_databases! {
    async fn pieces_of_an_interrupted_upload_are_deleted_after_a_day(world = street) {
        let (sandbox, request) = (world.sandbox.clone(), upload(&world, broken_off(form())));
        let caller = tokio::spawn(async move { sandbox.graph(request).await });
        let rows = async || due::list(&world.test.db, world.tenant(), world.channel.id, 10).await.unwrap();
        while rows().await.is_empty() {
            tokio::task::yield_now().await;
        }
        caller.abort();
        let rows = rows().await;
        let doc: Value = serde_json::from_str(&rows[0].doc).unwrap();
        let id = doc["value"]["media"].as_str().unwrap();
        let is_there = async || media::piece(&world.test.db, world.tenant(), id, 0).await.unwrap().is_some();
        assert!(is_there().await);
        for (seconds, there) in [(86_399, true), (1, false)] {
            world.advance(seconds);
            assert!(world.posts().await.is_empty());
            assert_eq!(is_there().await, there);
        }
        assert_eq!(world.sandbox.post_due().await.unwrap(), None);
    }

    async fn finished_uploads_stay(world = street) {
        let whole = [form(), b"\r\n--b0undary--\r\n".to_vec()].concat();
        let Reply::Answer(answer) = world.sandbox.graph(upload(&world, full(whole))).await else { panic!("reset") };
        let answer = channels::transport::collect(answer.into_body(), 1000).await.unwrap();
        let id = serde_json::from_slice::<Value>(&answer).unwrap()["id"].as_str().unwrap().to_owned();
        assert_eq!(world.sandbox.post_due().await.unwrap(), None, "nothing is planned for it");
        world.advance(200_000);
        world.posts().await;
        for (place, size) in [(0, 262_144), (1, 262_144), (2, 600_000 - 2 * 262_144)] {
            let piece = media::piece(&world.test.db, world.tenant(), &id, place).await.unwrap();
            assert_eq!(piece.map(|piece| piece.len()), Some(size), "{place}");
        }
        assert_eq!(world.look_up(&id).await.1["file_size"], 600_000);
    }
}
