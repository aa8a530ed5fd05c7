//! The recorder: writes down what came of deliveries, of all lanes together, as many at a time as have come meanwhile.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::events::{Defective, Fact};
use domain::webhooks::{DeliveryState, Health, Status};
use domain::{ConversationId, TenantId, Timestamp};
use store::Tx;
use store::webhooks::deliveries::{self, Attempt, Delivery, Left};
use store::webhooks::lanes::{self, Progress};

use super::attempt::{Attempted, Item};
use super::exchange::{DispatcherEvent, LEASE_SECONDS, LaneKey, Report};
use super::post::{Outcome, Verdict};
use super::progress::RecorderEvent;
use super::{Endpoint, Webhooks};
use crate::{App, Result};

/// Outcomes that are written down in one transaction.
const BATCH: usize = 1000;
/// A database that fails is asked again after so long.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

impl Webhooks<'_> {
    /// Writes down what comes, for ever.
    pub async fn record(&self) {
        let mut inbox = self.0.post_office().inbox.lock().await;
        let mut reports = Vec::with_capacity(BATCH);
        while inbox.recv_many(&mut reports, BATCH).await > 0 {
            write_down(self.0, std::mem::take(&mut reports)).await;
        }
    }
}

async fn write_down(app: &App, reports: Vec<Report>) {
    let now = app.now();
    let batch = Arc::new(Batch::of(app.node_name(), &reports, now));
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
    answer_dispatchers(&batch, &reports, &next, now);
}

/// What a transaction writes. Made once: the transaction may run again.
#[derive(Debug)]
struct Batch {
    node: String,
    now: Timestamp,
    deliveries: Vec<(TenantId, Delivery)>,
    attempts: Vec<(TenantId, Attempt)>,
    moved: Vec<Progress>,
    /// Conversations whose next one may be attempted.
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
    fn of(node: &str, reports: &[Report], now: Timestamp) -> Self {
        let mut batch = Self {
            node: node.to_owned(),
            now,
            deliveries: Vec::with_capacity(reports.len()),
            attempts: Vec::new(),
            moved: Vec::new(),
            let_go: Vec::new(),
            ended: Vec::new(),
        };
        let mut lanes: HashMap<LaneKey, (&Report, Vec<i64>, Vec<&Outcome>)> = HashMap::new();
        for report in reports {
            let (_, numbers, outcomes) =
                lanes.entry(report.progress.key).or_insert_with(|| (report, Vec::new(), Vec::new()));
            if let Some(delivery) = delivery(report, now) {
                numbers.push(delivery.number);
                batch.deliveries.push((report.progress.key.tenant, delivery));
            }
            if let DispatcherEvent::Attempted(attempted) = &report.event {
                outcomes.push(&attempted.outcome);
                batch.attempts.extend(attempt(report.progress.key, attempted));
            }
            if report.endpoint.ordered {
                batch.let_go.extend(report.event.releases().map(|conversation| (report.progress.key, conversation)));
            }
        }
        for (key, (report, numbers, outcomes)) in lanes {
            let lane = report
                .progress
                .recording(&numbers, |health| outcomes.iter().fold(health, |health, one| judged(health, one)));
            batch.moved.push(Progress { tenant: key.tenant, webhook: key.webhook, lane });
            let is_gone = outcomes.iter().any(|outcome| outcome.verdict == Verdict::Gone);
            let end = if is_gone { Some(End::Gone) } else { defective(&report.endpoint, lane.health, now) };
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

/// Takes the endpoint out of service: the dispatcher delivers nothing more until an operator enables it again.
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

fn delivery(report: &Report, now: Timestamp) -> Option<Delivery> {
    let bare = |item: &Item, state| Delivery {
        webhook: report.progress.key.webhook,
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
    match &report.event {
        DispatcherEvent::Attempted(attempted) => Some(Delivery {
            attempts: attempted.item.attempts + 1,
            first_at: attempted.item.first_at.unwrap_or(attempted.outcome.at),
            last_at: attempted.outcome.at,
            due_at: attempted.due_at,
            status: attempted.outcome.status.map(i64::from),
            latency: Some(micros(attempted.outcome.latency)),
            excerpt: attempted.outcome.excerpt.clone(),
            ..bare(&attempted.item, attempted.state)
        }),
        DispatcherEvent::Held(item) => Some(bare(item, DeliveryState::Held)),
        DispatcherEvent::Lost(item) => Some(Delivery {
            excerpt: Some("the event is not in the log any more".to_owned()),
            ..bare(item, DeliveryState::Failed)
        }),
        DispatcherEvent::Release(_) => None,
    }
}

fn attempt(key: LaneKey, attempted: &Attempted) -> Option<(TenantId, Attempt)> {
    let Attempted { item, outcome, .. } = attempted;
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

fn answer_dispatchers(batch: &Batch, reports: &[Report], next: &[Left], now: Timestamp) {
    let mut freed = batch.let_go.iter().zip(next);
    for report in reports {
        let mut news = Vec::new();
        match &report.event {
            DispatcherEvent::Attempted(attempted) => news.extend(answers_to(report, attempted)),
            DispatcherEvent::Lost(item) => news.push(RecorderEvent::Recorded(item.id)),
            DispatcherEvent::Held(item) => news.extend(item.conversation_id.map(RecorderEvent::Held)),
            DispatcherEvent::Release(_) => {}
        }
        if report.endpoint.ordered
            && report.event.releases().is_some()
            && let Some(((_, conversation), left)) = freed.next()
        {
            match left {
                Left::Next => news.push(RecorderEvent::Due(now)),
                Left::Nothing => news.push(RecorderEvent::Freed(*conversation)),
                Left::Open => {}
            }
        }
        report.progress.recorded(1, news);
    }
}

fn answers_to(report: &Report, attempted: &Attempted) -> Vec<RecorderEvent> {
    let mut answers: Vec<RecorderEvent> = attempted.due_at.map(RecorderEvent::Due).into_iter().collect();
    let item = &attempted.item;
    if !item.is_new() {
        answers.push(RecorderEvent::Recorded(item.id));
    } else if let (true, Some(conversation)) = (report.endpoint.ordered, item.conversation_id) {
        let is_over = attempted.is_over();
        answers.push(if is_over { RecorderEvent::Done(conversation) } else { RecorderEvent::Failed(conversation) });
    }
    answers
}

fn micros(latency: Duration) -> i64 {
    i64::try_from(latency.as_micros()).unwrap_or(i64::MAX)
}
