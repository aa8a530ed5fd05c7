//! Metrics for Prometheus: the recorder, metrics of the process itself, and an optional listener. If neither
//! `metrics.listen` nor `metrics.token` is set, nothing is recorded.

use std::net::SocketAddr;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;
use axum::body::Body;
use axum::http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use channels::outgoing::OutgoingBudget;
use hyper::body::Incoming;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use store::{Db, Engine};
use subtle::ConstantTimeEq as _;

use crate::settings::{self, Secret};

const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";
/// Interval at which recorded durations are sorted into buckets; they are kept in memory until then.
const UPKEEP_EVERY: Duration = Duration::from_secs(5);
const SECONDS: [f64; 14] =
    [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Handle to the metrics recorder of this process; renders the metrics for Prometheus. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Metrics {
    handle: PrometheusHandle,
    database: Db,
    outgoing: OutgoingBudget,
}

impl Metrics {
    /// `None` when neither `metrics.listen` nor `metrics.token` is set.
    pub fn install(
        wanted: &settings::Metrics,
        database: &Db,
        outgoing: &OutgoingBudget,
    ) -> anyhow::Result<Option<Self>> {
        if wanted.listen.is_none() && wanted.token.is_none() {
            return Ok(None);
        }
        let metrics = Self { handle: recorder()?, database: database.clone(), outgoing: outgoing.clone() };
        let database = match database.engine() {
            Engine::Sqlite => "sqlite",
            Engine::Postgres => "postgres",
        };
        let version = env!("CARGO_PKG_VERSION");
        metrics::gauge!("switchboard_build_info", "version" => version, "database" => database).set(1);
        Ok(Some(metrics))
    }

    pub fn render(&self) -> String {
        if let Some(bytes) = resident_bytes() {
            metrics::gauge!("process_resident_memory_bytes").set(bytes);
        }
        let traffic = self.database.traffic();
        metrics::counter!("switchboard_database_statements_total").absolute(traffic.statements);
        metrics::counter!("switchboard_database_round_trips_total").absolute(traffic.round_trips);
        metrics::gauge!("switchboard_outgoing_connections").set(number(self.outgoing.in_use()));
        metrics::gauge!("switchboard_outgoing_connections_limit").set(number(self.outgoing.limit()));
        metrics::counter!("switchboard_outgoing_waits_total").absolute(self.outgoing.waits());
        self.handle.render()
    }

    /// Keeps recorded durations from piling up in memory while metrics are not scraped. Runs until it is dropped.
    pub async fn upkeep(self) {
        loop {
            tokio::time::sleep(UPKEEP_EVERY).await;
            self.handle.run_upkeep();
        }
    }

    /// Handler of the listener for metrics.
    pub fn answer(&self, request: &Request<Incoming>, token: Option<&Secret>) -> Response<Body> {
        if request.uri().path() != "/metrics" {
            return plain(StatusCode::NOT_FOUND, "only /metrics is here\n");
        }
        if !matches!(*request.method(), Method::GET | Method::HEAD) {
            return plain(StatusCode::METHOD_NOT_ALLOWED, "/metrics is read with GET\n");
        }
        if token.is_some_and(|token| !has_token(request.headers(), token)) {
            let mut refused = plain(StatusCode::UNAUTHORIZED, "/metrics needs the token of metrics.token\n");
            refused.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return refused;
        }
        let mut response = Response::new(Body::from(self.render()));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(CONTENT_TYPE));
        response
    }
}

/// Installs the metrics recorder of the process, once, and returns a handle to it.
fn recorder() -> anyhow::Result<PrometheusHandle> {
    static HANDLE: OnceLock<PrometheusHandle> = OnceLock::new();
    if let Some(handle) = HANDLE.get() {
        return Ok(handle.clone());
    }
    let seconds = Matcher::Suffix("_seconds".to_owned());
    let builder = PrometheusBuilder::new().set_buckets_for_metric(seconds, &SECONDS)?;
    let handle = builder.install_recorder().context("the recorder of metrics cannot be set up")?;
    describe();
    Ok(HANDLE.get_or_init(|| handle).clone())
}

fn describe() {
    metrics::describe_counter!("switchboard_requests_total", "Requests by operation and status");
    metrics::describe_histogram!("switchboard_request_seconds", "Duration of requests by operation");
    metrics::describe_gauge!("switchboard_open_connections", "Open connections by listener");
    metrics::describe_counter!(
        "switchboard_refused_connections_total",
        "Connections closed because their address has too many, by listener"
    );
    metrics::describe_counter!(
        "switchboard_cut_readers_total",
        "Answers cut off because the client took nothing of them"
    );
    metrics::describe_gauge!(
        "switchboard_certificate_expires_timestamp_seconds",
        "When the certificate of HTTPS expires, in seconds since 1970"
    );
    metrics::describe_counter!("switchboard_worker_failures_total", "Failed rounds of background workers");
    metrics::describe_counter!("switchboard_hooks_refused_total", "Refused posts to hooks by reason");
    metrics::describe_counter!(
        "switchboard_inbound_parked_total",
        "Inbound records that were parked because they could not be applied"
    );
    metrics::describe_gauge!(
        "switchboard_consumer_lag_events",
        "Events that Switchboard itself has not processed yet, all tenants together"
    );
    metrics::describe_gauge!(
        "switchboard_consumer_parked_events",
        "Events that Switchboard itself could not process, all tenants together"
    );
    metrics::describe_counter!("switchboard_log_ins_total", "Log-ins to the console by outcome");
    metrics::describe_counter!("switchboard_sandbox_hooks_total", "Webhooks posted by the sandbox by outcome");
    metrics::describe_counter!("switchboard_database_statements_total", "Statements that this process has executed");
    metrics::describe_counter!(
        "switchboard_database_round_trips_total",
        "Times that this process has waited for an answer of PostgreSQL"
    );
    metrics::describe_gauge!(
        "switchboard_outgoing_connections",
        "Connections to other servers that are in use; a delivery with a large body counts as several"
    );
    metrics::describe_gauge!(
        "switchboard_outgoing_connections_limit",
        "Most connections to other servers that this process uses at a time"
    );
    metrics::describe_counter!(
        "switchboard_outgoing_waits_total",
        "Requests to other servers that had to wait for a connection"
    );
    metrics::describe_gauge!("switchboard_build_info", "Version and database of this process; always 1");
    metrics::describe_gauge!("process_resident_memory_bytes", "Resident memory of the process");
    metrics::describe_gauge!("process_start_time_seconds", "Start time of the process in seconds since 1970");
    let since_1970 = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    metrics::gauge!("process_start_time_seconds").set(since_1970.as_secs_f64());
}

/// A count as the value of a gauge.
fn number(count: usize) -> f64 {
    u32::try_from(count).unwrap_or(u32::MAX).into()
}

/// Resident memory of the process; `None` on systems other than Linux.
fn resident_bytes() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kib: u32 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(f64::from(kib) * 1024.0)
}

fn has_token(headers: &HeaderMap, token: &Secret) -> bool {
    let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let shown = shown.and_then(|value| value.strip_prefix("Bearer ")).unwrap_or_default();
    shown.as_bytes().ct_eq(token.expose().as_bytes()).into()
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(text));
    *response.status_mut() = status;
    response
}

/// Binds the listener for metrics, if it is configured.
pub async fn bind(wanted: &settings::Metrics) -> anyhow::Result<Option<(tokio::net::TcpListener, SocketAddr)>> {
    let Some(address) = wanted.listen else { return Ok(None) };
    let listener = tokio::net::TcpListener::bind(address).await;
    let listener = listener.with_context(|| format!("metrics.listen: cannot listen on {address}"))?;
    let bound = listener.local_addr().context("metrics.listen")?;
    Ok(Some((listener, bound)))
}
