//! The first start in an empty folder, and later starts.

use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use domain::base::keys::SecretKey;
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
fn the_given_curl_line_answers() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    let given = server.first_start();
    let curl = given.lines().map(str::trim).find(|line| line.starts_with("curl ")).unwrap();
    let (status, body) = in_a_shell(curl);
    assert_eq!((status.as_str(), &body["calls"]), ("200", &json!([])), "{body}");
}

/// The code in a link of this server.
fn code_in(link: &str, server: &Server) -> String {
    let page = server.url("/console/set-up#");
    link.strip_prefix(&page).unwrap_or_else(|| panic!("{link} does not begin with {page}")).to_owned()
}

async fn set_up(server: &Server, code: &str, password: &str) -> (StatusCode, Value) {
    let request = http().post(server.url("/console/api/set-up")).header("origin", server.url(""));
    let answer = request.json(&json!({"code": code, "password": password})).send().await.unwrap();
    (answer.status(), answer.json().await.unwrap())
}

async fn calls(server: &Server, token: &str) -> StatusCode {
    http().get(server.url("/api/ext/v3/calls")).bearer_auth(token).send().await.unwrap().status()
}

async fn log_in(server: &Server, email: &str, password: &str) -> StatusCode {
    let request = http().post(server.url("/console/api/session")).header("origin", server.url(""));
    request.json(&json!({"email": email, "password": password})).send().await.unwrap().status()
}

/// The link of the first start sets the first password, and the token stays valid; a link of the command sets a new
/// password and ends the token.
async fn links_set_passwords(home: &Home) {
    let server = Server::start(home);
    let (email, token) = (server.given_after("e-mail "), server.token());
    assert_eq!(server.given_after("address "), server.url(""));
    let code = code_in(&server.given_after("set up "), &server);
    let (status, session) = set_up(&server, &code, "a first long password").await;
    assert_eq!(status, StatusCode::OK, "{session}");
    assert_eq!(session["account"]["email"], email);
    assert_eq!(calls(&server, &token).await, StatusCode::OK);
    assert_eq!(set_up(&server, &code, "a first long password").await.0, StatusCode::GONE);
    assert_eq!(log_in(&server, &email, "a first long password").await, StatusCode::OK);

    let made = home.run(&format!("account setup-link {email}"));
    assert_eq!((&made["purpose"], &made["account"]["email"]), (&json!("reset"), &json!(email)), "{made}");
    let code = made["url"].as_str().unwrap().rsplit_once('#').unwrap().1.to_owned();
    let (status, session) = set_up(&server, &code, "a second long password").await;
    assert_eq!(status, StatusCode::OK, "{session}");
    assert_eq!(calls(&server, &token).await, StatusCode::UNAUTHORIZED);
    assert_eq!(log_in(&server, &email, "a first long password").await, StatusCode::UNAUTHORIZED);
    assert!(server.terminate().0.success());
}

#[tokio::test]
async fn the_set_up_link_opens_the_console_and_leaves_the_token() {
    links_set_passwords(&Home::sqlite()).await;
}

#[tokio::test]
async fn the_set_up_link_opens_the_console_and_leaves_the_token_on_postgres() {
    let home = Home::postgres().await;
    links_set_passwords(&home).await;
    home.remove().await;
}

#[tokio::test]
async fn a_first_start_without_a_terminal_fills_a_private_file_and_no_start_logs_a_secret() {
    let home = Home::sqlite();
    let first = Server::start_with(&home, &[("SWITCHBOARD_LOG_LEVEL", "debug")]);
    let (token, link) = (first.token(), first.given_after("set up "));
    let code = code_in(&link, &first);
    let file = home.file("data/first-start.txt");
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(calls(&first, &token).await, StatusCode::OK);
    assert_eq!(set_up(&first, &code, "a first long password").await.0, StatusCode::OK);
    assert_eq!(first.printed(), "");
    let (status, log) = first.terminate();
    assert!(status.success() && log.contains("\"ready\""), "{log}");
    let name = file.canonicalize().unwrap();
    assert!(log.contains(&name.display().to_string()), "the log does not name {}", name.display());

    std::fs::remove_file(&file).unwrap();
    let second = Server::start_with(&home, &[("SWITCHBOARD_LOG_LEVEL", "debug")]);
    assert_eq!(calls(&second, &token).await, StatusCode::OK);
    assert_eq!(second.printed(), "");
    assert!(!file.exists(), "a second start hands over nothing");
    let log = log + &second.terminate().1;
    assert!(
        !log.contains(&token) && !log.contains(&code) && !log.contains("a first long password"),
        "a secret is in the log"
    );
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
