//! `https.md` and `operations.md`: most of their commands start a server, which does not end by itself. Each is run as
//! it stands, except for ports, folders and the address of the database.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use domain::base::keys::SecretKey;
use store::{Engine, Location};
use testkit::fresh::FreshDatabase;

use super::page::Page;
use crate::home::Home;
use crate::https::authority::{Authority, Issued};
use crate::server::Server;
use crate::{eventually, http};

const CONFIG_FOLDER: &str = "/etc/switchboard";

/// The blocks of a page with these beginnings. Together they are all that is to be run.
fn blocks<const COUNT: usize>(name: &str, beginnings: [&str; COUNT]) -> [String; COUNT] {
    let commands: Vec<String> = Page::read(name).steps().into_iter().map(|step| step.command).collect();
    assert_eq!(commands.len(), COUNT, "{name}: {commands:#?}");
    let mut commands = commands.into_iter();
    beginnings.map(|beginning| {
        let command = commands.next().unwrap();
        assert!(command.starts_with(beginning), "{command}");
        command
    })
}

fn start(home: &Home, command: &str) -> Server {
    let mut bash = home.bash(command.trim());
    bash.env("SWITCHBOARD_LISTEN", "127.0.0.1:0");
    Server::start_command(home, bash)
}

async fn answers(url: String) {
    assert_eq!(http().get(&url).send().await.unwrap().status(), 200, "{url}");
}

fn mode(file: &Path) -> u32 {
    std::fs::metadata(file).unwrap().permissions().mode() & 0o777
}

fn write(issued: &Issued, folder: &Path) {
    std::fs::create_dir_all(folder).unwrap();
    for (name, text) in [("fullchain.pem", &issued.certificate), ("privkey.pem", &issued.key)] {
        std::fs::write(folder.join(name), text).unwrap();
    }
}

#[tokio::test]
async fn operations() {
    // The commands for Citus need a cluster: tests/commands/citus.rs runs them.
    let beginnings =
        ["switchboard\n", "SWITCHBOARD_DATABASE=", "switchboard migrate --", "SWITCHBOARD_METRICS_LISTEN="];
    let [plain, database, _, metrics] = blocks("operations", beginnings);

    let home = Home::sqlite();
    let server = start(&home, &plain);
    answers(server.url("/healthz")).await;
    answers(server.url("/readyz")).await;
    for file in ["data/switchboard.db", "data/secret.key"] {
        assert_eq!(mode(&home.file(file)), 0o600, "{file}");
    }
    assert!(server.terminate().0.success());

    let server = start(&home, &metrics.replace("127.0.0.1:9464", "127.0.0.1:0"));
    let address = eventually("metrics are served", async || server.address_in_log("metrics are served")).await;
    answers(format!("http://{address}/metrics")).await;
    assert!(server.terminate().0.success());

    // With the file of settings for a pooler.
    let fresh = FreshDatabase::on(Engine::Postgres).await;
    let Location::Postgres { url, .. } = &fresh.location else { unreachable!("it is on PostgreSQL") };
    let home = Home::sqlite();
    std::fs::write(home.file("switchboard.toml"), Page::read("operations").program("toml")).unwrap();
    let (name, shown) = database.trim().split_once('=').unwrap();
    assert!(shown.starts_with("'postgres://"), "{shown}");
    let key = SecretKey::random().to_file_text();
    let server = start(&home, &format!("SWITCHBOARD_SECRET_KEY={} {name}='{url}' switchboard", key.trim()));
    answers(server.url("/readyz")).await;
    assert!(!home.file("data/switchboard.db").exists(), "it uses the embedded database");
    assert!(server.terminate().0.success());
    fresh.remove().await;
}

#[tokio::test]
async fn https() {
    let [serve, request] = blocks("https", ["SWITCHBOARD_HTTPS_LISTEN=0.0.0.0:8443", "curl "]);
    let (home, authority) = (Home::sqlite(), Authority::new());
    let folder = home.file("config");
    let own_folder = |text: &str| text.replace(CONFIG_FOLDER, folder.to_str().unwrap());
    write(&authority.issue(), &folder);
    let server = start(&home, &own_folder(&serve).replace("0.0.0.0:8443", "127.0.0.1:0"));
    let address = eventually("https is served", async || server.address_in_log("https is served")).await;

    let port = address.port();
    std::fs::write(home.file("authority.pem"), authority.pem()).unwrap();
    let curl = format!("silent\nfail\ncacert = authority.pem\nresolve = wa.example.com:{port}:127.0.0.1\n");
    std::fs::write(home.file(".curlrc"), curl).unwrap();
    let request = request.replace(":8443", &format!(":{port}"));
    let answer = home.bash(&request).env("CURL_HOME", home.file("")).output().unwrap();
    assert!(answer.status.success(), "{request}: {answer:?}");

    // The program that certbot runs after a renewal; only root may choose the owner.
    let page = Page::read("https");
    let hook = page.blocks.iter().find(|block| block.text.starts_with("#!/bin/sh")).unwrap();
    let hook = own_folder(&hook.text).replace("--owner=root --group=switchboard", "");
    let renewed = authority.issue();
    write(&renewed, &home.file("renewed"));
    let ran = home.bash(&hook).env("RENEWED_LINEAGE", home.file("renewed")).status().unwrap();
    assert!(ran.success(), "{hook}");
    assert_eq!(std::fs::read_to_string(folder.join("fullchain.pem")).unwrap(), renewed.certificate);
    assert_eq!(mode(&folder.join("privkey.pem")), 0o640);
    let reloaded = async || server.log().contains("the certificate files changed and are in use").then_some(());
    eventually("the server reads the new files", reloaded).await;
}
