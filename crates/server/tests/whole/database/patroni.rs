//! A fail-over that Patroni does, with the files in `packaging/ha`: three PostgreSQL servers, etcd, and two nodes that
//! name all servers in their URL. The machine of the primary dies under load. Long form only, and only where Patroni and
//! etcd are installed.

use std::fs::File;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use store::{Db, Location};

use super::calls::Calls;
use super::{get, is_so, sql};
use crate::home::Home;
use crate::server::Server;
use crate::{eventually, http, is_long};

const TOTAL: usize = 6_000;
const MEMBERS: usize = 3;
/// Requests at once while there is no primary: more than there are connections.
const AT_ONCE: usize = 300;
/// Nodes go on within this time after the promotion.
const GOES_ON: Duration = Duration::from_secs(10);
/// A request that finds no primary waits at most this long for a connection, and a little longer on a busy machine.
const ANSWERED: Duration = Duration::from_secs(20);
const PASSWORD: &str = "a-password-of-a-test";
const PACKAGED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../packaging/ha/patroni.yaml");

/// etcd and the PostgreSQL servers of a cluster, in a folder of the user of the servers. Killed on drop.
struct Cluster {
    folder: PathBuf,
    etcd: Child,
    etcd_port: u16,
    members: Vec<Member>,
}

/// One database machine: Patroni, and the PostgreSQL server that it starts.
struct Member {
    name: String,
    folder: PathBuf,
    patroni: Child,
    port: u16,
    /// Port of Patroni's REST API.
    rest: u16,
}

impl Member {
    /// Whether Patroni says that its server is the primary, or else a standby that follows.
    async fn is(&self, role: &str) -> bool {
        let asked = http().get(format!("http://127.0.0.1:{}/{role}", self.rest)).send().await;
        asked.is_ok_and(|answer| answer.status().is_success())
    }

    /// The first process of the PostgreSQL server, which is no child of this one.
    fn postmaster(&self) -> Option<String> {
        let file = std::fs::read_to_string(self.folder.join("data/postmaster.pid")).ok()?;
        file.lines().next().map(str::to_owned)
    }

    /// As when the machine loses its power: Patroni first, so that it does not restart its server.
    fn kill(&mut self) {
        let postmaster = self.postmaster();
        let _ = self.patroni.kill();
        let _ = self.patroni.wait();
        if let Some(pid) = postmaster {
            let _ = Command::new("kill").args(["-9", &pid]).stderr(Stdio::null()).status();
        }
    }
}

impl Cluster {
    fn start() -> Self {
        let folder = std::env::temp_dir().join(format!("switchboard-patroni-{}", std::process::id()));
        let made = as_server("mkdir", Path::new("/")).args(["-p", "-m", "700"]).arg(&folder).status();
        assert!(made.unwrap().success());
        let (etcd_port, peers) = (free_port(), free_port());
        let (clients, peers) = (format!("http://127.0.0.1:{etcd_port}"), format!("http://127.0.0.1:{peers}"));
        let settings = [
            ("ETCD_NAME", "etcd".to_owned()),
            ("ETCD_DATA_DIR", folder.join("etcd").display().to_string()),
            ("ETCD_LISTEN_CLIENT_URLS", clients.clone()),
            ("ETCD_ADVERTISE_CLIENT_URLS", clients),
            ("ETCD_LISTEN_PEER_URLS", peers.clone()),
            ("ETCD_INITIAL_ADVERTISE_PEER_URLS", peers.clone()),
            ("ETCD_INITIAL_CLUSTER", format!("etcd={peers}")),
            ("ETCD_INITIAL_CLUSTER_STATE", "new".to_owned()),
        ];
        let etcd = logged(as_server("etcd", &folder).envs(settings), &folder.join("etcd.log"));
        let mut cluster = Self { folder, etcd, etcd_port, members: Vec::new() };
        for number in 1..=MEMBERS {
            let name = format!("db{number}");
            let (port, rest) = (free_port(), free_port());
            let folder = cluster.folder.join(&name);
            let made = as_server("mkdir", &cluster.folder).arg(&folder).status();
            assert!(made.unwrap().success());
            let patroni = cluster.run_patroni(&name, &folder, port, rest);
            cluster.members.push(Member { name, folder, patroni, port, rest });
        }
        cluster
    }

    /// Runs Patroni with the packaged file; what `patroni.env.example` names differs.
    fn run_patroni(&self, name: &str, folder: &Path, port: u16, rest: u16) -> Child {
        let (own, rest) = (format!("127.0.0.1:{port}"), format!("127.0.0.1:{rest}"));
        let settings = [
            ("PATRONI_NAME", name.to_owned()),
            ("PATRONI_ETCD3_HOSTS", format!("127.0.0.1:{}", self.etcd_port)),
            ("PATRONI_RESTAPI_LISTEN", rest.clone()),
            ("PATRONI_RESTAPI_CONNECT_ADDRESS", rest),
            ("PATRONI_POSTGRESQL_LISTEN", own.clone()),
            ("PATRONI_POSTGRESQL_CONNECT_ADDRESS", own),
            ("PATRONI_POSTGRESQL_DATA_DIR", folder.join("data").display().to_string()),
            ("PATRONI_POSTGRESQL_BIN_DIR", postgres_programs().display().to_string()),
            ("PATRONI_POSTGRESQL_PGPASS", folder.join("pgpass").display().to_string()),
            ("PATRONI_SUPERUSER_USERNAME", "postgres".to_owned()),
            ("PATRONI_SUPERUSER_PASSWORD", PASSWORD.to_owned()),
            ("PATRONI_REPLICATION_USERNAME", "replicator".to_owned()),
            ("PATRONI_REPLICATION_PASSWORD", PASSWORD.to_owned()),
        ];
        let mut command = as_server("patroni", folder);
        // Root may be alone in reading the sources.
        let file = self.folder.join("patroni.yaml");
        if !file.is_file() {
            std::fs::copy(PACKAGED, &file).unwrap();
        }
        logged(command.arg(file).envs(settings), &folder.join("patroni.log"))
    }

    /// Starts a killed machine again.
    fn start_again(&mut self, number: usize) {
        let Member { name, folder, port, rest, .. } = &self.members[number];
        let patroni = self.run_patroni(name, folder, *port, *rest);
        self.members[number].patroni = patroni;
    }

    /// A URL that names all servers.
    fn url(&self, user: &str, database: &str) -> String {
        let hosts = self.members.iter().map(|member| format!("127.0.0.1:{}", member.port));
        let hosts = hosts.collect::<Vec<_>>().join(",");
        format!("postgres://{user}:{PASSWORD}@{hosts}/{database}?target_session_attrs=read-write")
    }

    /// The member that is the primary now, except for this one.
    async fn primary_but(&self, except: Option<usize>) -> Option<usize> {
        for (number, member) in self.members.iter().enumerate() {
            if Some(number) != except && member.is("primary").await {
                return Some(number);
            }
        }
        None
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        self.members.iter_mut().for_each(Member::kill);
        let _ = self.etcd.kill();
        let _ = self.etcd.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A command as the user of the servers: PostgreSQL refuses to run as root.
fn as_server(program: &str, folder: &Path) -> Command {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0");
    let mut command = if is_root {
        let mut command = Command::new("setpriv");
        command.args(["--reuid=postgres", "--regid=postgres", "--init-groups", program]);
        command
    } else {
        Command::new(program)
    };
    command.current_dir(folder).env("HOME", folder).stdin(Stdio::null());
    command
}

fn logged(command: &mut Command, file: &Path) -> Child {
    let log = File::options().create(true).append(true).open(file).unwrap();
    command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap()
}

fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// The folder of Debian's newest server.
fn postgres_programs() -> PathBuf {
    let mut found: Vec<PathBuf> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path().join("bin")))
        .filter(|folder| folder.join("postgres").is_file())
        .collect();
    found.sort();
    found.pop().unwrap_or_default()
}

/// The first program that this test needs and that is not installed.
fn missing() -> Option<&'static str> {
    let is_there =
        |program: &&str| ["/usr/bin", "/usr/local/bin"].iter().any(|folder| Path::new(folder).join(program).is_file());
    let missing = ["patroni", "etcd"].into_iter().find(|program| !is_there(program));
    missing.or_else(|| (!postgres_programs().is_dir()).then_some("postgres"))
}

/// The cluster with a database of its own for the nodes, when its primary has a synchronous standby.
async fn started() -> Cluster {
    let cluster = Cluster::start();
    eventually("there is a primary", async || cluster.primary_but(None).await.map(drop)).await;
    let url = cluster.url("postgres", "postgres");
    let db = Db::open(&Location::Postgres { url, connections: 1 }).unwrap();
    let follows = "SELECT 1 FROM pg_stat_replication HAVING count(*) = 2 AND bool_or(sync_state = 'sync')";
    eventually("both standbys follow", async || is_so(&db, follows).await.then_some(())).await;
    sql(&db, &format!("CREATE USER switchboard PASSWORD '{PASSWORD}'")).await;
    sql(&db, "CREATE DATABASE switchboard OWNER switchboard").await;
    cluster
}

/// Many requests while there is no primary: each is refused in time. Returns the longest time of one.
async fn ask_in_vain(node: &Server, token: &str) -> Duration {
    // One for all requests: making one takes so long that the server would close connections that are still silent.
    let client = http();
    let ask = || async {
        let began = Instant::now();
        let answer = client.get(node.url("/api/ext/v3/contacts")).bearer_auth(token).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 503);
        assert!(answer.headers().contains_key("retry-after"));
        began.elapsed()
    };
    join_all((0..AT_ONCE).map(|_| ask())).await.into_iter().max().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_follow_the_primary_that_patroni_promotes() {
    if !is_long() {
        return;
    }
    if let Some(program) = missing() {
        println!("skipped: {program} is not installed");
        return;
    }
    let mut cluster = started().await;
    let home = Home::at_url(cluster.url("switchboard", "switchboard"), Vec::new());
    let nodes = [Server::start(&home), Server::start(&home)];
    let token = nodes[0].token();
    let calls = Calls::new(&nodes, &token, 0..TOTAL);
    let fail_over = async {
        calls.reached(TOTAL / 3).await;
        let old = cluster.primary_but(None).await.unwrap();
        cluster.members[old].kill();
        let (killed, before) = (Instant::now(), calls.acknowledged());
        let longest = ask_in_vain(&nodes[1], &token).await;
        assert!(longest < ANSWERED, "{longest:?}");
        eventually("a standby is promoted", async || cluster.primary_but(Some(old)).await.map(drop)).await;
        let promoted = Instant::now();
        calls.reached(before.max(calls.acknowledged()) + 1).await;
        let first = promoted.elapsed();
        for node in &nodes {
            eventually("a node is ready", async || (get(node, &token, "/readyz").await.0 == 200).then_some(())).await;
        }
        let ready = promoted.elapsed();
        println!(
            "{before} of {TOTAL} calls before the kill; {AT_ONCE} requests at once got 503 within {longest:?}; promoted \
             after {:?}; from then, the first call after {first:?}, all nodes ready after {ready:?}",
            promoted.duration_since(killed)
        );
        assert!(first < GOES_ON && ready < GOES_ON, "{first:?}, {ready:?}");
        cluster.start_again(old);
        eventually("the killed server follows", async || cluster.members[old].is("replica").await.then_some(())).await;
        println!("the killed server follows again {:?} after the promotion", promoted.elapsed());
    };
    tokio::join!(calls.record_all(), fail_over);
    calls.check(TOTAL).await;
    println!("{TOTAL} calls acknowledged and found once; {} refusals with 503", calls.refused());
    for node in nodes {
        let (status, log) = node.terminate();
        assert!(status.success() && !log.contains("panicked"), "{log}");
    }
}
