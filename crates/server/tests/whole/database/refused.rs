//! Commands that get no connection to PostgreSQL say why, in words.

use std::net::TcpListener;

use domain::base::keys::SecretKey;
use serde_json::Value;

use super::private_postgres;
use crate::home::Home;

/// Kind and message of the error of `tenant list` on this database.
fn refused(url: &str) -> (String, String) {
    let home = Home::sqlite();
    let mut command = home.binary();
    command.args(["tenant", "list", "--json", "--database", url]);
    let output = command.env("SWITCHBOARD_SECRET_KEY", SecretKey::random().to_file_text().trim()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{url}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let error: Value = serde_json::from_str(said.lines().last().unwrap()).unwrap();
    let text = |member: &str| error["error"][member].as_str().unwrap().to_owned();
    (text("kind"), text("message"))
}

#[test]
fn a_refused_connection_is_explained_without_the_password() {
    let postgres = private_postgres();
    let (port, password) = (postgres.port(), postgres.password());
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let at = format!("127.0.0.1:{port}");
    for (url, says) in [
        (
            format!("postgres://postgres:wrong@{at}/postgres"),
            format!("PostgreSQL refused the password for user \"postgres\" at {at}"),
        ),
        (
            format!("postgres://postgres@{at}/postgres"),
            format!("PostgreSQL at {at} asks user \"postgres\" for a password, and the database URL has none"),
        ),
        (
            format!("postgres://postgres:{password}@{at}/absent"),
            format!("PostgreSQL at {at} does not have the database \"absent\": create it"),
        ),
        (
            format!("postgres://postgres:{password}@127.0.0.1:{closed}/postgres"),
            format!("nothing accepts connections at 127.0.0.1:{closed}: is PostgreSQL running there?"),
        ),
        (
            format!("postgres://postgres:{password}@name.invalid:{port}/postgres"),
            format!("name.invalid:{port} cannot be reached: "),
        ),
        (format!("postgres://postgres:{password}@{at}/postgres?sslmode=require"), "does not support TLS".to_owned()),
    ] {
        let (kind, message) = refused(&url);
        assert_eq!(kind, "unavailable", "{message}");
        assert!(message.contains(&says) && !message.contains(password), "{message}");
    }
}
