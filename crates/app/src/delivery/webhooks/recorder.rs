//! The recorder: one task of a node that stores the outcomes of all its dispatchers.
//!
//! It takes the reports that have arrived (up to `BATCH`), waits a moment for more if none of them is urgent, and stores
//! them in one transaction: deliveries, failed
//! attempts, the position and health of each endpoint, releases of held deliveries, and endpoints that are taken out of
//! service (answered 410, or defective). Then it answers the dispatchers through their `SharedProgress`.
//!
//! Invariants: an outcome and the position that passes it are stored together. Position and health change only while
//! this node holds the lease of the endpoint (`dispatch_state::advance`). The outcome itself is stored also after the
//! lease was lost, but cannot undo `delivered` (`deliveries::write`).
//!
//! Failure: while the transaction fails, the recorder repeats the same batch, and the bounded channel makes dispatchers
//! wait. Crash: reports that were not stored are lost; the attempts are repeated by the next holder of the lease.
//!
//! Read on: `exchange.rs` (the messages), `dispatcher/mod.rs`, `store/src/delivery/webhooks`.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use domain::delivery::events::{DefectiveWebhook, Fact};
use domain::delivery::webhooks::{Delivery, DeliveryState, Health, WebhookStatus};
use domain::{ConversationId, TenantId, Timestamp};
use store::Tx;
use store::delivery::webhooks::deliveries::{self, FailedAttempt, ReleaseOutcome};
use store::delivery::webhooks::dispatch_state::{self, DispatchProgress};
use tokio::sync::mpsc::Receiver;
use tokio::time::{Instant, timeout_at};

use super::attempt::{DeliveryRef, EndedAttempt};
use super::endpoint_key::EndpointKey;
use super::exchange::{DispatchReport, DispatcherEvent, LEASE_SECONDS};
use super::post::{AttemptOutcome, Verdict};
use super::progress::RecorderEvent;
use super::{Endpoint, Webhooks};
use crate::Result;
use crate::base::emit::emit;
use crate::delivery::EventDelivery;

/// Most reports that one transaction stores.
const BATCH: usize = 1000;
/// Least time between the starts of two transactions, if nothing waits for the outcomes: those of an ordinary rate share
/// transactions. A crash repeats the attempts of this time, which is allowed.
const GATHER: Duration = Duration::from_millis(20);
/// Number of reports that are stored without waiting for more.
const ENOUGH: usize = 256;
/// Pause before a failed transaction is repeated.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

#[boxed::futures]
impl Webhooks<'_> {
    /// Stores reports until the task is aborted.
    pub async fn run_recorder(&self) {
        let mut inbox = self.0.endpoint_directory().inbox.lock().await;
        let mut reports = Vec::with_capacity(BATCH);
        let mut next = Instant::now();
        while inbox.recv_many(&mut reports, BATCH).await > 0 {
            gather(&mut inbox, &mut reports, next).await;
            next = Instant::now() + GATHER;
            store_reports(self.0, std::mem::take(&mut reports)).await;
        }
    }
}

/// Adds reports that arrive before the time, until there are enough or one of them is awaited.
async fn gather(inbox: &mut Receiver<DispatchReport>, reports: &mut Vec<DispatchReport>, until: Instant) {
    let mut checked = 0;
    while reports.len() < ENOUGH && !reports.iter().skip(checked).any(is_awaited) {
        checked = reports.len();
        let arrived = timeout_at(until, inbox.recv_many(reports, BATCH - checked)).await;
        if !arrived.is_ok_and(|count| count > 0) {
            return;
        }
    }
}

/// True unless the report says that a new event was delivered, and the dispatcher holds nothing back until it is stored.
fn is_awaited(report: &DispatchReport) -> bool {
    match &report.event {
        DispatcherEvent::Attempted(attempt) => {
            let delivery = &attempt.delivery;
            let holds_back = report.endpoint.ordered && delivery.conversation_id.is_some();
            holds_back || !delivery.is_new() || attempt.outcome.verdict != Verdict::Delivered
        }
        DispatcherEvent::Hold(_) | DispatcherEvent::Release(_) | DispatcherEvent::Lost(_) => true,
    }
}

async fn store_reports(room: &EventDelivery, reports: Vec<DispatchReport>) {
    let now = room.now();
    let batch = Arc::new(Batch::collect(room.node_name(), &reports, now));
    let mut is_logged = false;
    let released = loop {
        match room.db().write(Arc::clone(&batch), |tx, batch| Box::pin(batch.write(tx))).await {
            Ok(released) => break released,
            Err(error) => {
                if !is_logged {
                    is_logged = true;
                    tracing::warn!(%error, "outcomes of deliveries cannot be stored; the recorder tries again");
                }
                tokio::time::sleep(RETRY_PAUSE).await;
            }
        }
    };
    batch.count();
    if !batch.out_of_service.is_empty() {
        room.endpoint_directory().changed();
    }
    answer_dispatchers(&batch, &reports, &released, now);
}

/// What one transaction stores. Computed once, because the transaction may run several times.
#[derive(Debug)]
struct Batch {
    node: String,
    now: Timestamp,
    deliveries: Vec<(TenantId, Delivery)>,
    attempts: Vec<(TenantId, FailedAttempt)>,
    progress: Vec<DispatchProgress>,
    /// Conversations whose oldest held delivery must be released.
    releases: Vec<(EndpointKey, ConversationId)>,
    out_of_service: Vec<(EndpointKey, OutOfService)>,
}

/// Why an endpoint gets no more deliveries.
#[derive(Debug, Clone)]
enum OutOfService {
    Gone,
    Defective(DefectiveWebhook),
}

impl Batch {
    fn collect(node: &str, reports: &[DispatchReport], now: Timestamp) -> Self {
        let mut batch = Self {
            node: node.to_owned(),
            now,
            deliveries: Vec::with_capacity(reports.len()),
            attempts: Vec::new(),
            progress: Vec::new(),
            releases: Vec::new(),
            out_of_service: Vec::new(),
        };
        let mut endpoints: HashMap<EndpointKey, (&DispatchReport, Vec<i64>, Vec<&AttemptOutcome>)> = HashMap::new();
        for report in reports {
            let (_, numbers, outcomes) =
                endpoints.entry(report.progress.key).or_insert_with(|| (report, Vec::new(), Vec::new()));
            if let Some(delivery) = delivery(report, now) {
                numbers.push(delivery.number);
                batch.deliveries.push((report.progress.key.tenant, delivery));
            }
            if let DispatcherEvent::Attempted(attempt) = &report.event {
                outcomes.push(&attempt.outcome);
                batch.attempts.extend(failed_attempt(report.progress.key, attempt));
            }
            if report.endpoint.ordered {
                batch.releases.extend(report.event.releases().map(|conversation| (report.progress.key, conversation)));
            }
        }
        for (key, (report, numbers, outcomes)) in endpoints {
            let state = report
                .progress
                .recording(&numbers, |health| outcomes.iter().fold(health, |health, one| health_after(health, one)));
            batch.progress.push(DispatchProgress { tenant: key.tenant, webhook: key.webhook, state });
            let is_gone = outcomes.iter().any(|outcome| outcome.verdict == Verdict::Gone);
            let reason =
                if is_gone { Some(OutOfService::Gone) } else { defective(&report.endpoint, state.health, now) };
            batch.out_of_service.extend(reason.map(|reason| (key, reason)));
        }
        batch
    }

    /// Writes the batch. Returns the outcome of each release.
    async fn write(self: &Arc<Self>, tx: &mut Tx<'_>) -> Result<Vec<ReleaseOutcome>> {
        deliveries::write(tx, &self.deliveries).await?;
        deliveries::write_attempts(tx, &self.attempts).await?;
        dispatch_state::advance(tx, &self.node, self.now.plus_seconds(LEASE_SECONDS), &self.progress).await?;
        let mut released = Vec::with_capacity(self.releases.len());
        for (key, conversation) in &self.releases {
            released.push(deliveries::release_next(tx, key.tenant, key.webhook, *conversation, self.now).await?);
        }
        for (key, reason) in &self.out_of_service {
            take_out_of_service(tx, *key, reason, self.now).await?;
        }
        Ok(released)
    }

    fn count(&self) {
        for (_, delivery) in &self.deliveries {
            metrics::counter!("switchboard_webhook_deliveries_total", "state" => delivery.state.name()).increment(1);
        }
    }
}

/// Takes an enabled endpoint out of service and parks its open deliveries: nothing more is delivered until a client
/// enables it. One that answered 410 becomes `Disabled`; one that failed too often becomes `Defective`, with an event,
/// and can also be enabled by a recovery. An endpoint that is no longer enabled stays as it is.
async fn take_out_of_service(tx: &mut Tx<'_>, key: EndpointKey, reason: &OutOfService, now: Timestamp) -> Result<()> {
    let found = store::delivery::webhooks::for_update(tx, key.tenant, key.webhook).await?;
    let Some(mut stored) = found.filter(|stored| stored.status == WebhookStatus::Enabled) else { return Ok(()) };
    match reason {
        OutOfService::Gone => {
            stored.status = WebhookStatus::Disabled;
            stored.reason = Some("the endpoint answered 410 Gone".to_owned());
        }
        OutOfService::Defective(defective) => {
            stored.status = WebhookStatus::Defective;
            stored.reason = Some(format!(
                "{} failed attempts in a row, and nothing delivered since {}",
                defective.failed_attempts,
                defective.failing_since.to_rfc3339()
            ));
            emit(tx, key.tenant, &[Fact::webhook_defective(now, defective)]).await?;
        }
    }
    stored.updated_at = now.to_millis();
    store::delivery::webhooks::update(tx, &stored).await?;
    deliveries::park(tx, key.tenant, key.webhook).await?;
    Ok(())
}

fn health_after(health: Health, outcome: &AttemptOutcome) -> Health {
    match outcome.verdict {
        Verdict::Delivered => health.delivered(outcome.at),
        Verdict::Failed { .. } | Verdict::Gone => health.failed(outcome.at).asked_to_pause(outcome.paused_until()),
    }
}

fn defective(endpoint: &Endpoint, health: Health, now: Timestamp) -> Option<OutOfService> {
    let failing_since = health.failing_since.filter(|_| health.is_defective(now))?;
    Some(OutOfService::Defective(DefectiveWebhook {
        webhook_id: endpoint.id,
        url: endpoint.url.clone(),
        failed_attempts: health.failed_in_a_row,
        failing_since,
        last_delivered: health.delivered_at,
    }))
}

fn delivery(report: &DispatchReport, now: Timestamp) -> Option<Delivery> {
    let bare = |delivery: &DeliveryRef, state| Delivery {
        webhook: report.progress.key.webhook,
        id: delivery.id,
        number: delivery.number,
        kind: delivery.kind,
        conversation_id: delivery.conversation_id,
        state,
        attempts: delivery.attempts,
        first_at: delivery.first_at.unwrap_or(now),
        last_at: now,
        due_at: None,
        status: None,
        latency: None,
        excerpt: None,
        trace: None,
        recovery: delivery.recovery,
        asked: delivery.asked,
    };
    match &report.event {
        DispatcherEvent::Attempted(attempt) => Some(Delivery {
            attempts: attempt.delivery.attempts + 1,
            first_at: attempt.delivery.first_at.unwrap_or(attempt.outcome.at),
            last_at: attempt.outcome.at,
            due_at: attempt.due_at,
            status: attempt.outcome.status.map(i64::from),
            latency: Some(micros(attempt.outcome.latency)),
            excerpt: attempt.outcome.excerpt.clone(),
            trace: Some(attempt.outcome.trace.clone()),
            asked: None,
            ..bare(&attempt.delivery, attempt.state)
        }),
        DispatcherEvent::Hold(delivery) => Some(bare(delivery, DeliveryState::Held)),
        DispatcherEvent::Lost(delivery) => Some(Delivery {
            excerpt: Some("the event is no longer in the log".to_owned()),
            asked: None,
            ..bare(delivery, DeliveryState::Failed)
        }),
        DispatcherEvent::Release(_) => None,
    }
}

/// The row of a failed attempt. None for an attempt that delivered: its data is in the delivery's own row.
fn failed_attempt(key: EndpointKey, attempt: &EndedAttempt) -> Option<(TenantId, FailedAttempt)> {
    let EndedAttempt { delivery, outcome, .. } = attempt;
    let error = match &outcome.verdict {
        Verdict::Delivered => return None,
        Verdict::Failed { error, .. } => error.clone(),
        Verdict::Gone => "answered 410: the endpoint is gone".to_owned(),
    };
    let failed = FailedAttempt {
        webhook: key.webhook,
        delivery: delivery.id,
        attempt: delivery.attempts + 1,
        at: outcome.at,
        status: outcome.status.map(i64::from),
        latency: micros(outcome.latency),
        error,
        excerpt: outcome.excerpt.clone(),
        trace: Some(outcome.trace.clone()),
    };
    Some((key.tenant, failed))
}

fn answer_dispatchers(batch: &Batch, reports: &[DispatchReport], released: &[ReleaseOutcome], now: Timestamp) {
    let mut released = batch.releases.iter().zip(released);
    for report in reports {
        let mut answers = Vec::new();
        match &report.event {
            DispatcherEvent::Attempted(attempt) => answers.extend(answers_to(report, attempt)),
            DispatcherEvent::Lost(delivery) => answers.push(RecorderEvent::Recorded(delivery.id)),
            DispatcherEvent::Hold(delivery) => answers.extend(delivery.conversation_id.map(RecorderEvent::HoldStored)),
            DispatcherEvent::Release(_) => {}
        }
        if report.endpoint.ordered
            && report.event.releases().is_some()
            && let Some(((_, conversation), outcome)) = released.next()
        {
            match outcome {
                ReleaseOutcome::Released => answers.push(RecorderEvent::Due(now)),
                ReleaseOutcome::NothingOpen => answers.push(RecorderEvent::Freed(*conversation)),
                ReleaseOutcome::StillOpen => {}
            }
        }
        report.progress.recorded(1, answers);
    }
}

fn answers_to(report: &DispatchReport, attempt: &EndedAttempt) -> Vec<RecorderEvent> {
    let mut answers: Vec<RecorderEvent> = attempt.due_at.map(RecorderEvent::Due).into_iter().collect();
    let delivery = &attempt.delivery;
    if !delivery.is_new() {
        answers.push(RecorderEvent::Recorded(delivery.id));
    } else if let (true, Some(conversation)) = (report.endpoint.ordered, delivery.conversation_id) {
        let is_over = attempt.is_over();
        answers.push(if is_over { RecorderEvent::Done(conversation) } else { RecorderEvent::Failed(conversation) });
    }
    answers
}

fn micros(latency: Duration) -> i64 {
    i64::try_from(latency.as_micros()).unwrap_or(i64::MAX)
}
