//! Daily activity: a worker follows the event log of each tenant and adds up the counts that charts show. So charts
//! need no scan of messages, and sending needs no further write.
//!
//! A round handles the logs that are not counted to their end, in batches. A batch is one transaction: it locks the
//! tenant's position, reads the facts after it, adds them to the counts and advances the position. So every fact is
//! counted once, whatever crashes, and of two nodes that count for one tenant the second continues where the first
//! ended.
//!
//! The first response is the time from the person's first unanswered message to the next free message that an operator
//! wrote in the console. What a bot or a program sends is no response; solving the conversation ends the wait.
//!
//! The same batches put the words of messages into the index that `inbox/conversations/search.rs` reads. Templates are
//! left out: thousands of people get the same text.
//!
//! Read on: `store/src/platform/activity.rs`, `domain/src/platform/activity.rs`.

mod rows;

pub use rows::{ActivityRow, ActivityRows, ActivitySearch};

use std::collections::BTreeMap;

use domain::delivery::events::{Fact, FactKind};
use domain::messaging::messages::MessageSource;
use domain::messaging::messages::search::message_terms;
use domain::people::contacts::Term;
use domain::platform::activity::{ActivityCount, ActivityMetric, day};
use domain::{ChannelId, Field, MessageId, TenantId, Timestamp};
use serde::Deserialize;
use store::Tx;
use store::platform::activity::FirstResponse;

use crate::base::tenant_scan::TenantScan;
use crate::platform::Platform;
use crate::{ActsFor, Error, Result};

/// Most facts counted in one transaction.
const BATCH: i64 = 200;
/// Batches of one tenant before the next one has its turn.
const MAX_BATCHES: usize = 50;
/// Days that are returned when the request names no first day.
const DEFAULT_DAYS: i64 = 30;
/// Most days of one request.
pub const MAX_DAYS: i64 = 366;

#[derive(Debug)]
pub struct Activity<'a>(&'a Platform);

impl Platform {
    pub fn activity(&self) -> Activity<'_> {
        Activity(self)
    }
}

/// The activity of some days.
#[derive(Debug)]
pub struct DailyActivity {
    /// The first and the last day, both included, as days since 1970-01-01 in UTC.
    pub days: (i64, i64),
    /// One count for each day, channel and metric; days without activity have none.
    pub counts: Vec<ActivityCount>,
}

#[boxed::futures]
impl Activity<'_> {
    /// Returns the counts of the days from `from` to `to`, both included, in UTC. Without `from`: 30 days up to `to`;
    /// without `to`: up to today.
    pub async fn daily(
        &self,
        caller: &dyn ActsFor,
        from: Option<Timestamp>,
        to: Option<Timestamp>,
    ) -> Result<DailyActivity> {
        let last = day(to.unwrap_or_else(|| self.0.now()));
        let first = from.map_or(last - DEFAULT_DAYS + 1, day);
        if first > last {
            return Err(Error::invalid(Field::DateFrom, "is after date_to"));
        }
        if last - first >= MAX_DAYS {
            return Err(Error::invalid(Field::DateFrom, format!("expected a range of at most {MAX_DAYS} days")));
        }
        let counts = store::platform::activity::read_days(self.0.db(), caller.tenant(), (first, last)).await?;
        Ok(DailyActivity { days: (first, last), counts })
    }

    /// Counts the new facts of all tenants, at most `MAX_BATCHES` batches of each tenant.
    pub async fn count(&self) -> Result<()> {
        let mut scan = TenantScan::new();
        for tenant in store::platform::activity::behind(self.0.db()).await? {
            if !scan.goes_on_after(tenant, self.count_tenant(tenant).await) {
                break;
            }
        }
        scan.outcome()
    }

    async fn count_tenant(&self, tenant: TenantId) -> Result<()> {
        for _ in 0..MAX_BATCHES {
            let counted = self.0.db().write(tenant, |tx, tenant| Box::pin(count_batch(tx, *tenant)));
            if counted.await? < BATCH {
                break;
            }
        }
        Ok(())
    }
}

/// Counts by day, channel and name of the metric.
type Counts = BTreeMap<(i64, Option<ChannelId>, &'static str), ActivityCount>;

async fn count_batch(tx: &mut Tx<'_>, tenant: TenantId) -> Result<i64> {
    let facts = store::platform::activity::uncounted(tx, tenant, BATCH).await?;
    let Some(last) = facts.last().map(|fact| fact.last) else { return Ok(0) };
    let (mut counts, mut terms) = (Counts::new(), Vec::new());
    for logged in &facts {
        let fact = &logged.fact;
        terms.extend(terms_of(fact));
        for metric in ActivityMetric::counted_by(fact.kind) {
            add(&mut counts, fact, *metric, 1);
        }
        if let Some(response) = first_response(tx, tenant, fact).await? {
            add(&mut counts, fact, ActivityMetric::FirstResponses, 1);
            add(&mut counts, fact, ActivityMetric::FirstResponseSeconds, response.seconds);
            store::platform::activity::add_response(tx, tenant, &response).await?;
        }
    }
    let counts: Vec<ActivityCount> = counts.into_values().collect();
    store::platform::activity::add(tx, tenant, &counts).await?;
    store::messaging::messages::terms::add(tx, tenant, &terms).await?;
    store::platform::activity::advance(tx, tenant, last).await?;
    Ok(i64::try_from(facts.len()).unwrap_or(BATCH))
}

fn add(counts: &mut Counts, fact: &Fact, metric: ActivityMetric, amount: i64) {
    let (day, channel) = (day(fact.at), fact.channel_id);
    let new = || ActivityCount { day, channel, metric, amount: 0 };
    counts.entry((day, channel, metric.name())).or_insert_with(new).amount += amount;
}

/// The members of a fact's body that this module reads.
#[derive(Deserialize)]
struct Body {
    #[serde(default)]
    id: Option<MessageId>,
    #[serde(default)]
    status: Option<String>,
    #[serde(default)]
    text: Option<String>,
}

/// The words of a received or a free message, for the index of words. Empty for other facts.
fn terms_of(fact: &Fact) -> Vec<(Term, Timestamp, MessageId)> {
    if !matches!(fact.kind, FactKind::Received | FactKind::SessionSent) {
        return Vec::new();
    }
    let Ok(Body { id: Some(id), text: Some(text), .. }) = serde_json::from_str(&fact.body) else { return Vec::new() };
    message_terms(&text).into_iter().map(|term| (term, fact.at, id)).collect()
}

/// Returns the first response, if this fact is one. A received message begins the wait of a person, and solving the
/// conversation ends it without a response.
async fn first_response(tx: &mut Tx<'_>, tenant: TenantId, fact: &Fact) -> Result<Option<FirstResponse>> {
    let Some(conversation) = fact.conversation_id else { return Ok(None) };
    match fact.kind {
        FactKind::Received => {
            store::platform::activity::await_response(tx, tenant, conversation, fact.at).await?;
            Ok(None)
        }
        FactKind::SessionSent => {
            let id = serde_json::from_str::<Body>(&fact.body).ok().and_then(|body| body.id);
            let Some(message) = find(tx, tenant, id).await? else { return Ok(None) };
            let by_person =
                |one: &domain::messaging::messages::MessageOperator| one.source == MessageSource::Web && !one.is_bot;
            if !message.operator.as_ref().is_some_and(by_person) {
                return Ok(None);
            }
            let since = store::platform::activity::end_wait(tx, tenant, conversation).await?;
            Ok(since.map(|since| FirstResponse {
                at: fact.at,
                message_id: message.id,
                conversation_id: conversation,
                channel_id: fact.channel_id,
                seconds: (fact.at.seconds() - since.seconds()).max(0),
            }))
        }
        FactKind::InboxChanged => {
            let status = serde_json::from_str::<Body>(&fact.body).ok().and_then(|body| body.status);
            if status.as_deref() == Some("solved") {
                store::platform::activity::end_wait(tx, tenant, conversation).await?;
            }
            Ok(None)
        }
        _ => Ok(None),
    }
}

async fn find(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    id: Option<MessageId>,
) -> Result<Option<domain::messaging::messages::Message>> {
    match id {
        Some(id) => Ok(store::messaging::messages::find_in(tx, tenant, id).await?),
        None => Ok(None),
    }
}
