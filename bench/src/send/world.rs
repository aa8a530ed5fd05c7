//! The sending business: its sandbox channel, template, contacts and outbox.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use domain::messaging::channels::SANDBOX;
use domain::messaging::messages::Urgency;
use domain::people::contacts::Contact;
use domain::{ChannelId, TenantId, Timestamp};
use serde_json::Value;
use server::commands::seed;
use store::platform::sandbox::people::Person;
use store::{Db, Statement, Tx, params};

use super::calls::{Calls, TEMPLATE, When, Whom};
use crate::child::{self, Child};
use crate::served::{Database, Prepared, Served};
use crate::webhooks::spent::of_servers;

const TENANT: TenantId = TenantId::FIRST;
const SEED: u64 = 7;
/// Creation time of the last contact in Unix seconds: fixed, so that every run measures the same data.
const UNTIL: i64 = 1_776_000_000;
/// Position of the first contact among the people of the sandbox: behind the initial people.
const FIRST_POSITION: i64 = 1000;
const TEMPLATES: &str = "/api/ext/v3/messageTemplates";
/// Rows made due per transaction, so that the running server gets its turn.
const AT_ONCE: i64 = 10_000;
/// The run fails if the template is not approved, the outbox not drained or a report not applied after this time.
const TIMEOUT: Duration = Duration::from_mins(20);
/// Poll interval while waiting: precise enough for the measurement, rare enough to cost nothing.
const LOOK_EVERY: Duration = Duration::from_millis(20);

static WAITING: Statement = Statement::new("bench.outbox", "SELECT COUNT(*) FROM outbox WHERE tenant_id = $1");
static RELEASE: Statement = Statement::new(
    "bench.release",
    "UPDATE outbox SET due_at = $4 WHERE tenant_id = $1 AND id IN (
         SELECT id FROM outbox WHERE tenant_id = $1 AND channel_id = $2 AND priority = $3 AND due_at > $4
         ORDER BY due_at, id LIMIT $5)",
);
static MESSAGES: Statement = Statement::new(
    "bench.messages",
    "SELECT COUNT(*) FROM messages WHERE tenant_id = $1 AND broadcast_id IS NOT NULL AND (state = $2 OR $2 = '')",
);
static STORED: Statement = Statement::new(
    "bench.stored",
    "SELECT CAST(SUM(pg_total_relation_size(oid)) AS BIGINT) FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE 'sandbox%'",
);
static REPORTS: Statement = Statement::new(
    "bench.reports",
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM sandbox_due WHERE tenant_id = $1)
         OR EXISTS (SELECT 1 FROM inbound_journal WHERE tenant_id = $1)",
);

#[derive(Debug)]
pub struct World {
    pub prepared: Prepared,
    pub channel: ChannelId,
    /// Phone numbers of contacts that are also people of the sandbox.
    pub known: Arc<[String]>,
}

impl World {
    /// A business with `known` contacts, who are also people of the sandbox.
    pub async fn new(database: Database, known: u64) -> Result<Self> {
        let prepared = Served::prepare(database).await?;
        let channel = prepared.add_channel(SANDBOX).await?;
        let plan = seed::Plan { tenant: TENANT, count: known, seed: SEED, until: Timestamp::from_seconds(UNTIL) };
        seed::contacts::fill(prepared.app(), plan, |_| ()).await?;
        let contacts: Vec<Contact> = seed::contacts::ContactGenerator::new(plan).collect();
        let people: Vec<Person> = contacts.iter().zip(FIRST_POSITION..).map(person).collect();
        prepared.app().db().write(people, |tx, people| Box::pin(move_in(tx, people))).await?;
        prepared.settle().await?;
        let known = contacts.into_iter().filter_map(|contact| contact.phone).collect();
        Ok(Self { prepared, channel, known })
    }

    pub fn db(&self) -> Db {
        self.prepared.db()
    }

    /// Starts a server, creates the template and waits until it is approved.
    pub async fn serve(&self) -> Result<Child> {
        let child = self.prepared.serve()?;
        let token = self.prepared.token();
        let new = format!(
            "{{\"name\":\"{TEMPLATE}\",\"category\":\"MARKETING\",\"language\":\"en\",\
             \"body\":\"Hello {{{{1}}}}, your voucher {{{{2}}}} is good until Sunday.\",\
             \"custom_params\":[{{\"name\":\"1\",\"value\":\"Ada\"}},{{\"name\":\"2\",\"value\":\"SPRING-17\"}}]}}"
        );
        child::tell(child.address, TEMPLATES, token, &new).await?;
        let since = Instant::now();
        loop {
            let page: Value = serde_json::from_slice(&child::ask(child.address, TEMPLATES, token).await?)?;
            if page["templates"][0]["status"] == "APPROVED" {
                return Ok(child);
            }
            ensure!(since.elapsed() < TIMEOUT, "the template is not approved: {page}");
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// Fills the outbox with `count` messages that are scheduled far in the future. Calls `progress` with their number
    /// so far.
    pub async fn fill(&self, child: &Child, whom: Whom, count: u64, progress: impl Fn(u64)) -> Result<()> {
        let calls = Calls::new(whom, When::FarAhead);
        let (mut done, at_once) = (0, calls.most());
        while done < count {
            let now = at_once.min(count - done);
            let answer = child::tell(child.address, calls.path(), self.prepared.token(), &calls.body(now)).await?;
            let answer: Value = serde_json::from_slice(&answer).context("the answer is not JSON")?;
            ensure!(answer["success"] == true, "nothing was accepted: {answer}");
            done += now;
            progress(done);
        }
        let waiting = self.waiting().await?;
        ensure!(waiting == count, "{waiting} of {count} messages wait");
        Ok(())
    }

    /// Makes all waiting messages due.
    pub async fn release(&self) -> Result<()> {
        let (db, input) = (self.db(), (self.channel, self.prepared.app().now()));
        while db.write(input, |tx, (channel, now)| Box::pin(make_due(tx, *channel, *now))).await? > 0 {}
        Ok(())
    }

    /// Processor time of the database's servers so far: of all, and of the coordinator.
    pub fn database_time(&self) -> Result<(Duration, Duration)> {
        of_servers(self.prepared.database_processes())
    }

    /// Bytes of all tables with their indexes, without those of the sandbox. For PostgreSQL.
    pub async fn stored_bytes(&self) -> Result<u64> {
        self.count(&STORED, &[]).await
    }

    pub async fn waiting(&self) -> Result<u64> {
        self.count(&WAITING, params![TENANT]).await
    }

    /// Number of accepted messages.
    pub async fn accepted(&self) -> Result<u64> {
        self.count(&MESSAGES, params![TENANT, ""]).await
    }

    pub async fn read(&self) -> Result<u64> {
        self.count(&MESSAGES, params![TENANT, "read"]).await
    }

    async fn count(&self, statement: &'static Statement, values: &[store::Param<'_>]) -> Result<u64> {
        let count = self.db().row(statement, values, store::read::<i64>).await?;
        Ok(u64::try_from(count.unwrap_or(0))?)
    }

    /// Waits until no due message is in the outbox.
    pub async fn drained(&self) -> Result<()> {
        let since = Instant::now();
        let (db, now) = (self.db(), || self.prepared.app().now());
        while !store::messaging::outbox::channels_of_tenant_with_due(&db, TENANT, now()).await?.is_empty() {
            ensure!(since.elapsed() < TIMEOUT, "the outbox is not drained in time");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    /// Waits until all reports of the network are posted and applied.
    pub async fn reported(&self) -> Result<()> {
        let since = Instant::now();
        while self.db().row(&REPORTS, params![TENANT], |_| Ok(())).await?.is_some() {
            ensure!(since.elapsed() < TIMEOUT, "the reports are not applied in time");
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }
}

/// Makes up to `AT_ONCE` waiting messages due; returns their number.
async fn make_due(tx: &mut Tx<'_>, channel: ChannelId, now: Timestamp) -> store::Result<u64> {
    tx.execute(&RELEASE, params![TENANT, channel, Urgency::Marketing.rank(), now, AT_ONCE]).await
}

fn person((contact, position): (&Contact, i64)) -> Person {
    Person {
        position,
        name: contact.name.clone(),
        phone: contact.phone.clone(),
        bsuid: contact.bsuid.clone(),
        parent_bsuid: None,
        username: None,
        created_at: contact.created_at,
    }
}

async fn move_in(tx: &mut Tx<'_>, people: &[Person]) -> store::Result<()> {
    for person in people {
        store::platform::sandbox::people::insert(tx, TENANT, person).await?;
    }
    Ok(())
}
