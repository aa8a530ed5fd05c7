//! Behind PgBouncer in transaction mode, where each transaction may run on another connection. Long form only, and only
//! where `pgbouncer` is installed.

use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Instant;

use testkit::postgres::Postgres;

use super::calls::Calls;
use super::{private_postgres, url_at};
use crate::home::Home;
use crate::server::Server;
use crate::{eventually, is_long, sending};

const PEOPLE: usize = 1_500;
const CALLS: usize = 2_000;
const UNPREPARED: (&str, &str) = ("SWITCHBOARD_POSTGRES_PREPARED", "false");

/// A PgBouncer with few connections to the server, so that clients share them. Killed on drop.
struct Pooler {
    process: Child,
    port: u16,
}

impl Pooler {
    async fn start(program: &Path, postgres: &Postgres) -> Self {
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        let users = format!("\"postgres\" \"{}\"\n", postgres.password());
        let users = postgres.write_private("users.txt", &users).unwrap();
        let (users, server) = (users.display(), postgres.port());
        let settings = format!(
            "[databases]\n* = host=127.0.0.1 port={server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = scram-sha-256\nauth_file = {users}\npool_mode = transaction\n\
             default_pool_size = 5\nmax_client_conn = 300\n"
        );
        let settings = postgres.write_private("pgbouncer.ini", &settings).unwrap();
        let mut command = postgres.command(program);
        let process = command.arg("--quiet").arg(settings).stdin(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pooler = Self { process, port };
        eventually("the pooler listens", async || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).ok().map(drop)).await;
        pooler
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The program, if the long form of tests is asked for and it is installed.
fn wanted() -> Option<PathBuf> {
    let places = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"].map(PathBuf::from);
    places.into_iter().find(|program| is_long() && program.is_file())
}

fn behind(pooler: &Pooler, postgres: &Postgres) -> Vec<(&'static str, String)> {
    vec![("SWITCHBOARD_DATABASE", url_at(postgres, pooler.port)), (UNPREPARED.0, UNPREPARED.1.to_owned())]
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_leave_once_on_two_nodes_behind_a_pooler() {
    let Some(program) = wanted() else { return };
    let postgres = private_postgres();
    let pooler = Pooler::start(&program, &postgres).await;
    let home = Arc::new(Home::on_server(&postgres, behind(&pooler, &postgres)));
    sending::survives_at(&home, PEOPLE, 2).await;
    let made = home.run("backup after.backup");
    assert!(made["rows"].as_u64().is_none_or(|rows| rows > 0), "{made}");
}

/// Records the calls and prints how many were acknowledged in a second.
#[expect(clippy::print_stdout, reason = "the figures")]
async fn measure(name: &str, postgres: &Postgres, settings: Vec<(&'static str, String)>) {
    let home = Home::on_server(postgres, settings);
    let nodes = [Server::start(&home)];
    let token = nodes[0].token();
    let (calls, began) = (Calls::new(&nodes, &token, 0..CALLS), Instant::now());
    calls.record_all().await;
    let seconds = began.elapsed().as_secs_f64();
    calls.check(CALLS).await;
    assert_eq!(calls.refused(), 0);
    println!("{name}: {CALLS} calls in {seconds:.1} s");
    let (status, log) = nodes.into_iter().next().unwrap().terminate();
    assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_recorded_with_and_without_a_pooler() {
    let Some(program) = wanted() else { return };
    let postgres = private_postgres();
    measure("prepared", &postgres, Vec::new()).await;
    let postgres = private_postgres();
    measure("not prepared", &postgres, vec![(UNPREPARED.0, UNPREPARED.1.to_owned())]).await;
    let postgres = private_postgres();
    let pooler = Pooler::start(&program, &postgres).await;
    measure("behind the pooler", &postgres, behind(&pooler, &postgres)).await;
}
