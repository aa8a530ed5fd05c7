//! `switchboard serve`: starts a node and stops it.
//!
//! Order of the start: open the database (`bootstrap`), bind every listener, install metrics, create the first tenant
//! of an empty database, then serve and start the workers. Listeners are bound before the first tenant is created,
//! because its credentials are printed only once. The stop is the reverse: on SIGTERM or SIGINT the server is not ready
//! any longer, and goes on for `server.drain_seconds` until load balancers have noticed. Then the listeners accept no
//! more and let requests in flight finish, and the workers end their rounds, all within `server.shutdown_seconds`.
//! Last, the write-ahead log of an embedded database is copied into its file. A second signal stops at once.
//!
//! A crash needs no cleanup: leases of the node expire, the lock on the data folder ends with its process, and other
//! nodes or the next start continue from the database.
//! Requests are handled in `api`, background work in `workers`.

mod browser;
mod console;
mod health;
mod redirect;
mod sandbox_listeners;
mod socket;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use api::{Edge, EdgeSettings, Routes, ShownSetting};
use app::App;
use app::platform::first_start::FirstStart;
use axum::body::Body;
use domain::Clock;
use domain::people::phone::PhoneNumber;
use store::Db;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use workers::Workers;

use redirect::Redirect;
use sandbox_listeners::SandboxListeners;

pub use socket::SOCKET_FILE;

use crate::bootstrap::{Creation, FolderLock, OpenedInstallation, open_to_serve};
use crate::first_start::Handover;
use crate::http::{self, Listener, Options};
use crate::https::{CertificateKeeper, HttpsListener};
use crate::metrics::{self, Metrics};
use crate::output::Output;
use crate::settings::Settings;
use crate::{first_start, open_files, telemetry};

/// Parts of the shutdown time: for requests, for workers, for the last traces.
const FOR_REQUESTS: f64 = 0.8;
const FOR_WORKERS: f64 = 0.15;
const FOR_TRACES: f64 = 0.05;

/// A running server. End it with `stop`; dropping it aborts everything.
#[derive(Debug)]
pub struct Running {
    /// The bound address, with the real port where the settings have port 0.
    pub address: SocketAddr,
    /// Address of HTTPS; absent when it is not configured.
    pub https_address: Option<SocketAddr>,
    pub metrics_address: Option<SocketAddr>,
    pub health_address: Option<SocketAddr>,
    /// Address of the sandbox's Graph server; absent when the sandbox is disabled.
    pub sandbox_address: Option<SocketAddr>,
    /// URL for clients, without a trailing slash.
    pub url: String,
    pub app: App,
    /// Credentials that were created in an empty database.
    pub first: Option<FirstStart>,
    drain: Drain,
    stop: CancellationToken,
    listeners: JoinSet<()>,
    upkeep: Option<AbortOnDropHandle<()>>,
    certificate: Option<CertificateKeeper>,
    workers: Workers,
    shutdown_time: Duration,
    /// On an embedded database; held until the server has stopped.
    _lock: Option<FolderLock>,
}

/// Starts a server, on a new installation if there is none. Installs neither logging nor signal handlers, so that tests
/// can run several servers in one process.
pub async fn start(settings: &Settings) -> anyhow::Result<Running> {
    start_with(settings, Vec::new(), Creation::Allowed).await
}

/// The same, with the settings that administrators see in the console.
async fn start_with(settings: &Settings, shown: Vec<ShownSetting>, creation: Creation) -> anyhow::Result<Running> {
    let routes = build_routes();
    let OpenedInstallation { app, db, lock, .. } = open_to_serve(settings, Clock::system(), creation).await?;
    let listener = bind(settings.listen).await?;
    let address = listener.local_addr().context("listen")?;
    let https = HttpsListener::bind(settings).await?;
    let https_address = https.as_ref().map(|https| https.address);
    let settings = &with_https_address(settings, https_address);
    let own_metrics = metrics::bind(&settings.metrics).await?;
    let health = health::bind(settings.health.listen)?;
    let sandbox_listeners = SandboxListeners::bind(settings, &app).await?;
    let metrics = Metrics::install(&settings.metrics, &db, app.outgoing())?;
    // Only after binding: credentials are printed once, so a start that fails on a taken address must not create them.
    let first = app.platform().first_start().await?;
    reseal(settings, &app).await?;
    app.platform().save_public_url(&settings.public_url_at(address)).await?;
    let (stop, drain, mut listeners) = (CancellationToken::new(), Drain::new(settings), JoinSet::new());
    let sandbox =
        sandbox_listeners.is_some().then(|| sandbox_listeners::sandbox(settings, &app, address)).transpose()?;
    app.set_address(node_address(address));
    let edge_settings = edge_settings(settings, address, metrics.as_ref(), shown);
    let edge =
        Edge::with_routes(joined(routes)?, app.clone(), sandbox.clone(), edge_settings).with_pages(console::pages());
    let control_api = edge.control_socket_api();
    let options = api_options(settings, &app, &drain);
    let certificate = serve_https(https, &app, &edge, &options, &stop, &mut listeners).await;
    listeners.spawn(serve_api(listener, edge, Redirect::new(settings, address), options, stop.clone()));
    let health_address = health.as_ref().map(|(_, address)| *address);
    if let Some((listener, _)) = health {
        health::serve(listener, app.clone(), settings, stop.clone())?;
    }
    let metrics_address = own_metrics.as_ref().map(|(_, address)| *address);
    if let (Some((listener, _)), Some(metrics)) = (own_metrics, &metrics) {
        listeners.spawn(serve_metrics(listener, metrics.clone(), settings.clone(), stop.clone()));
    }
    let mut workers = workers::start(app.clone());
    let sandbox_address = sandbox_listeners.as_ref().map(|sandbox_listeners| sandbox_listeners.address);
    if let (Some(sandbox_listeners), Some(sandbox)) = (sandbox_listeners, sandbox) {
        sandbox_listeners::post(sandbox.clone(), &mut workers);
        sandbox_listeners.open(sandbox, control_api, &stop, &mut listeners);
    }
    std::thread::spawn(load_numbering_plans);
    Ok(Running {
        address,
        https_address,
        metrics_address,
        health_address,
        sandbox_address,
        url: settings.public_url_at(address),
        first,
        drain,
        stop,
        listeners,
        certificate,
        upkeep: metrics.map(|metrics| AbortOnDropHandle::new(tokio::spawn(metrics.upkeep()))),
        workers,
        app,
        shutdown_time: Duration::from_secs(settings.server.shutdown_seconds),
        _lock: lock,
    })
}

/// Builds the routes while the database is opened. Another thread collects the entropy of the TLS library meanwhile, for
/// which the first connection with TLS would wait.
fn build_routes() -> JoinHandle<Routes> {
    std::thread::spawn(|| drop(rustls::crypto::aws_lc_rs::default_provider().secure_random.fill(&mut [0])));
    std::thread::spawn(Routes::default)
}

fn joined(routes: JoinHandle<Routes>) -> anyhow::Result<Routes> {
    routes.join().map_err(|_| anyhow!("the routes cannot be built"))
}

/// Parses the numbering plans, so that the first request with a phone number does not wait for them.
fn load_numbering_plans() {
    drop(PhoneNumber::parse("14155552671"));
}

/// The settings with the bound address of HTTPS, from which the public URL may be derived.
fn with_https_address(settings: &Settings, bound: Option<SocketAddr>) -> Settings {
    let mut settings = settings.clone();
    settings.https.listen = bound;
    settings
}

/// Seals secrets again that were sealed with the previous key, so that the previous key can be removed from the
/// settings. A secret that neither key opens must be set again; the log names its channel or webhook.
async fn reseal(settings: &Settings, app: &App) -> anyhow::Result<()> {
    if settings.secret_key_previous.is_none() {
        return Ok(());
    }
    for tenant in app.identity().tenants().list().await? {
        for channel in app.messaging().channels().reseal(tenant.id).await? {
            let (tenant, channel) = (tenant.id, channel.name);
            tracing::warn!(%tenant, channel, "a channel's secrets are sealed with another key: set them again");
        }
        for url in app.delivery().webhooks().reseal(tenant.id).await? {
            tracing::warn!(tenant = %tenant.id, url, "a webhook's secret is sealed with another key: rotate it");
        }
    }
    Ok(())
}

/// The time before a stop in which the server goes on, but is not ready any longer.
#[derive(Debug)]
struct Drain {
    begun: CancellationToken,
    time: Duration,
}

impl Drain {
    fn new(settings: &Settings) -> Self {
        Self { begun: CancellationToken::new(), time: Duration::from_secs(settings.server.drain_seconds) }
    }

    /// Connections that have an answer to come are closed behind it; the others at the stop.
    async fn run(&self, app: &App) {
        if self.time.is_zero() {
            return;
        }
        app.start_draining();
        self.begun.cancel();
        tokio::time::sleep(self.time).await;
    }
}

impl Running {
    /// Gives the credentials of a new installation to the person or program that started it.
    async fn hand_over(&self, settings: &Settings, handover: Handover) -> anyhow::Result<()> {
        let Some(first) = &self.first else { return Ok(()) };
        match handover {
            Handover::Once => first_start::announce(first, &self.url, self.sandbox_address.is_some(), &settings.data),
            Handover::Ephemeral { json } => {
                let folder = settings.data.display();
                tracing::info!(%folder, "ephemeral: the folder with all data is removed when the server stops");
                let given = first_start::EphemeralStart::new(first, &self.app, &self.url, &settings.data).await?;
                Output::new(json).print(&given, || given.text(first, self.sandbox_address.is_some()))?;
            }
        }
        Ok(())
    }

    /// Drains, lets requests in flight finish, then the workers; the last two within `server.shutdown_seconds`. Then
    /// completes the file of an embedded database.
    pub async fn stop(mut self) {
        self.drain.run(&self.app).await;
        self.stop.cancel();
        while let Some(ended) = self.listeners.join_next().await {
            if let Err(error) = ended {
                tracing::error!(%error, "a listener task panicked");
            }
        }
        if tokio::time::timeout(self.shutdown_time.mul_f64(FOR_WORKERS), self.workers.stop()).await.is_err() {
            tracing::warn!("the workers did not finish within the shutdown time");
        }
        drop((self.upkeep, self.certificate));
        checkpoint(self.app.db().clone()).await;
    }
}

/// Copies the write-ahead log into the database file, so that a copy of the file alone has everything. On a thread that
/// may block. Nothing is lost if it fails: the next start finds the log.
async fn checkpoint(db: Db) {
    let done = tokio::task::spawn_blocking(move || db.checkpoint()).await;
    match done {
        Ok(Ok(true)) => {}
        Ok(Ok(false)) => tracing::warn!("a command uses the database: its -wal file still has data"),
        Ok(Err(error)) => tracing::warn!(%error, "the write-ahead log could not be copied into the database file"),
        Err(error) => tracing::error!(%error, "the checkpoint panicked"),
    }
}

/// Runs a server process until SIGTERM or SIGINT.
pub async fn run(
    settings: Settings,
    shown: Vec<ShownSetting>,
    handover: Handover,
    creation: Creation,
) -> anyhow::Result<()> {
    let began = Instant::now();
    let telemetry = telemetry::install(&settings)?;
    let mut signals = Signals::new(settings.https.certificate.is_some())?;
    let running = start_with(&settings, shown, creation).await?;
    running.hand_over(&settings, handover).await?;
    if let Some(url) = settings.sandbox.hook_url.as_deref().filter(|_| settings.sandbox.enabled) {
        tracing::info!(url, "webhooks of the sandbox go to another address, and none of them to this server");
    }
    warn_of_plain_http(&settings, running.address);
    let milliseconds = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    tracing::info!(listen = %running.address, url = running.url, milliseconds, "ready");
    if let Some(address) = running.https_address {
        tracing::info!(%address, "https is served");
    }
    if let Some(address) = running.metrics_address {
        tracing::info!(%address, "metrics are served");
    }
    if let Some(address) = running.health_address {
        tracing::info!(%address, "health is served");
    }
    let name = loop {
        match signals.next().await {
            Signaled::Stop(name) => break name,
            Signaled::Reload => running.certificate.iter().for_each(CertificateKeeper::reload),
        }
    };
    tracing::info!(signal = name, "stopping");
    let shutdown_time = running.shutdown_time;
    tokio::select! {
        () = running.stop() => {}
        name = signals.stop() => tracing::warn!(signal = name, "stopped at once"),
    }
    telemetry.finish(shutdown_time.mul_f64(FOR_TRACES)).await;
    tracing::info!("stopped");
    Ok(())
}

/// Runs the server on its own runtime, with a thread per processor. Blocking tasks that are left get 200 ms to end.
pub fn run_blocking(
    settings: Settings,
    shown: Vec<ShownSetting>,
    handover: Handover,
    creation: Creation,
) -> anyhow::Result<()> {
    open_files::raise_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("the runtime cannot be started")?;
    let outcome = runtime.block_on(run(settings, shown, handover, creation));
    runtime.shutdown_timeout(Duration::from_millis(200));
    outcome
}

async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    TcpListener::bind(address).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => anyhow!(
            "listen: {address} is in use by another program; choose another address with --listen \
             (SWITCHBOARD_LISTEN), for example --listen 127.0.0.1:8081"
        ),
        _ => anyhow!(
            "listen: cannot listen on {address}: {error}; choose another address with --listen (SWITCHBOARD_LISTEN)"
        ),
    })
}

/// The name of the machine and the port, by which operators tell the nodes of an installation apart.
fn node_address(bound: SocketAddr) -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = Some(host.trim()).filter(|host| !host.is_empty()).map_or_else(|| bound.ip().to_string(), str::to_owned);
    format!("{host}:{}", bound.port())
}

fn edge_settings(
    settings: &Settings,
    bound: SocketAddr,
    metrics: Option<&Metrics>,
    shown_settings: Vec<ShownSetting>,
) -> EdgeSettings {
    // Metrics that have a listener of their own are not served on the main one.
    let token = settings.metrics.token.as_ref().filter(|_| settings.metrics.listen.is_none());
    let guarded = metrics.cloned().zip(token).map(|(metrics, token)| api::Metrics {
        token: token.expose().to_owned(),
        render: Box::new(move || metrics.render()),
    });
    EdgeSettings {
        public_url: settings.public_url_at(bound),
        hosts: settings.server.hosts.clone(),
        console_hosts: console_hosts(settings, bound),
        trusted_proxies: settings.server.trusted_proxies.clone().into(),
        request_timeout: Duration::from_secs(settings.server.request_timeout_seconds),
        traced: settings.telemetry.otlp_endpoint.is_some(),
        metrics: guarded,
        bounds: bounds(settings),
        shown_settings,
    }
}

/// The hosts under which the console is served: that of the public URL and the configured ones. If the server listens
/// on a loopback address, or no public URL is set, also `localhost`, `127.0.0.1` and `[::1]`.
fn console_hosts(settings: &Settings, bound: SocketAddr) -> Vec<String> {
    let public = settings.public_url_at(bound);
    let public = public.split_once("://").map_or(public.as_str(), |(_, host)| host).to_owned();
    let name = public.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let mut hosts = vec![name.map_or(public.clone(), |(name, _)| name.to_owned())];
    hosts.extend(settings.server.hosts.iter().cloned());
    if bound.ip().is_loopback() || settings.public_url.is_none() {
        hosts.extend(["localhost", "127.0.0.1", "[::1]"].map(str::to_owned));
    }
    hosts
}

/// Warns if other machines reach the server by plain HTTP, over which credentials can be read on the way.
fn warn_of_plain_http(settings: &Settings, bound: SocketAddr) {
    if bound.ip().is_loopback() || !settings.server.trusted_proxies.is_empty() {
        return;
    }
    if settings.https.listen.is_some() {
        if !settings.https.redirect {
            tracing::warn!(
                listen = %bound,
                "besides HTTPS the server speaks plain HTTP on an address that other machines reach: set listen to a \
                 loopback address, or https.redirect to true"
            );
        }
    } else if settings.public_url_at(bound).starts_with("http://") {
        tracing::warn!(
            listen = %bound,
            "the server speaks plain HTTP on an address that other machines reach: serve HTTPS (https.listen), or put a \
             proxy with TLS in front of it and set public_url to its https:// address"
        );
    }
}

fn bounds(settings: &Settings) -> api::Bounds {
    let limits = &settings.limits;
    let mebibytes = |count: usize| count << 20;
    api::Bounds {
        bodies: mebibytes(limits.body_memory_mib),
        bodies_per_tenant: mebibytes(limits.body_memory_per_tenant_mib),
        bodies_per_connection: mebibytes(limits.body_memory_per_connection_mib),
        streams_per_tenant: limits.streams_per_tenant,
        hooks: mebibytes(limits.hook_memory_mib),
        hooks_per_channel: mebibytes(limits.hook_memory_per_channel_mib),
        hook_body: Duration::from_secs(limits.hook_body_seconds),
    }
}

fn api_options(settings: &Settings, app: &App, drain: &Drain) -> Options {
    let server = &settings.server;
    let shutdown_time = Duration::from_secs(server.shutdown_seconds);
    let listeners = if settings.https.listen.is_some() { 2 } else { 1 };
    Options {
        name: "api",
        header_timeout: Duration::from_secs(server.header_timeout_seconds),
        idle_timeout: Duration::from_secs(server.idle_timeout_seconds),
        reader_timeout: Duration::from_secs(server.reader_timeout_seconds),
        max_connections: open_files::bounded(server.max_connections, listeners, app.outgoing()),
        max_connections_per_address: server.max_connections_per_address,
        proxies: server.trusted_proxies.clone().into(),
        share: api::share_in_connection,
        closing: drain.begun.clone(),
        drain: shutdown_time.mul_f64(FOR_REQUESTS),
        refusal: api::refusal,
    }
}

async fn serve_https(
    https: Option<HttpsListener>,
    app: &App,
    edge: &Edge,
    options: &Options,
    stop: &CancellationToken,
    listeners: &mut JoinSet<()>,
) -> Option<CertificateKeeper> {
    let (listener, certificate) = https?.open(app).await;
    let options = Options { name: "https", ..options.clone() };
    listeners.spawn(serve_api(listener, edge.clone(), None, options, stop.clone()));
    Some(certificate)
}

/// With `redirect`, requests that it concerns are redirected.
async fn serve_api(
    listener: impl Listener<Peer = SocketAddr>,
    edge: Edge,
    redirect: Option<Redirect>,
    options: Options,
    stop: CancellationToken,
) {
    let streams = edge.clone();
    let handler = move |request: hyper::Request<hyper::body::Incoming>, peer: SocketAddr| {
        let redirected = redirect.as_ref().and_then(|redirect| redirect.answer(request.uri(), peer));
        let edge = edge.clone();
        async move {
            match redirected {
                Some(redirected) => redirected,
                None => edge.handle(request.map(Body::new), peer).await,
            }
        }
    };
    let stop = async move {
        stop.cancelled().await;
        streams.end_streams();
    };
    http::serve(listener, handler, options, stop).await;
}

async fn serve_metrics(listener: TcpListener, metrics: Metrics, settings: Settings, stop: CancellationToken) {
    let options = Options { name: "metrics", max_connections: 64, drain: Duration::from_secs(1), ..Options::default() };
    let token = settings.metrics.token;
    let handler = move |request: hyper::Request<hyper::body::Incoming>, _| {
        std::future::ready(metrics.answer(&request, token.as_ref()))
    };
    http::serve(listener, handler, options, stop.cancelled()).await;
}

/// Signals that the process handles.
#[derive(Debug)]
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    /// Only with certificate files; otherwise SIGHUP ends the process, as when its terminal is closed.
    hang_up: Option<Signal>,
}

impl Signals {
    pub fn new(has_certificate_files: bool) -> anyhow::Result<Self> {
        let listen = |kind| signal(kind).context("signals cannot be handled");
        Ok(Self {
            terminate: listen(SignalKind::terminate())?,
            interrupt: listen(SignalKind::interrupt())?,
            hang_up: has_certificate_files.then(|| listen(SignalKind::hangup())).transpose()?,
        })
    }

    /// Waits for a signal that stops the process.
    pub async fn stop(&mut self) -> &'static str {
        loop {
            if let Signaled::Stop(name) = self.next().await {
                return name;
            }
        }
    }

    /// Waits for SIGTERM or SIGINT, which stop the process, or for SIGHUP, after which certificate files are read again.
    async fn next(&mut self) -> Signaled {
        let hang_up = self.hang_up.as_mut();
        let reload = async {
            match hang_up {
                Some(hang_up) => hang_up.recv().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = self.terminate.recv() => Signaled::Stop("SIGTERM"),
            _ = self.interrupt.recv() => Signaled::Stop("SIGINT"),
            _ = reload => Signaled::Reload,
        }
    }
}

enum Signaled {
    Stop(&'static str),
    Reload,
}
