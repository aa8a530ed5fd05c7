//! The sandbox through commands next to a running server.

use std::os::unix::fs::PermissionsExt as _;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::home::Home;
use crate::server::{Server, refused};

const TIMEOUT: Duration = Duration::from_secs(20);
const SOCKET: &str = "data/sandbox.sock";
const CHECK: &str = "channel check --tenant 100001 --channel Sandbox";

/// The error of a command that must fail.
fn fails(home: &Home, arguments: &str) -> Value {
    let mut command = home.binary();
    command.args(arguments.split_whitespace()).arg("--json");
    let (status, said) = refused(command);
    assert_eq!(status.code(), Some(1), "{said}");
    serde_json::from_str(said.lines().last().unwrap()).unwrap()
}

/// Waits until the person who wrote is a contact; returns the contact.
fn until_known(home: &Home, phone: &str) -> Value {
    let began = Instant::now();
    while began.elapsed() < TIMEOUT {
        let contacts = home.run("contact list --tenant 100001");
        if let Some(contact) = contacts.as_array().unwrap().iter().find(|contact| contact["phone"] == phone) {
            return contact.clone();
        }
    }
    panic!("{phone} did not become a contact");
}

#[track_caller]
fn assert_works(home: &Home) {
    let findings = home.run(CHECK);
    let findings = findings.as_array().unwrap();
    assert!(!findings.is_empty() && findings.iter().all(|finding| finding["ok"] == true), "{findings:?}");
}

#[test]
fn the_channel_of_the_first_start_works() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    assert!(
        server.first_start().contains("\n  switchboard sandbox person list --tenant 100001\n"),
        "{}",
        server.first_start()
    );
    assert_eq!(home.file(SOCKET).metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert_works(&home);
    assert!(server.terminate().0.success());
    assert!(!home.file(SOCKET).exists());
    let error = fails(&home, CHECK);
    assert_eq!(error["error"]["kind"], "unavailable", "{error}");
}

#[tokio::test]
async fn commands_find_a_server_on_postgres_in_its_data_folder() {
    let home = Home::postgres().await;
    let server = Server::start(&home);
    assert_works(&home);
    assert!(server.terminate().0.success());
    home.remove().await;
}

/// On PostgreSQL, because servers on SQLite do not share a folder.
#[tokio::test]
async fn the_socket_of_a_killed_server_is_replaced_and_a_live_one_is_left_alone() {
    let home = Home::postgres().await;
    Server::start(&home).kill_9();
    assert!(home.file(SOCKET).exists());
    let first = Server::start(&home);
    assert_works(&home);
    let (status, log) = Server::start(&home).terminate();
    assert!(status.success() && log.contains("no control socket") && log.contains("another server"), "{log}");
    assert_works(&home);
    assert!(first.terminate().0.success());
    home.remove().await;
}

#[test]
fn a_disabled_sandbox_is_not_mentioned() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_SANDBOX_ENABLED", "false")]);
    assert!(!server.first_start().contains("sandbox") && !home.file(SOCKET).exists());
    assert_eq!(home.run("channel list --tenant 100001"), json!([]));
    let error = fails(&home, "sandbox person list");
    assert!(error["error"]["message"].as_str().unwrap().contains("`switchboard serve`"), "{error}");
}

#[test]
fn people_are_listed_written_to_and_write() {
    let home = Home::sqlite();
    let _server = Server::start(&home);
    let people = home.run("sandbox person list")["people"].clone();
    let first = &people[0];
    assert!(people.as_array().unwrap().len() > 1 && first["phone"].is_string(), "{people}");
    let named = home.run("sandbox person list --tenant 100001")["people"].clone();
    assert_eq!(people, named);
    for member in ["phone", "bsuid", "username"] {
        let inbox = home.run(&format!("sandbox inbox --person {}", first[member].as_str().unwrap()));
        assert_eq!(inbox, json!({"messages": [], "said": []}), "{member}");
    }
    let phone = first["phone"].as_str().unwrap();
    let said = home.run(&format!("sandbox say --person {phone} Hello"));
    assert!(said["id"].as_str().unwrap().starts_with("wamid."), "{said}");
    assert_eq!(until_known(&home, phone)["name"], first["name"]);
    let error = fails(&home, "sandbox inbox --person nobody");
    assert_eq!(error["error"]["kind"], "not_found", "{error}");
    home.run("tenant create 100138 --name Acme");
    let error = fails(&home, "sandbox person list");
    assert_eq!(
        (&error["error"]["kind"], &error["error"]["parameter"]),
        (&json!("invalid"), &json!("tenant")),
        "{error}"
    );
}

/// A command beside a server shows the server's address, whatever its own settings say.
#[tokio::test]
async fn channels_are_listed_with_the_address_of_the_running_server() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_PUBLIC_URL", "https://wa.example.com")]);
    let hook = |listed: &Value| listed[0]["hook_url"].as_str().unwrap().to_owned();
    let listed = home.run("channel list --tenant 100001");
    assert!(hook(&listed).starts_with("https://wa.example.com/hooks/whatsapp/"), "{listed}");
    assert!(server.terminate().0.success());
    let server = Server::start(&home);
    let listed = home.run("channel list --tenant 100001");
    assert!(hook(&listed).starts_with(&server.url("/hooks/whatsapp/")), "{listed}");
}
