//! The data folder of an embedded database: one server at a time, no installation by mistake, a disk that cannot be
//! written, a damaged file, and a file that is complete after a stop.

use std::fs::{File, OpenOptions, Permissions};
use std::io::{Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;

use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit};
use serde_json::{Value, json};
use store::{Db, Location, Statement};

use crate::home::Home;
use crate::server::{Server, refused};
use crate::{eventually, http};

const SERVE: &str = "serve --listen 127.0.0.1:0";
const DATABASE: &str = "data/switchboard.db";
/// Commands that open the database, each in its own way.
const COMMANDS: [&str; 6] =
    [SERVE, "tenant list", "backup one.backup", "check", "migrate", "account setup-link --tenant 100001"];
const PAGE: u64 = 8192;

/// Runs a command that must fail for this reason.
#[track_caller]
fn assert_refused(home: &Home, arguments: &str, reason: &str) {
    let mut command = home.binary();
    command.args(arguments.split_whitespace());
    let (status, said) = refused(command);
    assert!(status.code() == Some(1) && said.contains(reason), "{arguments}: {said}");
}

#[test]
fn a_second_server_is_refused_and_names_the_first_whose_lock_ends_with_it() {
    let home = Home::sqlite();
    let first = Server::start(&home);
    assert_refused(&home, SERVE, &format!("another server (process {} on ", first.pid()));
    assert_eq!(home.run("tenant list").as_array().unwrap().len(), 1, "commands work beside a server");
    first.kill_9();
    assert!(Server::start(&home).terminate().0.success());
}

#[test]
fn a_missing_or_empty_folder_does_not_become_an_installation() {
    let home = Home::sqlite();
    std::fs::create_dir(home.file("empty")).unwrap();
    for command in COMMANDS {
        for folder in ["missing/x", "empty"] {
            assert_refused(&home, &format!("{command} --data {folder}"), "there is no installation here");
        }
    }
    for command in ["tenant list", "migrate"] {
        assert_refused(&home, command, "there is no installation here");
    }
    let mut by_variable = home.binary();
    by_variable.args(SERVE.split(' ')).env("SWITCHBOARD_DATA", "missing");
    assert!(refused(by_variable).1.contains("or add --create to create a new installation"));
    assert!(!home.file("missing").exists() && !home.file("data").exists());
    assert_eq!(std::fs::read_dir(home.file("empty")).unwrap().count(), 0);

    for options in ["--create --data made/new", "--data made/new"] {
        let mut serve = home.binary();
        serve.args(SERVE.split(' ')).args(options.split(' '));
        assert!(Server::start_command(&home, serve).terminate().0.success(), "{options}");
    }
    assert_eq!(home.run("tenant list --data made/new").as_array().unwrap().len(), 1);
}

#[test]
fn a_key_without_its_database_is_refused_everywhere() {
    let home = Home::sqlite();
    assert!(Server::start(&home).terminate().0.success());
    for file in ["switchboard.db", "switchboard.db-wal", "switchboard.db-shm"] {
        let _ = std::fs::remove_file(home.file("data").join(file));
    }
    for command in [SERVE, "serve --create --listen 127.0.0.1:0", "tenant list", "migrate --create"] {
        assert_refused(&home, command, "secret.key is here, but its database is missing or empty");
    }
    assert!(!home.file(DATABASE).exists());
    File::create(home.file(DATABASE)).unwrap();
    assert_refused(&home, SERVE, "secret.key is here, but its database is missing or empty");
}

#[tokio::test]
async fn on_postgres_only_a_server_creates_an_installation_in_an_empty_database() {
    let home = Home::postgres().await;
    for command in ["tenant list", "migrate"] {
        assert_refused(&home, command, "there is no installation here; check the address of the database");
    }
    let db = home.db();
    assert!(store::migrations::is_empty(&db).await.unwrap());
    assert!(Server::start(&home).terminate().0.success());
    assert_eq!(home.run("tenant list").as_array().unwrap().len(), 1);
    drop(db);
    home.remove().await;
}

/// Limits the size of files that the server may write, which fails writes as a full disk does.
fn limit_files(server: &Server, bytes: Option<u64>) {
    let pid = Pid::from_raw(i32::try_from(server.pid()).unwrap()).unwrap();
    let limit = Rlimit { current: bytes, maximum: getrlimit(Resource::Fsize).maximum };
    prlimit(Some(pid), Resource::Fsize, limit).unwrap();
}

async fn status(url: &str) -> u16 {
    http().get(url).send().await.unwrap().status().as_u16()
}

/// Waits until all URLs answer with this status.
async fn all_answer(urls: &[String], expected: u16) {
    for url in urls {
        eventually(url, async || (status(url).await == expected).then_some(())).await;
    }
}

/// Starts a server that is ready; returns it with its two addresses of `/readyz`.
async fn ready(home: &Home) -> (Server, [String; 2]) {
    // Without the signal that comes with the limit of `limit_files`: a full disk sends none.
    let mut serve = home.bash(&format!("trap '' XFSZ; exec switchboard {SERVE}"));
    serve.env("SWITCHBOARD_HEALTH_LISTEN", "127.0.0.1:0");
    let server = Server::start_command(home, serve);
    let health = eventually("health is served", async || server.address_in_log("health is served")).await;
    let urls = [server.url("/readyz"), format!("http://{health}/readyz")];
    all_answer(&urls, 200).await;
    (server, urls)
}

#[tokio::test]
async fn a_server_on_a_full_disk_is_not_ready() {
    let home = Home::sqlite();
    let (server, urls) = ready(&home).await;
    let (token, calls) = (server.token(), server.url("/api/ext/v3/calls"));
    let call = json!({"call_id": "full", "direction": "inbound", "from_number": "14155552671",
        "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z"});
    let record = async || http().post(&calls).bearer_auth(&token).json(&call).send().await.unwrap().status().as_u16();
    limit_files(&server, Some(0));
    all_answer(&urls, 503).await;
    assert_eq!(status(&server.url("/healthz")).await, 200);
    assert_eq!(record().await, 503);
    limit_files(&server, getrlimit(Resource::Fsize).current);
    all_answer(&urls, 200).await;
    assert_eq!(record().await, 200);
    assert!(server.terminate().0.success());
}

#[test]
fn a_folder_of_another_user_is_refused_with_its_owner() {
    const NOBODY: u32 = 65_534;
    let home = Home::sqlite();
    assert!(Server::start(&home).terminate().0.success());
    // The other user may enter the folder above, as in /srv or /var/lib.
    std::fs::set_permissions(home.file(""), Permissions::from_mode(0o711)).unwrap();
    for command in COMMANDS {
        let mut process = home.binary();
        // Only root can run a process as another user, and only where that user may read the binary.
        let Ok(output) = process.args(command.split(' ')).uid(NOBODY).output() else { return };
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains("data belongs to user root, and this process"), "{said}");
    }
    let answer = home.run("tenant list");
    assert_eq!(answer.as_array().unwrap().len(), 1, "the folder is as it was");
}

#[tokio::test]
async fn a_server_on_a_read_only_disk_is_not_ready() {
    let home = Home::sqlite();
    let (server, urls) = ready(&home).await;
    let (data, away) = (home.file("data"), home.file("away"));
    std::fs::set_permissions(&data, Permissions::from_mode(0o500)).unwrap();
    // Root may write there. For root the folder goes away instead, as that of an unmounted disk does.
    let is_root = File::create(data.join("written")).is_ok();
    if is_root {
        std::fs::rename(&data, &away).unwrap();
    }
    all_answer(&urls, 503).await;
    if is_root {
        std::fs::rename(&away, &data).unwrap();
    }
    std::fs::set_permissions(&data, Permissions::from_mode(0o700)).unwrap();
    all_answer(&urls, 200).await;
    assert!(server.terminate().0.success());
}

/// Overwrites four pages in the middle of a file.
fn damage(file: &Path) {
    let mut file = OpenOptions::new().write(true).open(file).unwrap();
    let pages = file.metadata().unwrap().len() / PAGE;
    file.seek(SeekFrom::Start(pages / 2 * PAGE)).unwrap();
    file.write_all(&vec![0xff; usize::try_from(4 * PAGE).unwrap()]).unwrap();
}

#[test]
fn a_damaged_page_is_found_at_the_start_and_by_a_check() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    home.run("seed contacts --tenant 100001 --count 2000");
    assert!(server.terminate().0.success());
    assert_eq!(home.run("check"), json!({"database": "sqlite", "faults": []}));
    damage(&home.file(DATABASE));
    assert_refused(&home, SERVE, "the database is damaged: ");
    let checked = home.binary().args(["check", "--json"]).output().unwrap();
    let result: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(1));
    assert!(!result["faults"].as_array().unwrap().is_empty(), "{result}");
}

#[tokio::test]
async fn after_a_stop_a_copy_of_the_database_file_alone_has_every_row() {
    static CALLS: Statement = Statement::new("test.calls", "SELECT COUNT(*) FROM calls");
    let home = Home::sqlite();
    let server = Server::start(&home);
    home.run("seed calls --tenant 100001 --count 500");
    assert!(server.terminate().0.success());
    let copy = home.file("copy.db");
    std::fs::copy(home.file(DATABASE), &copy).unwrap();
    let db = Db::open(&Location::Sqlite { file: copy }).unwrap();
    assert_eq!(db.row(&CALLS, &[], store::read::<i64>).await.unwrap(), Some(500));
}
