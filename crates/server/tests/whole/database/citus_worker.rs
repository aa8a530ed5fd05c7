//! A database that Citus distributes, one of whose two workers dies under load and comes back: its tenants get 503 with
//! `Retry-After`; all others receive, send, record and log in as before. Nothing that was acknowledged is lost. Only where
//! `SWITCHBOARD_TEST_CITUS_FOLDER` names what `scripts/build-citus` has built: the test runs a cluster of its own, because
//! it stops a worker.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use reqwest::Client;
use serde_json::{Value, json};
use store::{Db, Statement, read};
use testkit::postgres::{CITUS_VARIABLE, Citus, Options};
use tokio::task::JoinSet;

use super::get;
use crate::home::Home;
use crate::kill::walk;
use crate::server::Server;
use crate::webhooks::receiver::Receiver;
use crate::{eventually, http};

const TENANTS: u32 = 8;
const PASSWORD: &str = "a long password of a test";
/// A person in the sandbox of each tenant.
const ADA: &str = "14155550132";
const CALLS: &str = "/api/ext/v3/calls";
/// Everything goes on within this time after a worker's return.
const CATCHES_UP: Duration = Duration::from_secs(10);
/// Without a worker, the slowest of a hundred requests may take this many times as long as before.
const SLOWER: u32 = 10;
/// Requests whose times are compared.
const SAMPLES: usize = 1_000;
/// Pause of a client after a refusal.
const PAUSE: Duration = Duration::from_millis(50);

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
        let webhook = json!({"url": receiver.url(&format!("/{id}")), "eventTypes": ["call.status"]});
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

    /// Records a call; returns its id. None if it was refused with 503 and the time to wait.
    async fn record(&self, client: &Client, url: &str, name: &str) -> Option<String> {
        let call = json!({
            "call_id": name, "direction": "inbound", "from_number": "14155552671",
            "to_number": "14155550100", "started_at": "2026-04-24T10:00:00Z",
        });
        let answer = client.post(url).bearer_auth(&self.token).json(&call).send().await.unwrap();
        let (status, waits) = (answer.status().as_u16(), answer.headers().contains_key("retry-after"));
        let text = answer.text().await.unwrap();
        assert!(status == 200 || (status == 503 && waits), "{status}: {text}");
        let call: Value = serde_json::from_str(&text).unwrap();
        (status == 200).then(|| call["id"].as_str().unwrap().to_owned())
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
        // A page ends after some of the many events of calls.
        let mut after = 0;
        eventually("the message is delivered", async || {
            let path = format!("/api/ext/v3/events?types=sentMessageDELIVERED&after={after}");
            let page: Value = serde_json::from_str(&get(server, &self.token, &path).await.1).unwrap();
            after = page["after"].as_i64().unwrap_or(after);
            page["events"].as_array().is_some_and(|events| !events.is_empty()).then_some(())
        })
        .await;
    }
}

/// Clients of all tenants, each of which records one call after the other.
#[derive(Default)]
struct Load {
    /// Ids of the acknowledged calls, by tenant and name.
    acknowledged: Mutex<BTreeMap<u32, BTreeMap<String, String>>>,
    /// Times of the requests of tenants that may not be refused.
    times: Mutex<Vec<Duration>>,
    refused: AtomicUsize,
    is_over: AtomicBool,
}

impl Load {
    async fn record(&self, url: &str, tenant: &Tenant, may_be_refused: bool) {
        let (client, mut number) = (http(), 0);
        while !self.is_over.load(Ordering::Relaxed) {
            let (name, began) = (format!("load-{number}"), Instant::now());
            let Some(id) = tenant.record(&client, url, &name).await else {
                assert!(may_be_refused, "a call of tenant {} was refused", tenant.id);
                self.refused.fetch_add(1, Ordering::Relaxed);
                tokio::time::sleep(PAUSE).await;
                continue;
            };
            self.acknowledged.lock().unwrap().entry(tenant.id).or_default().insert(name, id);
            number += 1;
            if !may_be_refused {
                self.times.lock().unwrap().push(began.elapsed());
            }
        }
    }

    /// The 99th percentile of the next requests.
    async fn p99(&self) -> Duration {
        self.times.lock().unwrap().clear();
        let enough = || self.times.lock().unwrap().len() >= SAMPLES;
        eventually("requests are answered", async || enough().then_some(())).await;
        let mut times = self.times.lock().unwrap().clone();
        times.sort_unstable();
        times[times.len() * 99 / 100]
    }

    fn acknowledged_of(&self, tenant: &Tenant) -> usize {
        self.acknowledged.lock().unwrap().get(&tenant.id).map_or(0, BTreeMap::len)
    }

    fn acknowledged(&self) -> usize {
        self.acknowledged.lock().unwrap().values().map(BTreeMap::len).sum()
    }

    /// Checks that each acknowledged call is there under its id, and no call twice.
    async fn check(&self, server: &Server, tenant: &Tenant) {
        let found = walk(server, &tenant.token).await;
        let by_name: BTreeMap<String, String> = found.iter().cloned().collect();
        assert_eq!(by_name.len(), found.len(), "a call is there twice");
        for (name, id) in &self.acknowledged.lock().unwrap()[&tenant.id] {
            assert_eq!(by_name.get(name), Some(id), "{name} of tenant {} was acknowledged", tenant.id);
        }
    }
}

/// The server, its tenants, and those of them whose worker will die.
struct Story<'a> {
    citus: &'a Citus,
    home: &'a Home,
    server: &'a Server,
    receiver: &'a Receiver,
    load: &'a Load,
    theirs: Vec<Arc<Tenant>>,
    others: Vec<Arc<Tenant>>,
    /// The address of the worker that dies, and its data folder.
    lost: String,
    data: String,
}

impl Story<'_> {
    async fn run(&self) {
        let quiet = self.load.p99().await;
        self.citus.control(&self.data, &["--mode", "immediate", "stop"]).unwrap();
        let without = self.without_worker().await;
        self.citus.control(&self.data, &["--log", &format!("{}.log", self.data), "start"]).unwrap();
        let caught_up = self.with_worker_again().await;
        self.load.is_over.store(true, Ordering::Relaxed);
        let _ = writeln!(
            std::io::stderr(),
            "{} tenants on the worker that died, {} on others: p99 {quiet:?} before, {without:?} while it was away; its \
             tenants caught up {caught_up:?} after its return",
            self.theirs.len(),
            self.others.len()
        );
        assert!(without < SLOWER * quiet, "{without:?} without the worker, {quiet:?} before");
        assert!(caught_up < CATCHES_UP, "{caught_up:?}");
    }

    /// Returns the 99th percentile of the others' requests.
    async fn without_worker(&self) -> Duration {
        let refused = || self.load.refused.load(Ordering::Relaxed) > self.theirs.len();
        eventually("calls of its tenants are refused", async || refused().then_some(())).await;
        eventually("readiness counts the worker", async || {
            let (status, body) = get(self.server, "", "/readyz").await;
            assert_eq!(status, 200, "{body}");
            (body == r#"{"status":"ok","workers_away":1}"#).then_some(())
        })
        .await;
        let health = eventually("health is served", async || self.server.address_in_log("health is served")).await;
        let named = http().get(format!("http://{health}/readyz")).send().await.unwrap().text().await.unwrap();
        assert!(named.contains(&self.lost), "the operator's listener names the worker: {named}");
        let p99 = self.load.p99().await;
        for tenant in &self.others {
            assert_eq!(tenant.log_in(self.server).await, 200);
            tenant.converse(self.home, self.server, "hello").await;
            let (path, recorded) = (format!("/{}", tenant.id), self.load.acknowledged_of(tenant));
            let posted = async || (self.receiver.at(&path).len() >= recorded).then_some(());
            eventually("the calls are delivered while the worker is away", posted).await;
        }
        p99
    }

    /// Returns the time until everything goes on and is delivered.
    async fn with_worker_again(&self) -> Duration {
        let (back, before) = (Instant::now(), self.theirs.iter().map(|tenant| self.load.acknowledged_of(tenant)));
        for (tenant, before) in self.theirs.iter().zip(before.collect::<Vec<_>>()) {
            let goes_on = || self.load.acknowledged_of(tenant) > before;
            eventually("its tenants are served", async || goes_on().then_some(())).await;
        }
        self.receiver.has_accepted(self.load.acknowledged()).await;
        let all_there = async || (!get(self.server, "", "/readyz").await.1.contains("away")).then_some(());
        eventually("nothing is away", all_there).await;
        let caught_up = back.elapsed();
        for tenant in &self.theirs {
            tenant.converse(self.home, self.server, "again").await;
            assert_eq!(tenant.log_in(self.server).await, 200);
        }
        caught_up
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_dies_harms_its_tenants_alone() {
    let Some(citus) = Citus::start(Options::for_tests()).unwrap() else {
        println!("skipped: {CITUS_VARIABLE} is not set");
        return;
    };
    let settings = vec![
        ("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8".to_owned()),
        ("SWITCHBOARD_HEALTH_LISTEN", "127.0.0.1:0".to_owned()),
    ];
    let home = Home::at_url(citus.url().to_owned(), settings);
    home.run("migrate --create --distribute --shards 4");
    let (server, receiver) = (Server::start(&home), Receiver::accepting().await);
    let mut tenants = Vec::new();
    for number in 0..TENANTS {
        tenants.push(Arc::new(Tenant::create(&home, &server, 100_200 + number, &receiver).await));
    }
    let query = "SELECT nodename || ':' || nodeport, result FROM run_command_on_workers('SHOW data_directory')";
    let workers = pairs(&home.db(), query).await;
    let (lost, data) = workers.into_iter().find(|(address, _)| *address == tenants[0].worker).unwrap();
    let (theirs, others): (Vec<_>, Vec<_>) = tenants.iter().cloned().partition(|tenant| tenant.worker == lost);
    assert!(!others.is_empty(), "all tenants are on one worker");
    let (load, mut clients) = (Arc::new(Load::default()), JoinSet::new());
    for tenant in &tenants {
        let (load, tenant, url) = (Arc::clone(&load), Arc::clone(tenant), server.url(CALLS));
        let may_be_refused = tenant.worker == lost;
        clients.spawn(async move { load.record(&url, &tenant, may_be_refused).await });
    }
    let story = Story {
        citus: &citus,
        home: &home,
        server: &server,
        receiver: &receiver,
        load: &load,
        theirs,
        others,
        lost,
        data,
    };
    story.run().await;
    clients.join_all().await;
    for tenant in &tenants {
        load.check(&server, tenant).await;
    }
    receiver.has_accepted(load.acknowledged()).await;
    let refused = load.refused.load(Ordering::Relaxed);
    println!("{} calls acknowledged, found once and delivered; {refused} refusals with 503", load.acknowledged());
    let (status, log) = server.terminate();
    assert!(status.success() && !log.contains("panicked"), "{log}");
}
