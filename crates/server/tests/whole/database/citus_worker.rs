//! A database that Citus distributes, one of whose two workers dies and comes back: its tenants get 503 with
//! `Retry-After`; all others receive, send, record and log in as before. Only where `SWITCHBOARD_TEST_CITUS_FOLDER` names
//! what `scripts/build-citus` has built: the test runs a cluster of its own, because it stops a worker.

use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::json;
use store::{Db, Statement, read};

use super::get;
use crate::home::Home;
use crate::server::Server;
use crate::webhooks::receiver::Receiver;
use crate::{eventually, http};

const FOLDER: &str = "SWITCHBOARD_TEST_CITUS_FOLDER";
const TENANTS: u32 = 8;
const PASSWORD: &str = "a long password of a test";
/// A person in the sandbox of each tenant.
const ADA: &str = "14155550132";
const CALLS: &str = "/api/ext/v3/calls";
/// Everything goes on within this time after a worker's return.
const CATCHES_UP: Duration = Duration::from_secs(10);
/// Requests whose times are compared.
const SAMPLES: usize = 200;

/// The servers that `scripts/run-citus` starts. Dropping it ends the script, which stops them.
struct Citus {
    script: Child,
    url: String,
    programs: PathBuf,
}

impl Citus {
    /// None without the variable.
    fn start() -> Option<Self> {
        let folder = std::env::var(FOLDER).ok()?;
        let versions = std::fs::read_dir(PathBuf::from(&folder).join("usr/lib/postgresql")).unwrap();
        let programs = versions.map(|version| version.unwrap().path().join("bin")).next().unwrap();
        let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/run-citus"));
        command.args([folder, "--watch-pid".to_owned(), std::process::id().to_string()]);
        let mut script = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let mut url = String::new();
        BufReader::new(script.stdout.take().unwrap()).read_line(&mut url).unwrap();
        assert!(url.starts_with("postgres://"), "Citus does not start");
        Some(Self { script, url: url.trim().to_owned(), programs })
    }

    /// Runs `pg_ctl` for the server in this folder, as its user.
    fn control(&self, data: &str, arguments: &str) {
        let program = self.programs.join("pg_ctl");
        let mut command = super::patroni::as_server(&program.display().to_string(), &PathBuf::from("/"));
        command.args(["--silent", "--wait", "--pgdata", data]).args(arguments.split(' '));
        let done = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
        assert!(done.success(), "pg_ctl {arguments}");
    }
}

impl Drop for Citus {
    fn drop(&mut self) {
        // The script stops its servers on this signal.
        let _ = Command::new("kill").arg(self.script.id().to_string()).status();
        let _ = self.script.wait();
    }
}

async fn pairs(db: &Db, query: &str) -> Vec<(String, String)> {
    db.rows(&Statement::composed("test", query.to_owned()), &[], read).await.unwrap()
}

/// A tenant with an administrator, a token and a webhook.
struct Tenant {
    id: u32,
    token: String,
    /// Address of the worker with its rows.
    worker: String,
}

impl Tenant {
    async fn create(home: &Home, server: &Server, id: u32, receiver: &Receiver) -> Self {
        home.run(&format!("tenant create --id {id} --name Acme"));
        let email = format!("ada@{id}.example");
        home.run(&format!("account create --tenant {id} --email {email} --role ADMINISTRATOR"));
        home.run_with(&format!("account reset-password {email} --tenant {id} --password-stdin"), PASSWORD);
        let made = home.run(&format!("token create --tenant {id} --account {email} --name ci --scope api"));
        let token = made["token"].as_str().unwrap().to_owned();
        let webhook = json!({"url": receiver.url(&format!("/{id}")), "events": ["call.status"]});
        let url = server.url("/api/ext/v3/webhooks");
        let answer = http().post(url).bearer_auth(&token).json(&webhook).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
        let place = format!(
            "SELECT p.nodename || ':' || p.nodeport, '' FROM pg_dist_shard_placement p
             WHERE p.shardid = get_shard_id_for_distribution_column('tenants', {id}::bigint)"
        );
        let worker = pairs(&home.db(), &place).await.remove(0).0;
        Self { id, token, worker }
    }

    /// Status of recording a call, which must be 200, or 503 with the time to wait.
    async fn record(&self, server: &Server, name: &str) -> u16 {
        let call = json!({
            "call_id": name, "direction": "inbound", "from_number": "14155552671",
            "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
        });
        let answer = http().post(server.url(CALLS)).bearer_auth(&self.token).json(&call).send().await.unwrap();
        let (status, waits) = (answer.status().as_u16(), answer.headers().contains_key("retry-after"));
        assert!(status == 200 || (status == 503 && waits), "{status}: {}", answer.text().await.unwrap());
        status
    }

    async fn log_in(&self, server: &Server) -> u16 {
        let request = http().post(server.url("/console/api/session")).header("origin", server.url(""));
        let login = json!({"email": format!("ada@{}.example", self.id), "password": PASSWORD});
        request.json(&login).send().await.unwrap().status().as_u16()
    }

    /// A person writes, the tenant responds, and the network reports that the response was delivered. Once for a tenant.
    async fn converse(&self, home: &Home, server: &Server, text: &str) {
        home.run(&format!("sandbox say {text} --person ada.winter --tenant {}", self.id));
        let url = server.url("/api/ext/v3/conversations/messages/text");
        let message = json!({"target": ADA, "text": format!("re-{text}")});
        eventually("the message is accepted", async || {
            let answer = http().post(&url).bearer_auth(&self.token).json(&message).send().await.unwrap();
            answer.status().is_success().then_some(())
        })
        .await;
        eventually("the message is delivered", async || {
            let (_, events) = get(server, &self.token, "/api/ext/v3/events?limit=100").await;
            events.contains("sentMessageDELIVERED").then_some(())
        })
        .await;
    }
}

/// Times of requests of these tenants, in order.
async fn times(server: &Server, tenants: &[&Tenant]) -> Vec<Duration> {
    let (client, mut times) = (http(), Vec::with_capacity(SAMPLES));
    for tenant in tenants.iter().cycle().take(SAMPLES) {
        let began = Instant::now();
        let answer = client.get(server.url(CALLS)).bearer_auth(&tenant.token).send().await.unwrap();
        assert_eq!(answer.status().as_u16(), 200, "tenant {}", tenant.id);
        answer.bytes().await.unwrap();
        times.push(began.elapsed());
    }
    times.sort_unstable();
    times
}

fn p99(times: &[Duration]) -> Duration {
    times[times.len() * 99 / 100]
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_dies_harms_its_tenants_alone() {
    let Some(citus) = Citus::start() else {
        println!("skipped: {FOLDER} is not set");
        return;
    };
    let settings = vec![("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8".to_owned())];
    let home = Home::at_url(citus.url.clone(), settings);
    home.run("migrate --create --distribute");
    let (server, receiver) = (Server::start(&home), Receiver::accepting().await);
    let mut tenants = Vec::new();
    for number in 0..TENANTS {
        tenants.push(Tenant::create(&home, &server, 100_200 + number, &receiver).await);
    }
    let query = "SELECT nodename || ':' || nodeport, result FROM run_command_on_workers('SHOW data_directory')";
    let workers = pairs(&home.db(), query).await;
    let (lost, data) = workers.into_iter().find(|(address, _)| *address == tenants[0].worker).unwrap();
    let (theirs, others): (Vec<&Tenant>, Vec<&Tenant>) = tenants.iter().partition(|tenant| tenant.worker == lost);
    assert!(!others.is_empty(), "all tenants are on one worker");
    let quiet = p99(&times(&server, &others).await);

    citus.control(&data, "--mode immediate stop");
    for tenant in &theirs {
        assert_eq!(tenant.record(&server, "while-away").await, 503);
    }
    eventually("readiness names the worker", async || {
        let (status, body) = get(&server, "", "/readyz").await;
        assert_eq!(status, 200, "{body}");
        body.contains(&lost).then_some(())
    })
    .await;
    let without = p99(&times(&server, &others).await);
    for tenant in &others {
        assert_eq!(tenant.record(&server, "while-away").await, 200);
        assert_eq!(tenant.log_in(&server).await, 200);
        tenant.converse(&home, &server, "hello").await;
    }
    receiver.has_accepted(others.len()).await;

    citus.control(&data, &format!("--log {data}.log start"));
    let back = Instant::now();
    for tenant in &theirs {
        eventually("its tenants are served", async || (tenant.record(&server, "back").await == 200).then_some(()))
            .await;
    }
    receiver.has_accepted(others.len() + theirs.len()).await;
    eventually("nothing is away", async || (!get(&server, "", "/readyz").await.1.contains("away")).then_some(())).await;
    let caught_up = back.elapsed();
    for tenant in &theirs {
        tenant.converse(&home, &server, "again").await;
        assert_eq!(tenant.log_in(&server).await, 200);
    }
    println!(
        "{} tenants on the worker that died, {} on others: p99 {quiet:?} before, {without:?} while it was away; its tenants \
         caught up {caught_up:?} after its return",
        theirs.len(),
        others.len()
    );
    assert!(caught_up < CATCHES_UP, "{caught_up:?}");
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("panicked"), "{log}");
}
