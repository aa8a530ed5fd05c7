//! The listener for monitoring: `/healthz` and `/readyz` on a thread and a runtime of their own, and with a connection
//! to PostgreSQL of their own, so that they answer while requests of clients occupy the main runtime and all other
//! connections. It starts and stops with the server.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use anyhow::Context as _;
use app::App;
use axum::body::Body;
use axum::http::{HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use store::{Db, Location};
use tokio::runtime::Builder;
use tokio_util::sync::CancellationToken;

use crate::bootstrap;
use crate::http::{self, Options};
use crate::settings::Settings;

/// If PostgreSQL does not answer within this time, the server is not ready. A database that is only slow on a busy machine
/// must not take all nodes out of service at once.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(5);
/// Connections to PostgreSQL for the checks. The pool gives one tenant, and what belongs to none, half of them.
const CONNECTIONS: usize = 2;
const OK: &str = "{\"status\":\"ok\"}";

/// Binds the listener, if it is configured.
pub(super) fn bind(address: Option<SocketAddr>) -> anyhow::Result<Option<(TcpListener, SocketAddr)>> {
    let Some(address) = address else { return Ok(None) };
    let listener = TcpListener::bind(address).with_context(|| format!("health.listen: cannot listen on {address}"))?;
    listener.set_nonblocking(true).context("health.listen")?;
    let bound = listener.local_addr().context("health.listen")?;
    Ok(Some((listener, bound)))
}

pub(super) fn serve(
    listener: TcpListener,
    app: App,
    settings: &Settings,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build().context("health.listen")?;
    let db = match bootstrap::location(settings) {
        Location::Sqlite { .. } => app.db().clone(),
        // A connection belongs to the runtime that made it.
        Location::Postgres { url, .. } => {
            let location = Location::Postgres { url, connections: CONNECTIONS };
            Db::open_with(&location, bootstrap::postgres_options(settings)).context("health.listen")?
        }
    };
    let handler = move |request, _| answer(app.clone(), db.clone(), request);
    let run = async move {
        match tokio::net::TcpListener::from_std(listener) {
            Ok(listener) => http::serve(listener, handler, options(), stop.cancelled_owned()).await,
            Err(error) => tracing::error!(%error, "health cannot be served"),
        }
    };
    let thread = std::thread::Builder::new().name("health".to_owned());
    thread.spawn(move || runtime.block_on(run)).context("health.listen")?;
    Ok(())
}

fn options() -> Options {
    Options {
        name: "health",
        idle_timeout: Duration::from_secs(15),
        max_connections: 128,
        drain: Duration::from_secs(1),
        ..Options::default()
    }
}

async fn database_answers(db: &Db) -> bool {
    matches!(tokio::time::timeout(DATABASE_TIMEOUT, store::base::epochs::credentials(db)).await, Ok(Ok(_)))
}

/// `app` knows whether the server's last writes worked; `db` is asked now.
async fn answer(app: App, db: Db, request: Request<Incoming>) -> Response<Body> {
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return json(StatusCode::METHOD_NOT_ALLOWED, "{\"status\":\"health is read with GET\"}");
    }
    match request.uri().path() {
        "/healthz" => json(StatusCode::OK, OK),
        "/readyz" if app.is_draining() => {
            json(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"the server is stopping\"}")
        }
        "/readyz" if !app.is_writable() => {
            json(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"the database cannot be written\"}")
        }
        "/readyz" if database_answers(&db).await => ready(&app.db().away()),
        "/readyz" => json(StatusCode::SERVICE_UNAVAILABLE, "{\"status\":\"the database does not answer\"}"),
        _ => json(StatusCode::NOT_FOUND, "{\"status\":\"only /healthz and /readyz are here\"}"),
    }
}

/// Names the workers of a distributed database that do not respond: this listener is for the operator. The server is ready
/// for all other tenants.
fn ready(away: &[String]) -> Response<Body> {
    if away.is_empty() {
        return json(StatusCode::OK, OK);
    }
    json(StatusCode::OK, serde_json::json!({"status": "ok", "workers_away": away.len(), "away": away}).to_string())
}

fn json(status: StatusCode, body: impl Into<Body>) -> Response<Body> {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
