//! Uploads of sample files: the two requests, an upload that goes on after an interruption, and addresses of sessions
//! that must not be followed. Also the network's answer about the access token.

use channels::graph::{Class, Sample};
use channels::transport::full;

use super::server::{Reply, Server, TOKEN};

const SAMPLE: Sample<'static> = Sample { name: "a b.png", mime: "image/png", length: 5 };

#[tokio::test]
async fn a_sample_is_two_requests() {
    let server = Server::start(|asked| match asked.uri.path() {
        "/v23.0/17/uploads" => Reply::json(200, r#"{"id":"upload:MTphdA==?sig=ARZ_x"}"#),
        _ => Reply::json(200, r#"{"h":"4:handle"}"#),
    })
    .await;
    let handle = server.graph().upload_sample("17", SAMPLE, &|_| full("bytes")).await.unwrap();
    assert_eq!(handle, "4:handle");
    let asked = server.asked();
    assert_eq!(asked[0].uri, "/v23.0/17/uploads?file_name=a%20b.png&file_length=5&file_type=image%2Fpng");
    assert_eq!(asked[0].headers["authorization"], format!("Bearer {TOKEN}"));
    assert_eq!(asked[1].uri, "/v23.0/upload:MTphdA==?sig=ARZ_x");
    assert_eq!(asked[1].headers["authorization"], format!("OAuth {TOKEN}"));
    assert_eq!((asked[1].headers["file_offset"].as_bytes(), &asked[1].body[..]), (&b"0"[..], &b"bytes"[..]));
    assert_eq!(asked[1].headers["content-length"], "5");
}

#[tokio::test]
async fn an_upload_goes_on_where_the_network_says() {
    let server = Server::start(|asked| match (asked.method.as_str(), asked.headers.get("file_offset")) {
        ("GET", _) if asked.uri.path() == "/v23.0/app" => Reply::json(200, r#"{"id":"17"}"#),
        ("GET", _) => Reply::json(200, r#"{"id":"upload:x","file_offset":"3"}"#),
        (_, None) => Reply::json(200, r#"{"id":"upload:x"}"#),
        (_, Some(offset)) if offset == "0" => Reply::Close,
        _ => Reply::json(200, r#"{"h":"4:handle"}"#),
    })
    .await;
    let graph = server.graph();
    assert_eq!(graph.app_id().await.unwrap(), "17");
    let from = |offset: u64| full(&b"bytes"[usize::try_from(offset).unwrap()..]);
    assert_eq!(graph.upload_sample("17", SAMPLE, &from).await.unwrap(), "4:handle");
    let last = server.asked().pop().unwrap();
    assert_eq!((last.headers["file_offset"].as_bytes(), &last.body[..]), (&b"3"[..], &b"es"[..]));
}

#[tokio::test]
async fn a_session_that_leads_elsewhere_is_not_followed() {
    for session in ["http://evil.example/", "upload:../../x", "upload:x#y", "upload:x y", "x", "upload:a/../b"] {
        let body: &'static str = Box::leak(format!(r#"{{"id":"{session}"}}"#).into_boxed_str());
        let server = Server::saying(200, body).await;
        let error = server.graph().upload_sample("17", SAMPLE, &|_| full("bytes")).await.unwrap_err();
        assert_eq!((error.class, server.asked().len()), (Class::Refuse, 1), "{session}: {error}");
    }
}

#[tokio::test]
async fn a_token_says_when_it_expires() {
    for (data, is_valid, expires) in [
        (r#"{"data":{"is_valid":true,"expires_at":0}}"#, true, None),
        (r#"{"data":{"is_valid":true,"expires_at":1776000000}}"#, true, Some(1_776_000_000)),
        (r#"{"data":{"is_valid":false,"expires_at":"1776000000"}}"#, false, Some(1_776_000_000)),
        (r#"{"data":{}}"#, true, None),
    ] {
        let server = Server::saying(200, data).await;
        let info = server.graph().token_info().await.unwrap();
        assert_eq!((info.is_valid, info.expires_at.map(domain::Timestamp::seconds)), (is_valid, expires), "{data}");
        assert_eq!(server.asked()[0].uri.to_string(), format!("/v23.0/debug_token?input_token={TOKEN}"));
    }
}
