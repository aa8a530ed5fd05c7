//! Daily activity: a handler of the event log (`delivery/consumers/run.rs`) adds up the counts that charts show. So
//! charts need no scan of messages, and sending needs no further write.
//!
//! The first response is the time from the person's first unanswered message to the next free message that an operator
//! wrote in the console. What a bot or a program sends is no response; solving the conversation ends the wait.
//!
//! The handler also puts the words of messages into the index that `inbox/conversations/search.rs` reads. Templates are
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
use futures_util::future::BoxFuture;
use serde::Deserialize;
use store::Tx;
use store::platform::activity::FirstResponse;

use crate::delivery::consumers::{FactBatch, FactHandler};
use crate::platform::Platform;
use crate::{ActsFor, Error, Result};

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
}

/// Counts by day, channel and name of the metric.
type Counts = BTreeMap<(i64, Option<ChannelId>, &'static str), ActivityCount>;

/// Adds up activity and indexes words.
#[derive(Debug)]
pub(crate) struct CountActivity;

impl FactHandler for CountActivity {
    fn name(&self) -> &'static str {
        "activity"
    }

    fn handle<'t>(&self, tx: &'t mut Tx<'_>, batch: FactBatch<'t>) -> BoxFuture<'t, Result<()>> {
        Box::pin(count(tx, batch))
    }
}

async fn count(tx: &mut Tx<'_>, FactBatch { tenant, facts, .. }: FactBatch<'_>) -> Result<()> {
    let (mut counts, mut terms) = (Counts::new(), Vec::new());
    for logged in facts {
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
    Ok(store::messaging::messages::terms::add(tx, tenant, &terms).await?)
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
