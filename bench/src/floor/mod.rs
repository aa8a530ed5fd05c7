//! The floor: the same HTTP stack answering a prepared body, without credential and database. The difference to the
//! real server is the cost of the server's own work.

pub mod database;

use std::net::SocketAddr;

use anyhow::{Context as _, Result, ensure};
use axum::{
    Router,
    body::{Body, Bytes},
    extract::DefaultBodyLimit,
    http::{Request, header::CONTENT_TYPE},
    routing::{get, post},
};
use hyper::body::Incoming;
use tokio::net::TcpListener;
use tower::ServiceExt as _;

use crate::{
    child::{self, Child, Measured},
    load::{Case, Plan, get_request},
    report::Row,
};

const JSON_OPENING: &str = "{\"floor\":\"";
const JSON_CLOSING: &str = "\"}";

/// Bytes of the answers; a page of twenty calls has about as many as the second.
const SIZES: [usize; 3] = [1024, 14 * 1024, 64 * 1024];

#[derive(Debug)]
pub struct Floor {
    listener: TcpListener,
    pub address: SocketAddr,
    body: Bytes,
}

pub async fn listen(bytes: usize) -> Result<Floor> {
    let body = prepared_body(bytes)?;
    let listener = TcpListener::bind("127.0.0.1:0").await.context("listening")?;
    let address = listener.local_addr()?;
    Ok(Floor { listener, address, body })
}

impl Floor {
    /// Serves with the accept loop of the real server and a router, as the real server does.
    pub async fn serve(self, stop: impl Future<Output = ()>) {
        let body = self.body;
        let posted = body.clone();
        let answer = async move || ([(CONTENT_TYPE, "application/json")], body.clone());
        // Reads a posted body completely and discards it.
        let take = async move |_: Bytes| ([(CONTENT_TYPE, "application/json")], posted.clone());
        let router = Router::new().route("/", get(answer)).fallback(post(take)).layer(DefaultBodyLimit::disable());
        serve_router(self.listener, router, stop).await;
    }
}

async fn serve_router(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let handle = move |request: Request<Incoming>, _: SocketAddr| {
        let router = router.clone();
        async move { router.oneshot(request.map(Body::new)).await.unwrap_or_else(|never| match never {}) }
    };
    server::http::serve(listener, handle, server::http::Options::default(), stop).await;
}

fn prepared_body(bytes: usize) -> Result<Bytes> {
    let frame = JSON_OPENING.len() + JSON_CLOSING.len();
    ensure!(bytes >= frame, "the floor's body has at least {frame} bytes");
    Ok(Bytes::from(format!("{JSON_OPENING}{}{JSON_CLOSING}", "x".repeat(bytes - frame))))
}

/// The child process: serves until the parent is gone.
pub async fn serve_as_child(bytes: usize) -> Result<()> {
    let floor = listen(bytes).await?;
    child::announce(floor.address, None)?;
    floor.serve(child::parent_is_gone()).await;
    Ok(())
}

/// Measures the floor for GET requests with answers of `bytes` bytes.
pub async fn measure(bytes: usize, plan: Plan) -> Result<Measured> {
    let child = Child::start(&["internal-floor", "--bytes", &bytes.to_string()])?;
    child.measure(&Case::fixed(format!("floor, {bytes} bytes"), get_request("/", ""), 200), plan).await
}

/// Measures the floor for the posts of `case`, with answers of `bytes` bytes.
pub async fn measure_posts(bytes: usize, case: &Case, plan: Plan) -> Result<Measured> {
    let child = Child::start(&["internal-floor", "--bytes", &bytes.to_string()])?;
    child.measure(case, plan).await
}

pub async fn rows(plan: Plan) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for bytes in SIZES {
        let measured = measure(bytes, plan).await?;
        rows.push(Row { name: format!("floor, {} KiB", bytes / 1024), measured, floor: None });
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_is_json_of_the_asked_size() {
        for bytes in [12, 13, 1024] {
            let body = prepared_body(bytes).unwrap();
            assert_eq!(body.len(), bytes);
            assert!(serde_json::from_slice::<serde_json::Value>(&body).unwrap()["floor"].is_string());
        }
        assert!(prepared_body(11).is_err());
    }
}
