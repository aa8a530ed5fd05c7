//! The receiver of the tour: takes webhooks as a tenant's program would, and is the shop that the tracked link leads to.

use std::collections::BTreeMap;

use anyhow::Context as _;
use axum::Router;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use serde::Serialize;
use tokio::net::TcpListener;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio_util::task::AbortOnDropHandle;

/// Posts that wait to be looked at. The tour expects one.
const QUEUE: usize = 16;
const HOOK: &str = "/hook";

#[derive(Debug)]
pub struct WebhookReceiver {
    url: String,
    posts: Receiver<ReceivedPost>,
    _serving: AbortOnDropHandle<()>,
}

/// A webhook as it arrived.
#[derive(Debug, Clone, Serialize)]
pub struct ReceivedPost {
    pub url: String,
    pub headers: BTreeMap<String, String>,
    /// The bytes that the signature covers.
    pub body: String,
}

impl ReceivedPost {
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", String::as_str)
    }
}

#[derive(Clone)]
struct Inner {
    url: String,
    posts: Sender<ReceivedPost>,
}

impl WebhookReceiver {
    pub async fn start() -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await.context("the receiver cannot find a free port")?;
        let url = format!("http://{}", listener.local_addr().context("the receiver has no address")?);
        let (sender, posts) = mpsc::channel(QUEUE);
        let router = Router::new().route(HOOK, post(receive)).route("/orders/{id}", get(order));
        let router = router.with_state(Inner { url: url.clone(), posts: sender });
        let serving = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { url, posts, _serving: AbortOnDropHandle::new(serving) })
    }

    pub fn hook_url(&self) -> String {
        format!("{}{HOOK}", self.url)
    }

    /// The address of a page of the shop, below which an order has its own.
    pub fn orders_url(&self) -> String {
        format!("{}/orders", self.url)
    }

    /// Waits for the next webhook.
    pub async fn next(&mut self) -> Option<ReceivedPost> {
        self.posts.recv().await
    }
}

async fn receive(State(inner): State<Inner>, headers: HeaderMap, body: String) -> StatusCode {
    let text = |value: &axum::http::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = headers.iter().map(|(name, value)| (name.to_string(), text(value))).collect();
    let post = ReceivedPost { url: format!("{}{HOOK}", inner.url), headers, body };
    match inner.posts.try_send(post) {
        Ok(()) => StatusCode::NO_CONTENT,
        Err(_) => StatusCode::SERVICE_UNAVAILABLE,
    }
}

async fn order(Path(id): Path<String>) -> String {
    format!("Order {id} is on its way.\n")
}
