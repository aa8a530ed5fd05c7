//! Connections to PostgreSQL: the URL, TLS, time limits of a connection, and the settings of a new one.
//!
//! The URL is that of the driver with two additions of libpq: `sslmode=verify-full`, which is `require` here, because a
//! certificate is always checked, with the name of the server; and `sslrootcert=FILE`, the authorities that are
//! trusted instead of those of the system.

use std::path::PathBuf;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use const_format::concatcp;
use deadpool_postgres::{ClientWrapper, Hook, Manager, ManagerConfig, Pool, RecyclingMethod};
use percent_encoding::percent_decode_str;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, ConfigBuilder, RootCertStore, WantsVerifier};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::options::{PostgresOptions, WAIT};
use super::refusal::ConnectionTarget;
use super::shards::{REACH_WORKER_MS, Shards};
use crate::base::error::with_cause;
use crate::{Error, Result};

/// Longest time for a new connection, with TLS and authentication.
const CONNECT: Duration = Duration::from_secs(10);
/// Longest time for the TCP connection to one address of the server.
const REACH: Duration = Duration::from_secs(5);
/// A connection whose other side acknowledges nothing for this long is closed: the machine of the database is gone.
const UNACKNOWLEDGED: Duration = Duration::from_secs(15);
/// An idle connection is probed after this time, and every `PROBE` again.
const IDLE: Duration = Duration::from_secs(15);
const PROBE: Duration = Duration::from_secs(5);

/// How a connection plans.
///
/// - A statement is planned once: PostgreSQL would otherwise prefer custom plans for a bound LIMIT and plan every page
///   again, which takes longer than reading the page. Citus, an extension that distributes a database by tenant, needs
///   the values to find the tenant's node.
/// - An index wherever one fits: every statement is made for one (`tests/storage/plans.rs`), and a plan that was made
///   for a small table is kept while the table grows. For the same reason `random_page_cost` is that of an SSD.
/// - No compilation of plans: without sequential scans, one that cannot be avoided has such a high estimated cost that
///   PostgreSQL would compile its plan.
const SETTINGS: &str = concatcp!(
    "SELECT set_config('plan_cache_mode', CASE WHEN has_citus THEN 'auto' ELSE 'force_generic_plan' END, false),
        set_config('enable_seqscan', 'off', false), set_config('random_page_cost', '1.1', false),
        set_config('jit', 'off', false),
        CASE WHEN has_citus THEN set_config('citus.node_connection_timeout', '",
    REACH_WORKER_MS,
    "', false) END
    FROM (SELECT EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus') AS has_citus) extensions"
);
/// Without settings: the first column is that of `SETTINGS`.
const ENGINE: &str = "SELECT 'auto' FROM pg_extension WHERE extname = 'citus'";

/// The connections, and what they are called in errors.
pub(crate) fn pool(
    url: &str,
    connections: usize,
    options: PostgresOptions,
    shards: Arc<Shards>,
) -> Result<(Pool, ConnectionTarget)> {
    let address = Address::parse(url)?;
    let target = ConnectionTarget::new(&address.config);
    let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
    let manager = Manager::from_config(address.config, tls(address.authorities)?, recycling);
    let pool = Pool::builder(manager)
        .max_size(connections)
        .runtime(deadpool_postgres::Runtime::Tokio1)
        .wait_timeout(Some(WAIT))
        .create_timeout(Some(CONNECT))
        .post_create(Hook::async_fn(move |client, _| {
            let shards = Arc::clone(&shards);
            Box::pin(async move {
                set_up(client, options, &shards).await;
                Ok(())
            })
        }))
        .build();
    pool.map(|pool| (pool, target)).map_err(|error| Error::Unavailable(error.to_string()))
}

/// Behind a pooler nothing is set: the next transaction may run on another connection.
async fn set_up(client: &ClientWrapper, options: PostgresOptions, shards: &Shards) {
    // Compatible databases may lack a setting, and then plan as usual.
    if let Ok(answer) = client.simple_query(if options.prepared { SETTINGS } else { ENGINE }).await {
        shards.note_settings(&answer);
    }
    if !options.prepared {
        return;
    }
    if let Some(limit) = options.statement_timeout {
        // A transaction that waits for its node for longer than that has lost it, and must not keep its locks.
        let limit = limit.as_millis();
        let limits = format!("SET statement_timeout = {limit}; SET idle_in_transaction_session_timeout = {limit}");
        let _ = client.batch_execute(&limits).await;
    }
}

/// Where the server is, and which authorities vouch for it.
#[derive(Debug)]
struct Address {
    config: tokio_postgres::Config,
    /// The file of `sslrootcert`.
    authorities: Option<PathBuf>,
}

impl Address {
    fn parse(url: &str) -> Result<Self> {
        let (url, authorities) = without_additions(url);
        let config = url.parse::<tokio_postgres::Config>();
        let mut config = config.map_err(|error| Error::Unavailable(with_cause(&error)))?;
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(REACH);
        }
        if config.get_tcp_user_timeout().is_none() {
            config.tcp_user_timeout(UNACKNOWLEDGED);
        }
        if config.get_keepalives_interval().is_none() {
            config.keepalives_idle(IDLE).keepalives_interval(PROBE);
        }
        Ok(Self { config, authorities })
    }
}

/// The URL as the driver understands it, and the file of `sslrootcert`.
fn without_additions(url: &str) -> (String, Option<PathBuf>) {
    // A password may contain a question mark; the driver ends it at the first @.
    let host_begins = url.find('@').unwrap_or_default();
    let query_begins = url.get(host_begins..).and_then(|rest| rest.find('?')).map(|at| host_begins + at);
    let Some((head, query)) = query_begins.and_then(|at| url.split_at_checked(at)) else {
        return (url.to_owned(), None);
    };
    let (mut authorities, mut kept) = (None, Vec::new());
    for pair in query.trim_start_matches('?').split('&') {
        match pair.split_once('=') {
            Some(("sslrootcert", file)) => {
                authorities = Some(PathBuf::from(percent_decode_str(file).decode_utf8_lossy().into_owned()));
            }
            Some(("sslmode", "verify-full")) => kept.push("sslmode=require"),
            _ => kept.push(pair),
        }
    }
    let query = kept.join("&");
    (if query.is_empty() { head.to_owned() } else { format!("{head}?{query}") }, authorities)
}

/// `sslmode` in the URL decides whether TLS is used; without it, TLS is used if the server offers it. Certificates are
/// checked against the given authorities, or those of the system.
fn tls(authorities: Option<PathBuf>) -> Result<MakeRustlsConnect> {
    let config = match authorities {
        Some(file) => {
            let roots = read_authorities(&file)?;
            tls_builder().map(|builder| builder.with_root_certificates(roots).with_no_client_auth())
        }
        None => SYSTEM_TLS.clone(),
    };
    config.map(MakeRustlsConnect::new).map_err(|error| Error::Unavailable(error.to_string()))
}

/// With the authorities of the system, which are read once for the process.
static SYSTEM_TLS: LazyLock<Result<ClientConfig, rustls::Error>> = LazyLock::new(|| {
    use rustls_platform_verifier::BuilderVerifierExt as _;
    Ok(tls_builder()?.with_platform_verifier()?.with_no_client_auth())
});

fn tls_builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, rustls::Error> {
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}

fn read_authorities(file: &std::path::Path) -> Result<RootCertStore> {
    let wrong = |why: String| Error::Unavailable(format!("sslrootcert {}: {why}", file.display()));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(error.to_string()))? {
        let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
        roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
    }
    if roots.is_empty() { Err(wrong("it has no certificate".to_owned())) } else { Ok(roots) }
}

#[cfg(test)]
mod tests {
    use tokio_postgres::config::SslMode;

    use super::*;

    #[test]
    fn additions_of_libpq_are_understood_and_the_rest_is_left_to_the_driver() {
        for (url, driver, file) in [
            ("postgres://u:p@h/d", "postgres://u:p@h/d", None),
            ("postgres://u:p?x@h/d?sslmode=disable", "postgres://u:p?x@h/d?sslmode=disable", None),
            ("postgres://u@h/d?sslmode=verify-full", "postgres://u@h/d?sslmode=require", None),
            ("postgres://u@h/d?sslrootcert=%2Fca.pem", "postgres://u@h/d", Some("/ca.pem")),
            (
                "postgres://u@h/d?user=x&sslrootcert=/a b&sslmode=verify-full",
                "postgres://u@h/d?user=x&sslmode=require",
                Some("/a b"),
            ),
        ] {
            assert_eq!(without_additions(url), (driver.to_owned(), file.map(PathBuf::from)), "{url}");
        }
        let address = Address::parse("postgres://u@h/d?sslmode=verify-full&connect_timeout=2").unwrap();
        assert_eq!(address.config.get_ssl_mode(), SslMode::Require);
        assert_eq!(address.config.get_connect_timeout(), Some(&Duration::from_secs(2)));
        assert_eq!(address.config.get_tcp_user_timeout(), Some(&UNACKNOWLEDGED));
    }

    #[test]
    fn a_missing_or_empty_file_of_authorities_is_named() {
        for file in ["/nowhere/ca.pem", "/dev/null"] {
            let error =
                pool(&format!("postgres://u@h/d?sslrootcert={file}"), 1, PostgresOptions::default(), Arc::default());
            let error = error.unwrap_err().to_string();
            assert!(error.contains(&format!("sslrootcert {file}: ")), "{error}");
        }
    }
}
