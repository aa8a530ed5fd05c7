//! The recorder: writes down what came of deliveries, of all lanes together, as many at a time as have come meanwhile.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::events::{Defective, Fact};
use domain::webhooks::{DeliveryState, Health, Status, again_at};
use domain::{ConversationId, TenantId, Timestamp};
use store::Tx;
use store::webhooks::deliveries::{self, Attempt, Delivery, Left};
use store::webhooks::lanes::{self, Progress};

use super::lane::{Desk, Item, LEASE_SECONDS, News, Tried};
use super::post::{Outcome, Verdict};
use super::{Endpoint, LaneKey, Webhooks};
use crate::{App, Result};

/// Outcomes that are written down in one transaction.
const BATCH: usize = 1000;
/// A database that fails is asked again after so long.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// Something about a lane that is to be written down.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(super) desk: Arc<Desk>,
    pub(super) endpoint: Arc<Endpoint>,
    pub(super) what: What,
}

#[derive(Debug)]
pub(super) enum What {
    Tried(Box<Tried>),
    /// It waits for an earlier one of its conversation.
    Held(Item),
    /// The next one of a conversation may be tried.
    LetGo(ConversationId),
    /// Its event is not in the log any more.
    Lost(Item),
}

impl Webhooks<'_> {
    /// Writes down what comes, for ever.
    pub async fn record(&self) {
        let mut inbox = self.0.post_office().inbox.lock().await;
        let mut entries = Vec::with_capacity(BATCH);
        while inbox.recv_many(&mut entries, BATCH).await > 0 {
            write_down(self.0, std::mem::take(&mut entries)).await;
        }
    }
}

async fn write_down(app: &App, entries: Vec<Entry>) {
    let now = app.now();
    let batch = Arc::new(Batch::of(app.node_name(), &entries, now));
    let mut is_said = false;
    let next = loop {
        match app.db().write(Arc::clone(&batch), |tx, batch| Box::pin(batch.write(tx))).await {
            Ok(next) => break next,
            Err(error) => {
                if !is_said {
                    is_said = true;
                    tracing::warn!(%error, "deliveries cannot be written down; it is tried again");
                }
                tokio::time::sleep(AGAIN_AFTER).await;
            }
        }
    };
    batch.count();
    if !batch.ended.is_empty() {
        app.post_office().changed();
    }
    tell_lanes(&batch, &entries, &next, now);
}

/// What a transaction writes. Made once: the transaction may run again.
#[derive(Debug)]
struct Batch {
    node: String,
    now: Timestamp,
    deliveries: Vec<(TenantId, Delivery)>,
    attempts: Vec<(TenantId, Attempt)>,
    moved: Vec<Progress>,
    /// Conversations whose next one may be tried.
    let_go: Vec<(LaneKey, ConversationId)>,
    /// Endpoints that are told nothing more.
    ended: Vec<(LaneKey, End)>,
}

#[derive(Debug, Clone)]
enum End {
    Gone,
    Defective(Defective),
}

impl Batch {
    fn of(node: &str, entries: &[Entry], now: Timestamp) -> Self {
        let mut batch = Self {
            node: node.to_owned(),
            now,
            deliveries: Vec::with_capacity(entries.len()),
            attempts: Vec::new(),
            moved: Vec::new(),
            let_go: Vec::new(),
            ended: Vec::new(),
        };
        let mut lanes: HashMap<LaneKey, (&Entry, Vec<i64>, Vec<&Outcome>)> = HashMap::new();
        for entry in entries {
            let (_, numbers, outcomes) = lanes.entry(entry.desk.key).or_insert_with(|| (entry, Vec::new(), Vec::new()));
            if let Some(delivery) = delivery(entry, now) {
                numbers.push(delivery.number);
                batch.deliveries.push((entry.desk.key.tenant, delivery));
            }
            if let What::Tried(tried) = &entry.what {
                outcomes.push(&tried.outcome);
                batch.attempts.extend(attempt(entry.desk.key, tried));
            }
            if entry.endpoint.ordered {
                batch.let_go.extend(lets_go(entry).map(|conversation| (entry.desk.key, conversation)));
            }
        }
        for (key, (entry, numbers, outcomes)) in lanes {
            let lane = entry
                .desk
                .recording(&numbers, |health| outcomes.iter().fold(health, |health, one| judged(health, one)));
            batch.moved.push(Progress { tenant: key.tenant, webhook: key.webhook, lane });
            let is_gone = outcomes.iter().any(|outcome| outcome.verdict == Verdict::Gone);
            let end = if is_gone { Some(End::Gone) } else { defective(&entry.endpoint, lane.health, now) };
            batch.ended.extend(end.map(|end| (key, end)));
        }
        batch
    }

    /// Answers what is left of the conversations that may go on.
    async fn write(self: &Arc<Self>, tx: &mut Tx<'_>) -> Result<Vec<Left>> {
        deliveries::write(tx, &self.deliveries).await?;
        deliveries::write_attempts(tx, &self.attempts).await?;
        lanes::move_on(tx, &self.node, self.now.plus_seconds(LEASE_SECONDS), &self.moved).await?;
        let mut next = Vec::with_capacity(self.let_go.len());
        for (key, conversation) in &self.let_go {
            next.push(deliveries::let_go(tx, key.tenant, key.webhook, *conversation, self.now).await?);
        }
        for (key, end) in &self.ended {
            take_out(tx, *key, end, self.now).await?;
        }
        Ok(next)
    }

    fn count(&self) {
        for (_, delivery) in &self.deliveries {
            metrics::counter!("switchboard_webhook_deliveries_total", "state" => delivery.state.name()).increment(1);
        }
    }
}

/// The endpoint is told nothing more until somebody puts it right.
async fn take_out(tx: &mut Tx<'_>, key: LaneKey, end: &End, now: Timestamp) -> Result<()> {
    let found = store::webhooks::for_update(tx, key.tenant, key.webhook).await?;
    let Some(mut stored) = found.filter(|stored| stored.status == Status::Enabled) else { return Ok(()) };
    match end {
        End::Gone => {
            stored.status = Status::Disabled;
            stored.reason = Some("the endpoint answered 410 Gone".to_owned());
        }
        End::Defective(told) => {
            stored.status = Status::Defective;
            stored.reason = Some(format!(
                "{} failed attempts in a row, and nothing delivered since {}",
                told.failed_attempts,
                told.failing_since.to_rfc3339()
            ));
            crate::events::append(tx, key.tenant, &[Fact::webhook_defective(now, told)]).await?;
        }
    }
    stored.updated_at = now.to_millis();
    store::webhooks::update(tx, &stored).await?;
    deliveries::park(tx, key.tenant, key.webhook).await?;
    Ok(())
}

fn judged(health: Health, outcome: &Outcome) -> Health {
    match outcome.verdict {
        Verdict::Delivered => health.delivered(outcome.at),
        Verdict::Failed { .. } | Verdict::Gone => health.failed(outcome.at).asked_for_rest(outcome.rests_until()),
    }
}

fn defective(endpoint: &Endpoint, health: Health, now: Timestamp) -> Option<End> {
    let failing_since = health.failing_since.filter(|_| health.is_defective(now))?;
    Some(End::Defective(Defective {
        webhook_id: endpoint.id,
        url: endpoint.url.clone(),
        failed_attempts: health.failed_in_a_row,
        failing_since,
        last_delivered: health.delivered_at,
    }))
}

fn delivery(entry: &Entry, now: Timestamp) -> Option<Delivery> {
    let bare = |item: &Item, state| Delivery {
        webhook: entry.desk.key.webhook,
        id: item.id,
        number: item.number,
        kind: item.kind,
        conversation_id: item.conversation_id,
        state,
        attempts: item.attempts,
        first_at: item.first_at.unwrap_or(now),
        last_at: now,
        due_at: None,
        status: None,
        latency: None,
        excerpt: None,
    };
    match &entry.what {
        What::Tried(tried) => {
            let (state, due_at) = state_after(tried);
            Some(Delivery {
                attempts: tried.item.attempts + 1,
                first_at: tried.item.first_at.unwrap_or(tried.outcome.at),
                last_at: tried.outcome.at,
                due_at,
                status: tried.outcome.status.map(i64::from),
                latency: Some(micros(tried.outcome.latency)),
                excerpt: tried.outcome.excerpt.clone(),
                ..bare(&tried.item, state)
            })
        }
        What::Held(item) => Some(bare(item, DeliveryState::Held)),
        What::Lost(item) => Some(Delivery {
            excerpt: Some("the event is not in the log any more".to_owned()),
            ..bare(item, DeliveryState::Failed)
        }),
        What::LetGo(_) => None,
    }
}

fn state_after(tried: &Tried) -> (DeliveryState, Option<Timestamp>) {
    let Tried { item, outcome } = tried;
    match outcome.verdict {
        Verdict::Delivered => (DeliveryState::Delivered, None),
        Verdict::Gone => (DeliveryState::Parked, None),
        Verdict::Failed { rest, .. } => {
            let first = item.first_at.unwrap_or(outcome.at);
            let again = again_at(first, outcome.at, item.attempts + 1, item.id, rest);
            let state = if again.is_some() { DeliveryState::Retrying } else { DeliveryState::Failed };
            (state, again)
        }
    }
}

fn attempt(key: LaneKey, tried: &Tried) -> Option<(TenantId, Attempt)> {
    let Tried { item, outcome } = tried;
    let error = match &outcome.verdict {
        Verdict::Delivered => return None,
        Verdict::Failed { error, .. } => error.clone(),
        Verdict::Gone => "answered 410: the endpoint is gone".to_owned(),
    };
    let attempt = Attempt {
        webhook: key.webhook,
        delivery: item.id,
        attempt: item.attempts + 1,
        at: outcome.at,
        status: outcome.status.map(i64::from),
        latency: micros(outcome.latency),
        error,
        excerpt: outcome.excerpt.clone(),
    };
    Some((key.tenant, attempt))
}

/// The conversation whose next one is to be looked for in the database: of what was tried again and is at its end. What
/// waits in memory is the lane's own.
fn lets_go(entry: &Entry) -> Option<ConversationId> {
    match &entry.what {
        What::LetGo(conversation) => Some(*conversation),
        What::Lost(item) => item.conversation_id,
        What::Tried(tried) if !tried.item.is_new() => {
            let (state, _) = state_after(tried);
            let is_over = matches!(state, DeliveryState::Delivered | DeliveryState::Failed);
            tried.item.conversation_id.filter(|_| is_over)
        }
        _ => None,
    }
}

fn tell_lanes(batch: &Batch, entries: &[Entry], next: &[Left], now: Timestamp) {
    let mut freed = batch.let_go.iter().zip(next);
    for entry in entries {
        let mut news = Vec::new();
        match &entry.what {
            What::Tried(tried) => news.extend(news_of(entry, tried)),
            What::Lost(item) => news.push(News::Recorded(item.id)),
            What::Held(item) => news.extend(item.conversation_id.map(News::Held)),
            What::LetGo(_) => {}
        }
        if entry.endpoint.ordered
            && lets_go(entry).is_some()
            && let Some(((_, conversation), left)) = freed.next()
        {
            match left {
                Left::Next => news.push(News::Due(now)),
                Left::Nothing => news.push(News::Freed(*conversation)),
                Left::Open => {}
            }
        }
        entry.desk.recorded(1, news);
    }
}

fn news_of(entry: &Entry, tried: &Tried) -> Vec<News> {
    let (state, due) = state_after(tried);
    let mut news = Vec::new();
    news.extend(due.map(News::Due));
    if !tried.item.is_new() {
        news.push(News::Recorded(tried.item.id));
    }
    if let (true, Some(conversation)) = (entry.endpoint.ordered && tried.item.is_new(), tried.item.conversation_id) {
        let is_over = matches!(state, DeliveryState::Delivered | DeliveryState::Failed);
        news.push(if is_over { News::Done(conversation) } else { News::Failed(conversation) });
    }
    news
}

fn micros(latency: Duration) -> i64 {
    i64::try_from(latency.as_micros()).unwrap_or(i64::MAX)
}
