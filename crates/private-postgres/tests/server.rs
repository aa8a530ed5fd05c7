//! The server handle with a real PostgreSQL: the server is private and configured, and leaves nothing behind.
#![expect(clippy::unwrap_used, reason = "helpers of tests, where a panic is the report")]

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use private_postgres::{Options, Postgres, WatchedProcess};

fn query(url: &str, sql: &str) -> Output {
    Command::new("psql").args(["--no-psqlrc", "--no-password", "-At", "-c", sql, url]).output().unwrap()
}

fn answer(server: &Postgres, sql: &str) -> String {
    let output = query(&server.url(), sql);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_server_answers_as_configured_and_leaves_nothing_behind() {
    let server = Postgres::start(Options { fsync: true, max_connections: 40 }).unwrap();
    assert_eq!(answer(&server, "show fsync"), "on");
    assert_eq!(answer(&server, "show max_connections"), "40");
    assert_eq!(answer(&server, "show listen_addresses"), "127.0.0.1");
    assert_eq!(answer(&server, "show unix_socket_directories"), "");

    let (pid, folder) = (server.pid(), server.folder().to_owned());
    drop(server);
    assert_eq!(WatchedProcess::find(pid), None);
    assert!(!folder.exists());
}

#[test]
fn a_wrong_password_is_refused() {
    let server = Postgres::start(Options::for_tests()).unwrap();
    assert_eq!(answer(&server, "show fsync"), "off");
    let stranger = server.url().replace('@', "0@");
    assert!(!query(&stranger, "select 1").status.success());
}

#[test]
fn two_servers_run_side_by_side() {
    let (one, two) = (Postgres::start(Options::for_tests()).unwrap(), Postgres::start(Options::for_tests()).unwrap());
    assert_ne!(one.url(), two.url());
    assert_eq!(answer(&one, "select 1"), answer(&two, "select 1"));
}

#[test]
fn a_stopped_server_starts_again_with_its_data() {
    let mut server = Postgres::start(Options::for_tests()).unwrap();
    answer(&server, "create table kept (number int)");
    server.stop();
    assert!(!query(&server.url(), "select 1").status.success());
    server.start_again().unwrap();
    assert_eq!(answer(&server, "select count(*) from kept"), "0");
}

#[test]
fn a_standby_follows_and_takes_over() {
    let mut primary = Postgres::start(Options::for_tests()).unwrap();
    let standby = primary.standby().unwrap();
    answer(&primary, "create table kept (number int)");
    let follows = "select count(*) from pg_class where relname = 'kept'";
    eventually("the standby follows", || answer(&standby, follows) == "1");
    assert!(!query(&standby.url(), "insert into kept values (1)").status.success());
    primary.kill();
    standby.promote().unwrap();
    assert_eq!(answer(&standby, "insert into kept values (1) returning number").lines().next(), Some("1"));
}

#[test]
fn the_shared_server_ends_with_the_run_it_serves() {
    let mut run = Command::new("sleep").arg("600").spawn().unwrap();
    let mut tool = Command::new(env!("CARGO_BIN_EXE_test-postgres"))
        .args(["--watch-pid", &run.id().to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    BufReader::new(tool.stdout.take().unwrap()).read_line(&mut url).unwrap();
    let folder = String::from_utf8(query(url.trim(), "show data_directory").stdout).unwrap();
    let data = Path::new(folder.trim());
    assert!(data.exists());

    run.kill().unwrap();
    run.wait().unwrap();
    eventually("the tool ends", || tool.try_wait().unwrap().is_some());
    assert!(!data.exists());
    assert!(!query(url.trim(), "select 1").status.success());
}
