//! An issuer on a loopback port with answers set by the test; counts requests and can delay them.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[derive(Clone)]
pub struct FakeIssuer {
    pub url: String,
    state: Arc<Mutex<State>>,
    held: Arc<watch::Sender<bool>>,
}

struct State {
    discovery: String,
    jwks: String,
    fetches: usize,
}

#[boxed::futures]
impl FakeIssuer {
    pub async fn start(keys: &[Value]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let state = State { discovery: String::new(), jwks: String::new(), fetches: 0 };
        let issuer = Self { url, state: Arc::new(Mutex::new(state)), held: Arc::new(watch::Sender::new(false)) };
        issuer.discover(&issuer.url, &format!("{}/keys", issuer.url));
        issuer.publish(keys);
        tokio::spawn(issuer.clone().serve(listener));
        issuer
    }

    pub fn discover(&self, issuer: &str, jwks_uri: &str) {
        self.answer_discovery(ok(&json!({"issuer": issuer, "jwks_uri": jwks_uri}).to_string()));
    }

    pub fn publish(&self, keys: &[Value]) {
        self.answer_keys(ok(&json!({"keys": keys}).to_string()));
    }

    pub fn answer_discovery(&self, response: String) {
        self.with(|state| state.discovery = response);
    }

    pub fn answer_keys(&self, response: String) {
        self.with(|state| state.jwks = response);
    }

    /// Number of discovery requests.
    pub fn fetches(&self) -> usize {
        self.with(|state| state.fetches)
    }

    /// Delays the answers to requests until `release`.
    pub fn hold(&self) {
        self.held.send_replace(true);
    }

    pub fn release(&self) {
        self.held.send_replace(false);
    }

    fn with<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock())
    }

    async fn serve(self, listener: TcpListener) {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(self.clone().answer(stream));
        }
    }

    async fn answer(self, mut stream: TcpStream) {
        let mut request = Vec::new();
        while !request.ends_with(b"\r\n\r\n") {
            if stream.read_buf(&mut request).await.unwrap_or(0) == 0 {
                return;
            }
        }
        let response = self.response_to(&request);
        let _ = self.held.subscribe().wait_for(|held| !held).await;
        let _ = stream.write_all(response.as_bytes()).await;
    }

    fn response_to(&self, request: &[u8]) -> String {
        if request.starts_with(b"GET /.well-known/openid-configuration ") {
            return self.with(|state| {
                state.fetches += 1;
                state.discovery.clone()
            });
        }
        if request.starts_with(b"GET /moved ") {
            return redirect(&format!("{}/keys", self.url));
        }
        if request.starts_with(b"GET /keys ") { self.with(|state| state.jwks.clone()) } else { status("404 Not Found") }
    }
}

pub fn ok(body: &str) -> String {
    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len())
}

pub fn status(line: &str) -> String {
    format!("HTTP/1.1 {line}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}

pub fn redirect(to: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {to}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
}
