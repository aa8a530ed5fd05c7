//! Why there is no connection to PostgreSQL, in words: who connects where, what went wrong, and what to look at.

use std::error::Error as _;
use std::io;

use deadpool_postgres::{PoolError, TimeoutType};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::{DbError, SqlState};

use crate::base::error::with_cause;

const DEFAULT_PORT: u16 = 5432;

/// Who connects where; without the password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ConnectionTarget {
    /// Such as `user "switchboard"`.
    user: String,
    /// Hosts with their ports.
    server: String,
    /// Such as `the database "switchboard"`.
    database: String,
    /// Whether a missing password can be the reason for an error that names no other cause.
    may_lack_password: bool,
}

impl ConnectionTarget {
    pub fn new(config: &Config) -> Self {
        let user =
            config.get_user().map_or_else(|| "the user of this process".to_owned(), |name| format!("user {name:?}"));
        let named = config.get_dbname().or_else(|| config.get_user());
        let database = named.map_or_else(|| "its default database".to_owned(), |name| format!("the database {name:?}"));
        let may_lack_password = config.get_password().is_none() && config.get_ssl_mode() != SslMode::Require;
        Self { user, server: servers(config), database, may_lack_password }
    }

    /// The hosts with their ports.
    pub fn server(&self) -> &str {
        &self.server
    }

    pub fn explain(&self, error: &PoolError) -> String {
        match error {
            PoolError::Backend(error) => self.explain_driver(error),
            PoolError::Timeout(TimeoutType::Create) => self.is_silent(),
            other => with_cause(other),
        }
    }

    fn explain_driver(&self, error: &tokio_postgres::Error) -> String {
        if let Some(refusal) = error.as_db_error() {
            return self.explain_refusal(refusal);
        }
        match error.source().and_then(|cause| cause.downcast_ref::<io::Error>()) {
            Some(cause) => self.explain_io(cause),
            None if self.may_lack_password => {
                format!(
                    "PostgreSQL at {} asks {} for a password, and the database URL has none",
                    self.server, self.user
                )
            }
            None => format!("no connection to PostgreSQL at {}: {}", self.server, with_cause(error)),
        }
    }

    fn explain_refusal(&self, refusal: &DbError) -> String {
        let Self { user, server, database, .. } = self;
        let (code, said) = (refusal.code(), refusal.message());
        if *code == SqlState::INVALID_PASSWORD {
            format!("PostgreSQL refused the password for {user} at {server}")
        } else if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION {
            format!("PostgreSQL at {server} does not let {user} connect: {said}")
        } else if *code == SqlState::INVALID_CATALOG_NAME {
            format!("PostgreSQL at {server} does not have {database}: create it, or correct the database URL")
        } else if *code == SqlState::INSUFFICIENT_PRIVILEGE {
            format!("PostgreSQL at {server} does not let {user} use {database}: {said}")
        } else if *code == SqlState::TOO_MANY_CONNECTIONS {
            format!("PostgreSQL at {server} has no connection left ({said}): lower postgres.max_connections")
        } else if *code == SqlState::CANNOT_CONNECT_NOW {
            format!("PostgreSQL at {server} is not ready yet: {said}")
        } else {
            format!("PostgreSQL at {server} refused the connection: {said}")
        }
    }

    fn explain_io(&self, error: &io::Error) -> String {
        let server = &self.server;
        if let Some(tls) = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            let hint = match tls {
                rustls::Error::InvalidCertificate(_) => {
                    "; sslrootcert=FILE in the database URL names the authority of its certificate"
                }
                _ => "",
            };
            return format!("TLS to PostgreSQL at {server} failed: {tls}{hint}");
        }
        match error.kind() {
            io::ErrorKind::ConnectionRefused => {
                format!("nothing accepts connections at {server}: is PostgreSQL running there?")
            }
            io::ErrorKind::TimedOut => self.is_silent(),
            io::ErrorKind::NotFound => format!("there is no PostgreSQL socket at {server}: is PostgreSQL running?"),
            io::ErrorKind::ConnectionReset | io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe => {
                format!("{server} closed the connection: is PostgreSQL there?")
            }
            _ => format!("{server} cannot be reached: {error}"),
        }
    }

    fn is_silent(&self) -> String {
        format!("{} does not respond: check the host, the port and the firewall", self.server)
    }
}

fn servers(config: &Config) -> String {
    let ports = config.get_ports();
    let port = |index: usize| ports.get(index).or_else(|| ports.first()).copied().unwrap_or(DEFAULT_PORT);
    let hosts = config.get_hosts().iter().enumerate().map(|(index, host)| match host {
        Host::Tcp(name) => format!("{name}:{}", port(index)),
        Host::Unix(folder) => folder.join(format!(".s.PGSQL.{}", port(index))).display().to_string(),
    });
    hosts.collect::<Vec<_>>().join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(url: &str) -> ConnectionTarget {
        ConnectionTarget::new(&url.parse().unwrap())
    }

    #[test]
    fn a_target_names_user_server_and_database_but_no_password() {
        let one = target("postgres://ada:secret@db.example/shop");
        assert_eq!((one.user.as_str(), one.database.as_str()), ("user \"ada\"", "the database \"shop\""));
        assert_eq!((one.server(), one.may_lack_password), ("db.example:5432", false));
        assert!(!format!("{one:?}").contains("secret"));
        let two = target("postgres://ada@a:1,b:2?sslmode=require");
        assert_eq!((two.server(), two.database.as_str()), ("a:1 and b:2", "the database \"ada\""));
        assert!(!two.may_lack_password && target("postgres://ada@db").may_lack_password);
        assert_eq!(target("postgres://ada@%2Frun%2Fpg/shop").server(), "/run/pg/.s.PGSQL.5432");
    }

    #[test]
    fn errors_of_the_network_say_what_to_look_at() {
        let target = target("postgres://ada:secret@db/shop");
        let said = |error: io::Error| target.explain_io(&error);
        assert_eq!(
            said(io::ErrorKind::ConnectionRefused.into()),
            "nothing accepts connections at db:5432: is PostgreSQL running there?"
        );
        let silent = "db:5432 does not respond: check the host, the port and the firewall";
        assert_eq!(said(io::ErrorKind::TimedOut.into()), silent);
        assert_eq!(target.explain(&PoolError::Timeout(TimeoutType::Create)), silent);
        let unknown = said(io::Error::other("failed to lookup address information"));
        assert_eq!(unknown, "db:5432 cannot be reached: failed to lookup address information");
        let certificate = rustls::Error::InvalidCertificate(rustls::CertificateError::UnknownIssuer);
        let refused = said(io::Error::new(io::ErrorKind::InvalidData, certificate));
        assert!(refused.starts_with("TLS to PostgreSQL at db:5432 failed: ") && refused.contains("sslrootcert=FILE"));
    }
}
