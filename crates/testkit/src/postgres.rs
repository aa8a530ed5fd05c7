//! The PostgreSQL server of tests.

pub use private_postgres::{CITUS_VARIABLE, Citus, Options, Postgres, StartError};

/// The URL of the server that all tests of a run share; each test uses its own tenants.
///
/// nextest starts the server before the first test (`.config/nextest.toml`).
#[expect(clippy::panic, reason = "a test without its database must fail, and say how to get one")]
pub fn shared_url() -> String {
    let variable = private_postgres::URL_VARIABLE;
    std::env::var(variable).unwrap_or_else(|_| {
        panic!("{variable} is not set: run scripts/test or `cargo nextest run`, or set it to the URL of a PostgreSQL")
    })
}

#[cfg(test)]
mod tests {
    use std::net::TcpStream;

    #[test]
    fn the_shared_server_listens() {
        let url = super::shared_url();
        let after_credentials = url.split_once('@').unwrap().1;
        let address = after_credentials.split('/').next().unwrap();
        TcpStream::connect(address).unwrap();
    }
}
