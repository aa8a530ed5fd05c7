//! HTTP client for the control socket of a running server. The commands name the operations.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, bail};
use api::TENANT_HEADER;
use axum::body::Body;
use axum::http::{Method, Request, Response, header};
use domain::TenantId;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::net::UnixStream;

use crate::ownership;
use crate::serve::SOCKET_FILE;
use crate::settings::Settings;

/// Prefix of the path of every request.
const OPERATIONS: &str = "/api/ext/v3/sandbox/";
/// Longer than any operation of the sandbox API takes.
const TIMEOUT: Duration = Duration::from_mins(1);
const MAX_ANSWER: usize = 64 * 1024 * 1024;

#[derive(Debug)]
pub struct ControlClient {
    socket: PathBuf,
    tenant: TenantId,
}

/// Why a request through the control socket failed.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    #[error(
        "no server responds at {}: start one with `switchboard serve` on this data folder, as the same user, and with \
         the sandbox enabled",
        socket.display()
    )]
    NoServer { socket: PathBuf, source: io::Error },
    #[error("{}{message}", parameter.as_ref().map_or_else(String::new, |parameter| format!("{parameter}: ")))]
    Refused { status: u16, message: String, parameter: Option<String> },
}

/// Fails when the socket file does not exist.
pub fn check_socket(settings: &Settings) -> Result<(), ControlError> {
    let socket = settings.data.join(SOCKET_FILE);
    match socket.symlink_metadata() {
        Ok(_) => Ok(()),
        Err(error) => Err(ControlError::no_server(socket, error)),
    }
}

impl ControlError {
    fn no_server(socket: PathBuf, error: io::Error) -> Self {
        let source = ownership::explain(&socket, error);
        Self::NoServer { socket, source }
    }

    /// `kind` and `parameter` of the error that the command prints.
    pub fn classified(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::NoServer { .. } => ("unavailable", None),
            Self::Refused { status, parameter, .. } => (kind_of(*status), parameter.as_deref()),
        }
    }
}

fn kind_of(status: u16) -> &'static str {
    match status {
        400 | 413 | 422 => "invalid",
        403 => "forbidden",
        404 => "not_found",
        409 => "conflict",
        503 => "unavailable",
        _ => "failure",
    }
}

impl ControlClient {
    pub fn new(settings: &Settings, tenant: TenantId) -> Self {
        Self { socket: settings.data.join(SOCKET_FILE), tenant }
    }

    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        self.ask(Method::GET, path, None).await
    }

    /// The body of a successful answer; null when it is empty.
    pub async fn ask(&self, method: Method, path: &str, body: Option<&Value>) -> anyhow::Result<Value> {
        let asked = tokio::time::timeout(TIMEOUT, self.exchange(method, path, body)).await;
        let Ok(answer) = asked else { bail!("the server did not respond in time") };
        let (status, text) = answer?;
        let answer: Value =
            if text.is_empty() { Value::Null } else { serde_json::from_slice(&text).unwrap_or_default() };
        if status < 400 {
            return Ok(answer);
        }
        let member = |name: &str| answer[name].as_str().map(str::to_owned);
        let message = member("message").unwrap_or_else(|| format!("the server returned {status}"));
        Err(ControlError::Refused { status, message, parameter: member("parameter") }.into())
    }

    async fn exchange(&self, method: Method, path: &str, body: Option<&Value>) -> anyhow::Result<(u16, Vec<u8>)> {
        let request =
            Request::builder().method(method).uri(format!("{OPERATIONS}{path}")).header(header::HOST, "localhost");
        let request = request.header(TENANT_HEADER, self.tenant.to_string());
        let request = match body {
            Some(body) => request.header(header::CONTENT_TYPE, "application/json").body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        let stream = UnixStream::connect(&self.socket).await;
        let stream = stream.map_err(|error| ControlError::no_server(self.socket.clone(), error))?;
        let response = send(stream, request?).await.context("the connection to the server failed")?;
        let status = response.status().as_u16();
        let whole = Limited::new(response.into_body(), MAX_ANSWER).collect().await;
        let whole = whole.map_err(|error| anyhow::anyhow!("the server's response was cut off: {error}"))?;
        Ok((status, whole.to_bytes().to_vec()))
    }
}

async fn send(stream: UnixStream, request: Request<Body>) -> hyper::Result<Response<Incoming>> {
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    // The task of the connection ends after the answer; `send_request` returns its errors.
    tokio::spawn(connection);
    sender.send_request(request).await
}
