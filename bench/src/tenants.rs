//! Benchmark of many tenants, each with a webhook: what an idle server costs, and what one change of a webhook costs,
//! after which a node reads the webhooks of all tenants again.

use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use app::delivery::webhooks::WebhookRequest;
use app::platform::tenants::NewTenant;
use app::{App, Command};
use domain::TenantId;
use tokio::task::JoinSet;

use crate::child::{self, Child};
use crate::options::Common;
use crate::report::Report;
use crate::served::{Database, Prepared, Served};
use crate::webhooks::spent::of_servers;

/// The first of the added tenants.
const FIRST: i64 = 1_000_000;
/// Tenants that are created at a time.
const AT_ONCE: i64 = 8;
/// How long an idle server is watched: longer than the time between two polls over all tenants.
const IDLE: Duration = Duration::from_mins(1);
const CHANGES: u32 = 5;
/// Time after a change: a node has read all webhooks by then.
const AFTER_CHANGE: Duration = Duration::from_secs(4);
const WEBHOOKS: &str = "/api/ext/v3/webhooks";

/// Processor time of the server and of the database.
#[derive(Debug, Clone, Copy)]
struct Spent {
    server: Duration,
    database: Duration,
}

impl Spent {
    fn so_far(prepared: &Prepared, child: &Child) -> Result<Self> {
        let (database, _) = of_servers(prepared.database_processes())?;
        Ok(Self { server: child.processor_time()?, database })
    }

    fn since(self, before: Self) -> Self {
        Self {
            server: self.server.saturating_sub(before.server),
            database: self.database.saturating_sub(before.database),
        }
    }
}

pub async fn run(common: &Common, database: Database, count: u32) -> Result<Report> {
    let prepared = Served::prepare(database).await?;
    let mut facts = common.facts();
    facts.extend(facts_of(&prepared, ["one tenant: start", "one tenant: idle", "one tenant: a change"]).await?);
    let began = Instant::now();
    create(prepared.app(), count).await?;
    facts.push(("tenants", format!("{count}, created in {:.0} s", began.elapsed().as_secs_f64())));
    prepared.settle().await?;
    facts.extend(facts_of(&prepared, ["many tenants: start", "many tenants: idle", "many tenants: a change"]).await?);
    Ok(Report { title: format!("Tenants on {}", database.name()), facts, rows: Vec::new() })
}

/// Creates tenants, each with one webhook.
async fn create(app: &App, count: u32) -> Result<()> {
    let mut workers = JoinSet::new();
    for worker in 0..AT_ONCE {
        let app = app.clone();
        let step = usize::try_from(AT_ONCE)?;
        let ids = (FIRST + worker..FIRST + i64::from(count)).step_by(step);
        workers.spawn(async move {
            for id in ids {
                let tenant = TenantId::from_number(id);
                let new = NewTenant { name: format!("Bench {id}"), plan: None, with_sandbox: false };
                app.platform().tenants().create(&Command(tenant), new).await?;
                let url = Some(format!("http://127.0.0.1:9/{id}"));
                let types = Some(vec!["message".to_owned()]);
                let webhook = WebhookRequest { url, types, ..WebhookRequest::default() };
                app.delivery().webhooks().create(&Command(tenant), &webhook).await?;
            }
            anyhow::Ok(())
        });
    }
    while let Some(worker) = workers.join_next().await {
        worker.context("a worker panicked")??;
    }
    Ok(())
}

/// Starts a server, leaves it idle, and changes webhooks of the first tenant.
async fn facts_of(prepared: &Prepared, names: [&'static str; 3]) -> Result<Vec<(&'static str, String)>> {
    let began = Instant::now();
    let child = prepared.serve()?;
    let ready = began.elapsed();
    tokio::time::sleep(AFTER_CHANGE).await;
    let start = format!("ready after {:.1} s, {:.1} MiB resident", ready.as_secs_f64(), child.resident_mebibytes()?);

    let before = Spent::so_far(prepared, &child)?;
    tokio::time::sleep(IDLE).await;
    let idle = Spent::so_far(prepared, &child)?.since(before);
    let per_second = |time: Duration| 1e3 * time.as_secs_f64() / IDLE.as_secs_f64();
    let idle_text = format!(
        "server {:.1} ms, database {:.1} ms of processor time a second",
        per_second(idle.server),
        per_second(idle.database)
    );

    let before = Spent::so_far(prepared, &child)?;
    for change in 0..CHANGES {
        let body = format!("{{\"url\":\"http://127.0.0.1:9/{}-{change}\",\"eventTypes\":[\"message\"]}}", child.id());
        child::tell(child.address, WEBHOOKS, prepared.token(), &body).await?;
        tokio::time::sleep(AFTER_CHANGE).await;
    }
    let spent = Spent::so_far(prepared, &child)?.since(before);
    let idle_share = (AFTER_CHANGE * CHANGES).as_secs_f64() / IDLE.as_secs_f64();
    let each = |spent: Duration, idle: Duration| {
        1e3 * (spent.as_secs_f64() - idle.as_secs_f64() * idle_share).max(0.0) / f64::from(CHANGES)
    };
    let change = format!(
        "server {:.0} ms, database {:.0} ms, {:.1} MiB resident afterwards",
        each(spent.server, idle.server),
        each(spent.database, idle.database),
        child.resident_mebibytes()?
    );
    Ok(names.into_iter().zip([start, idle_text, change]).collect())
}
