//! The sandbox inside a server process: the listener of its Graph server, the control socket, and the background loop
//! that posts its webhooks.
//!
//! The loop runs when something is due, at a wake-up of this process, and every 2 seconds for changes that other nodes
//! scheduled. `Sandbox::post_due` takes the lease, so one node posts at a time; see `sandbox/src/post/mod.rs` for what
//! happens on a crash. The control socket (`socket.rs`) serves the API of `api/src/edge/control_socket.rs` to commands
//! of the same user.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, anyhow};
use api::ControlSocketApi;
use app::App;
use axum::body::Body;
use axum::http::Request;
use channels::transport::{HttpTransport, Timeouts};
use domain::Timestamp;
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use sandbox::Sandbox;
use tokio::net::{TcpListener, UnixListener};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use workers::Workers;

use super::browser::Browser;
use super::socket::{self, SocketFile};
use crate::http::{self, Options, Reply};
use crate::settings::{Scenario, Settings};

/// Version of the Graph API in the sandbox's URL.
const VERSION: &str = "v23.0";
/// Poll interval, for changes that other nodes scheduled. This node's own changes wake the loop.
const POST_EVERY: Duration = Duration::from_secs(2);
const MAX_CONNECTIONS: usize = 256;
const DRAIN: Duration = Duration::from_secs(1);

/// Bound listeners that do not serve yet.
#[derive(Debug)]
pub(super) struct SandboxListeners {
    graph: TcpListener,
    pub address: SocketAddr,
    control: Option<(UnixListener, SocketFile)>,
}

/// The sandbox, and when its next webhook or act is due, in Unix microseconds.
#[derive(Debug, Clone)]
struct Posting {
    sandbox: Sandbox,
    due: Arc<AtomicI64>,
}

impl SandboxListeners {
    /// `None` when the sandbox is disabled.
    pub async fn bind(settings: &Settings, app: &App) -> anyhow::Result<Option<Self>> {
        let wanted = settings.sandbox.listen;
        if !settings.sandbox.enabled {
            return Ok(None);
        }
        let bound = TcpListener::bind(wanted).await;
        let graph = bound.map_err(|error| {
            anyhow!(
                "sandbox.listen: cannot listen on {wanted}: {error}; choose another address (SWITCHBOARD_SANDBOX_LISTEN) \
                 or switch the sandbox off (SWITCHBOARD_SANDBOX_ENABLED=false)"
            )
        })?;
        let address = graph.local_addr().context("sandbox.listen")?;
        app.messaging().networks().set_sandbox(format!("http://{address}/{VERSION}"));
        Ok(Some(Self { graph, address, control: socket::bind(&settings.data) }))
    }

    /// Serves until `stop` is cancelled.
    pub fn open(
        self,
        sandbox: Sandbox,
        control_api: ControlSocketApi,
        stop: &CancellationToken,
        listeners: &mut JoinSet<()>,
    ) {
        listeners.spawn(serve_graph(self.graph, sandbox, stop.clone()));
        if let Some((listener, file)) = self.control {
            listeners.spawn(serve_control(listener, file, control_api, stop.clone()));
        }
    }
}

/// Adds the posting loop to the workers.
pub(super) fn post(sandbox: Sandbox, workers: &mut Workers) {
    let posting = Posting { sandbox, due: Arc::new(AtomicI64::new(i64::MAX)) };
    workers.run("sandbox", POST_EVERY, posting, due, post_due);
}

async fn due(posting: Posting) {
    let left = posting.sandbox.now().until(Timestamp::from_micros(posting.due.load(Ordering::Relaxed)));
    tokio::select! {
        () = posting.sandbox.wait_due() => {}
        () = tokio::time::sleep(left) => {}
    }
}

async fn post_due(posting: Posting) -> app::Result<()> {
    let next = posting.sandbox.post_due().await?;
    posting.due.store(next.map_or(i64::MAX, Timestamp::micros), Ordering::Relaxed);
    Ok(())
}

async fn serve_graph(listener: TcpListener, sandbox: Sandbox, stop: CancellationToken) {
    let options = Options { name: "sandbox", max_connections: MAX_CONNECTIONS, drain: DRAIN, ..Options::default() };
    let handler = move |request: Request<Incoming>, _| {
        let sandbox = sandbox.clone();
        async move {
            let request = request.map(|body| body.map_err(Into::into).boxed_unsync());
            match sandbox.graph(request).await {
                sandbox::Reply::Answer(response) => Reply::Answer(response.map(Body::new)),
                sandbox::Reply::Reset => Reply::Reset,
            }
        }
    };
    http::serve(listener, handler, options, stop.cancelled()).await;
}

/// Removes the socket file when the listener has stopped.
async fn serve_control(
    listener: UnixListener,
    file: SocketFile,
    control_api: ControlSocketApi,
    stop: CancellationToken,
) {
    let options = Options {
        name: "control",
        max_connections: MAX_CONNECTIONS,
        drain: DRAIN,
        refusal: api::refusal,
        ..Options::default()
    };
    let handler = move |request: Request<Incoming>, ()| {
        let control_api = control_api.clone();
        async move { control_api.handle(request.map(Body::new)).await }
    };
    http::serve(listener, handler, options, stop.cancelled()).await;
    drop(file);
}

/// The sandbox of a server that listens on this address.
pub(super) fn sandbox(settings: &Settings, app: &App, listens: SocketAddr) -> anyhow::Result<Sandbox> {
    let http = HttpTransport::new(Timeouts::default()).context("the HTTP client cannot be started")?;
    let guarded = app.messaging().networks().guarded().context("no links can be opened")?;
    let config = sandbox::Config {
        seed: None,
        scenario: match settings.sandbox.scenario {
            Scenario::Quiet => sandbox::ScenarioName::Quiet,
            Scenario::Lively => sandbox::ScenarioName::Lively,
        },
        rates: rates(settings),
        strict: settings.sandbox.strict,
        hook: Arc::new(http),
        hook_url: Settings::local_url_at(listens),
        // If `server.hosts` lists the permitted host names, the listener's address is usually not one of them.
        hook_host: settings.server.hosts.first().cloned(),
        other_hook_url: settings.sandbox.hook_url.clone(),
        browser: Arc::new(Browser::new(settings, listens, guarded)?),
    };
    Ok(Sandbox::new(app.clone(), config))
}

fn rates(settings: &Settings) -> sandbox::Rates {
    if settings.sandbox.limits {
        return sandbox::Rates::default();
    }
    sandbox::Rates { throughput: 0, pair_burst: 0, pair_seconds: 0 }
}
