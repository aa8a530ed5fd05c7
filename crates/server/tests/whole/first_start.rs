//! The first start in an empty folder, and later starts.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use domain::keys::SecretKey;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::home::Home;
use crate::http;
use crate::server::{Server, refused};

/// Status and body of the printed curl command, run by a shell.
fn in_a_shell(curl: &str) -> (String, Value) {
    let found = Command::new("curl").arg("--version").output().is_ok_and(|output| output.status.success());
    assert!(found, "curl is not installed, and the line that a first start prints needs it");
    let line = format!("{curl} --silent --show-error --write-out '\\n%{{http_code}}'");
    let output = Command::new("sh").args(["-c", &line]).env("no_proxy", "*").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let (body, status) = text.rsplit_once('\n').unwrap();
    (status.to_owned(), serde_json::from_str(body).unwrap())
}

#[test]
fn the_printed_curl_line_answers() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    let printed = server.printed();
    let curl = printed.lines().map(str::trim).find(|line| line.starts_with("curl ")).unwrap();
    let (status, body) = in_a_shell(curl);
    assert_eq!((status.as_str(), &body["calls"]), ("200", &json!([])), "{body}");
}

#[tokio::test]
async fn the_printed_log_in_opens_the_console() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    assert_eq!(server.printed_after("address "), server.url(""));
    let log_in = json!({"email": server.printed_after("e-mail "), "password": server.printed_after("password ")});
    let request = http().post(server.url("/console/api/session")).header("origin", server.url(""));
    let answer = request.json(&log_in).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK, "{}", answer.text().await.unwrap());
}

#[tokio::test]
async fn the_second_start_prints_nothing_and_neither_logs_a_secret() {
    let home = Home::sqlite();
    let first = Server::start_with(&home, &[("SWITCHBOARD_LOG_LEVEL", "debug")]);
    let (token, password) = (first.token(), first.printed_after("password "));
    let calls = |server: &Server| http().get(server.url("/api/ext/v3/calls")).bearer_auth(&token).send();
    assert_eq!(calls(&first).await.unwrap().status(), StatusCode::OK);
    let (status, log) = first.terminate();
    assert!(status.success() && log.contains("\"ready\""), "{log}");

    let second = Server::start_with(&home, &[("SWITCHBOARD_LOG_LEVEL", "debug")]);
    assert_eq!(calls(&second).await.unwrap().status(), StatusCode::OK);
    assert_eq!(second.printed(), "");
    let log = log + &second.terminate().1;
    assert!(!log.contains(&token) && !log.contains(&password), "a secret is in the log");
}

#[test]
fn the_key_is_for_its_owner_alone() {
    let home = Home::sqlite();
    let _server = Server::start(&home);
    let mode = home.file("data/secret.key").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn another_key_is_refused_by_its_name() {
    let home = Home::sqlite();
    assert!(Server::start(&home).terminate().0.success());
    let mut command = home.binary();
    command.env("SWITCHBOARD_SECRET_KEY", SecretKey::random().to_file_text().as_str());
    command.args(["--listen", "127.0.0.1:0"]);
    let (status, said) = refused(command);
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("secret_key") && said.contains("belongs to the key"), "{said}");
}

#[tokio::test]
async fn postgres_needs_a_key_and_says_so() {
    let home = Home::postgres().await;
    let mut command = home.binary();
    command.env_remove("SWITCHBOARD_SECRET_KEY").args(["--listen", "127.0.0.1:0"]);
    let (status, said) = refused(command);
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("secret_key") && said.contains("SWITCHBOARD_SECRET_KEY"), "{said}");
    home.remove().await;
}

#[test]
fn a_wrong_setting_stops_the_start_with_its_name() {
    let home = Home::sqlite();
    let mut command = home.binary();
    command.env("SWITCHBOARD_LISTEN", "nonsense");
    let (status, said) = refused(command);
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("SWITCHBOARD_LISTEN") && said.contains("nonsense"), "{said}");
    assert!(!home.file("data").exists(), "a start that was refused left something behind");
}
