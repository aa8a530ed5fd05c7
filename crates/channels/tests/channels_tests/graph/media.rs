//! Streamed upload and download of media.

use std::sync::Arc;

use bytes::Bytes;
use channels::graph::{Class, Download, MediaInfo};
use channels::guard::{Guard, GuardedTransport};
use channels::transport::{self, Body, BoxError, Timeouts, Transport, TransportError};
use domain::identity::networks::Networks;
use futures_util::future::BoxFuture;
use futures_util::stream;
use http::{Request, Response};
use http_body::Frame;
use http_body_util::{BodyExt as _, Full, StreamBody};

use crate::graph::server::{Reply, Server, TOKEN, over};

/// A chunked body without a known length.
fn pieces(pieces: &'static [&'static str]) -> Body {
    let frames = pieces.iter().map(|piece| Ok::<_, BoxError>(Frame::data(Bytes::from_static(piece.as_bytes()))));
    StreamBody::new(stream::iter(frames)).boxed_unsync()
}

fn info(url: String) -> MediaInfo {
    MediaInfo { id: "17".to_owned(), url, mime_type: None, sha256: None, file_size: None }
}

async fn bytes(download: Download) -> Result<Bytes, transport::CollectError> {
    transport::collect(download.body, 1 << 20).await
}

#[tokio::test]
async fn up() {
    let server = Server::saying(200, r#"{"id":"1037543291543636"}"#).await;
    let id = server.graph().upload("image/png", "cat \"1\".png", 9, pieces(&["one", "two", "six"])).await.unwrap();
    assert_eq!(id, "1037543291543636");
    let asked = &server.asked()[0];
    assert_eq!(asked.uri.path(), "/v23.0/106540352242922/media");
    assert_eq!(asked.headers["content-length"], asked.body.len().to_string());
    assert_eq!(asked.headers.get("transfer-encoding"), None);
    let kind = asked.headers["content-type"].to_str().unwrap();
    let boundary = kind.strip_prefix("multipart/form-data; boundary=").unwrap();
    let body = std::str::from_utf8(&asked.body).unwrap();
    let parts: Vec<&str> = body.split(&format!("--{boundary}")).collect();
    assert_eq!(parts[1], "\r\nContent-Disposition: form-data; name=\"messaging_product\"\r\n\r\nwhatsapp\r\n");
    assert_eq!(parts[2], "\r\nContent-Disposition: form-data; name=\"type\"\r\n\r\nimage/png\r\n");
    assert!(
        parts[3].contains("filename=\"cat %221%22.png\"\r\nContent-Type: image/png\r\n\r\nonetwosix\r\n"),
        "{body}"
    );
    assert_eq!((parts.len(), parts[4]), (5, "--\r\n"));
}

#[tokio::test]
async fn up_with_a_wrong_length_is_no_success() {
    for length in [2, 4] {
        let server = Server::saying(200, r#"{"id":"1"}"#).await;
        assert!(server.graph().upload("image/png", "a", length, pieces(&["one"])).await.is_err(), "{length}");
        assert!(server.asked().is_empty(), "{length}");
    }
}

#[tokio::test]
async fn an_invalid_media_type_is_refused() {
    let server = Server::saying(200, r#"{"id":"1"}"#).await;
    let error = server.graph().upload("image/png\r\nX: y", "a", 3, pieces(&["one"])).await.unwrap_err();
    assert_eq!((error.class, server.connections()), (Class::Refuse, 0));
}

#[tokio::test]
async fn media_look_up() {
    for size in ["303833", "\"303833\""] {
        let body = format!(
            r#"{{"messaging_product":"whatsapp","url":"https://lookaside.example/x","mime_type":"image/png",
            "sha256":"ab","file_size":{size},"id":"17"}}"#
        );
        let server = Server::start(move |_| Reply::json(200, &body)).await;
        let info = server.graph().media("17").await.unwrap();
        assert_eq!((info.url.as_str(), info.file_size), ("https://lookaside.example/x", Some(303_833)));
        assert_eq!(server.asked()[0].uri, "/v23.0/17");
    }
}

#[tokio::test]
async fn an_id_cannot_lead_elsewhere() {
    let server = Server::saying(200, r#"{"success":true}"#).await;
    server.graph().delete_media("../me?x=/y").await.unwrap();
    assert_eq!(server.asked()[0].uri.path(), "/v23.0/..%2Fme%3Fx%3D%2Fy");
    for id in ["", ".", ".."] {
        assert_eq!(server.graph().delete_media(id).await.unwrap_err().class, Class::Refuse, "{id}");
    }
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn down_from_the_networks_own_host() {
    let server = Server::start(|_| {
        let body = Full::new(Bytes::from("picture"));
        Reply::Answer(Response::builder().header("content-type", "image/png").body(body).unwrap())
    })
    .await;
    let info = info(format!("http://{}/media/17?hash=1", server.address));
    let download = server.graph().download(&info, 7).await.unwrap();
    assert_eq!((download.mime.as_deref(), download.length), (Some("image/png"), Some(7)));
    assert_eq!(bytes(download).await.unwrap(), "picture");
    assert_eq!(server.asked()[0].headers["authorization"], format!("Bearer {TOKEN}"));
    let error = server.graph().download(&info, 6).await.unwrap_err();
    assert_eq!((error.class, error.reason), (Class::Refuse, "the media is larger than allowed"));
}

#[tokio::test]
async fn an_expired_media_url() {
    let server = Server::saying(404, "").await;
    let error = server.graph().download(&info(format!("http://{}/x", server.address)), 7).await.unwrap_err();
    assert_eq!((error.class, error.status), (Class::Refuse, Some(404)));
}

#[tokio::test]
async fn the_token_is_sent_to_permitted_hosts_only() {
    let (server, other) = (Server::saying(200, "").await, Server::saying(200, "stolen").await);
    let allowed = Networks::parse(["127.0.0.0/8"]).unwrap();
    let guarded = |allowed| Arc::new(GuardedTransport::new(Guard { allowed }, Timeouts::default()).unwrap());
    let urls = [
        format!("http://{}/x", other.address),
        format!("https://{}/x", other.address),
        format!("http://user@{}/x", server.address),
        "https://169.254.169.254/latest".to_owned(),
        "file:///etc/passwd".to_owned(),
        "not a url".to_owned(),
    ];
    for url in urls {
        let error = server.graph().download(&info(url.clone()), 9).await.unwrap_err();
        assert_eq!(error.class, Class::Refuse, "{url}");
        let graph = server.graph().with_guarded(guarded(Networks::default()));
        assert_eq!(graph.download(&info(url.clone()), 9).await.unwrap_err().class, Class::Refuse, "{url}");
    }
    // The guard permits the address, but the token is not sent over plain http to another host.
    let graph = server.graph().with_guarded(guarded(allowed));
    let error = graph.download(&info(format!("http://{}/x", other.address)), 9).await.unwrap_err();
    assert_eq!(error.class, Class::Refuse);
    assert_eq!((other.connections(), server.connections()), (0, 0));
}

/// A network in the same process, whose answers have no length header.
#[derive(Debug)]
struct InProcess;

impl Transport for InProcess {
    fn call(&self, request: Request<Body>) -> BoxFuture<'_, Result<Response<Body>, TransportError>> {
        Box::pin(async move {
            let length = transport::collect(request.into_body(), 1 << 20)
                .await
                .map_err(|error| TransportError::AnswerLost(Box::new(error)))?;
            let body = if length.is_empty() { pieces(&["pic", "ture"]) } else { transport::full(r#"{"id":"1"}"#) };
            Ok(Response::new(body))
        })
    }
}

/// The futures must be `Send`, because callers spawn them.
#[test]
fn futures_move_between_threads() {
    fn moves<T: Send>(_: T) {}
    let graph = over(Arc::new(InProcess), "http://sandbox/v23.0");
    let info = info(String::new());
    moves(graph.upload("a", "b", 0, transport::empty()));
    moves(graph.download(&info, 0));
    moves(graph.media("1"));
}

#[tokio::test]
async fn streams_in_one_process() {
    let graph = over(Arc::new(InProcess), "http://sandbox/v23.0");
    assert_eq!(graph.upload("image/png", "a", 7, pieces(&["pic", "ture"])).await.unwrap(), "1");
    let error = graph.upload("image/png", "a", 8, pieces(&["pic", "ture"])).await.unwrap_err();
    assert_eq!(error.class, Class::Unknown, "{error}");
    let info = info("http://sandbox/media/1".to_owned());
    let whole = graph.download(&info, 7).await.unwrap();
    assert_eq!(whole.length, None);
    assert_eq!(bytes(whole).await.unwrap(), "picture");
    let cut = bytes(graph.download(&info, 6).await.unwrap()).await;
    assert!(cut.is_err(), "longer than allowed");
}
