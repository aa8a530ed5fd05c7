//! Recovery: delivers what an endpoint has missed in a window of time. Every delivery of the window that was not
//! delivered (failed, parked, held or retrying) is retried from now on, and events of the window without a delivery are
//! read from the log again. A defective endpoint becomes enabled; for a disabled one a recovery is refused.
//!
//! The transaction marks each delivery with the start of the recovery, moves the endpoint's position back and stores
//! the recovery beside it (`dispatch_state::begin_recovery`). A dispatcher that reads an event of the range without a
//! delivery marks its delivery too, or skips the event if it happened after the end of the window. So the progress is a
//! count of marked deliveries, and neither a crash nor a change of the holder loses anything.
//!
//! A recovery that begins while another one runs takes over what the other has left: both windows are read as one.

use domain::delivery::webhooks::{RecoveryProgress, RecoveryState, RecoveryWindow, RunningRecovery, WebhookStatus};
use domain::{Field, TenantId, Timestamp, WebhookId};
use serde_json::json;
use store::Tx;
use store::delivery::webhooks::dispatch_state::{DispatchState, StoredRecovery};
use store::delivery::webhooks::{deliveries, dispatch_state};

use super::Webhooks;
use super::view::NO_WEBHOOK;
use crate::{Actor, ActsFor, Error, Result, Thing};

/// What a recovery started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryResult {
    pub id: WebhookId,
    pub status: WebhookStatus,
    /// Number of deliveries that are retried; with ordered delivery, one of each conversation at a time.
    pub deliveries: u64,
    /// Number of parked deliveries, outside of the window, that were given up because their conversations would wait
    /// for them; only with ordered delivery.
    pub given_up: u64,
    /// The log is read again after this number: the endpoint gets the events after it that have no delivery yet.
    pub after: i64,
    /// How many numbers of the log are read again.
    pub events: i64,
}

/// What a recovery would start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecoveryPreview {
    pub deliveries: i64,
    pub given_up: i64,
    pub events: i64,
}

/// The numbers of the log that belong to a window.
#[derive(Debug, Clone, Copy)]
struct LogRange {
    /// Every event of the window has a greater number.
    before: i64,
    /// Every event of the window has this number or a smaller one.
    through: i64,
    /// The last number of the log.
    last: i64,
}

#[derive(Debug)]
struct Recovery {
    actor: Actor,
    tenant: TenantId,
    id: WebhookId,
    window: RecoveryWindow,
    now: Timestamp,
    range: LogRange,
}

#[boxed::futures]
impl Webhooks<'_> {
    pub async fn recover(&self, caller: &dyn ActsFor, id: WebhookId, window: RecoveryWindow) -> Result<RecoveryResult> {
        let (tenant, now) = (caller.tenant(), self.0.now().to_millis());
        let range = self.log_range(tenant, window, now).await?;
        let input = Recovery { actor: caller.audit_actor(), tenant, id, window, now, range };
        let recovered = self.0.db().write(input, |tx, input| Box::pin(input.write(tx))).await?;
        self.0.endpoint_directory().changed();
        Ok(recovered)
    }

    /// Counts what a recovery would deliver. Changes nothing.
    pub async fn preview_recovery(
        &self,
        caller: &dyn ActsFor,
        id: WebhookId,
        window: RecoveryWindow,
    ) -> Result<RecoveryPreview> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let stored = store::delivery::webhooks::by_id(db, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let range = self.log_range(tenant, window, self.0.now().to_millis()).await?;
        let state = dispatch_state::state(db, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let planned = plan(&state, stored.status, window, range, self.0.now());
        let given_up = if stored.ordered { deliveries::count_given_up(db, tenant, id, window).await? } else { 0 };
        Ok(RecoveryPreview {
            deliveries: deliveries::count_recoverable(db, tenant, id, window).await?,
            given_up,
            events: events_read(&state, &planned),
        })
    }

    /// The progress of the last recovery of the endpoint.
    pub async fn recovery(&self, caller: &dyn ActsFor, id: WebhookId) -> Result<RecoveryProgress> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let stored = store::delivery::webhooks::by_id(db, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let last = dispatch_state::recovery(db, tenant, id).await?.ok_or(Error::NotFound(Thing::Recovery))?;
        let StoredRecovery { recovery, since, .. } = last;
        let counts = deliveries::recovery_counts(db, tenant, id, recovery.started_at).await?;
        let is_over = last.position >= last.through && counts.waiting == 0;
        let is_stopped = last.canceled_at.is_some() || stored.status != WebhookStatus::Enabled;
        let state = match (last.canceled_at, is_over) {
            (None, true) => RecoveryState::Done,
            _ if is_stopped => RecoveryState::Canceled,
            _ => RecoveryState::Running,
        };
        Ok(RecoveryProgress {
            state,
            window: RecoveryWindow { since, until: recovery.until },
            started_at: recovery.started_at,
            total: counts.total,
            delivered: counts.delivered,
            failed: counts.total - counts.delivered - counts.waiting,
        })
    }

    /// Stops the running recovery. Deliveries that were delivered or are in flight stay as they are; those that the
    /// recovery took up and that were not attempted yet are given up. Returns the number of those.
    pub async fn cancel_recovery(&self, caller: &dyn ActsFor, id: WebhookId) -> Result<u64> {
        if self.recovery(caller, id).await?.state != RecoveryState::Running {
            return Err(Error::conflict(Field::Recovery, "no recovery is running"));
        }
        let input = (caller.audit_actor(), caller.tenant(), id, self.0.now().to_millis());
        let write =
            self.0.db().write(input, |tx, (actor, tenant, id, now)| Box::pin(cancel(tx, actor, *tenant, *id, *now)));
        let canceled = write.await?;
        self.0.endpoint_directory().changed();
        Ok(canceled)
    }

    async fn log_range(&self, tenant: TenantId, window: RecoveryWindow, now: Timestamp) -> Result<LogRange> {
        if window.since > now {
            return Err(Error::invalid(Field::Since, "is in the future"));
        }
        if window.until.is_some_and(|until| until < window.since) {
            return Err(Error::invalid(Field::Until, "is before since"));
        }
        let events = self.0.events();
        let last = store::delivery::events::log(self.0.db(), tenant).await?.last;
        Ok(LogRange {
            before: events.number_before(tenant, window.since).await?,
            through: match window.until {
                Some(until) => events.number_through(tenant, until).await?,
                None => last,
            },
            last,
        })
    }
}

/// The recovery to store if it begins now. It also reads what a running recovery has left.
fn plan(
    state: &DispatchState,
    status: WebhookStatus,
    window: RecoveryWindow,
    range: LogRange,
    now: Timestamp,
) -> StoredRecovery {
    let running = state.recovery.filter(|running| state.position < running.to);
    let read_to = running.map_or(state.position, |running| running.to);
    // A defective endpoint has stopped reading the log: if the window has an end, the events after that end are
    // skipped.
    let is_cut = window.until.is_some() && status != WebhookStatus::Enabled;
    let to = if is_cut { read_to.max(range.last) } else { read_to };
    let until = match (window.until, running) {
        (Some(until), Some(running)) => running.until.map(|other| other.max(until)),
        (until, None) => until,
        (None, _) => None,
    };
    let position = state.position.min(range.before);
    let is_short = until.is_some() && running.is_none();
    let through = if is_short { to.min(range.through.max(position)) } else { to };
    StoredRecovery {
        recovery: RunningRecovery { started_at: now, to, until },
        since: window.since,
        through,
        canceled_at: None,
        position,
    }
}

/// The number of events that the recovery reads, without those that a running recovery reads anyway.
fn events_read(state: &DispatchState, planned: &StoredRecovery) -> i64 {
    let is_running = state.recovery.is_some_and(|running| state.position < running.to);
    let end = if is_running { state.position } else { planned.through };
    end.saturating_sub(planned.position)
}

impl Recovery {
    async fn write(&self, tx: &mut Tx<'_>) -> Result<RecoveryResult> {
        let Self { tenant, id, window, now, .. } = *self;
        let mut stored = store::delivery::webhooks::for_update(tx, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        if stored.status == WebhookStatus::Disabled {
            return Err(Error::conflict(Field::Status, "the webhook is disabled; enable it first"));
        }
        let state = dispatch_state::state_in(tx, tenant, id).await?.ok_or(NO_WEBHOOK)?;
        let planned = plan(&state, stored.status, window, self.range, now);
        dispatch_state::begin_recovery(tx, tenant, id, &planned).await?;
        let (deliveries, given_up) = if stored.ordered {
            deliveries::recover_in_order(tx, tenant, id, window, now).await?
        } else {
            (deliveries::recover(tx, tenant, id, window, now).await?, 0)
        };
        (stored.status, stored.reason, stored.updated_at) = (WebhookStatus::Enabled, None, now);
        store::delivery::webhooks::update(tx, &stored).await?;
        let after = planned.position;
        let (since, until) = (window.since.to_rfc3339(), window.until.map(Timestamp::to_rfc3339));
        let details = json!({"since": since, "until": until, "deliveries": deliveries, "after": after});
        self.actor.record(tx, tenant, now, "webhook.recover", &id.to_string(), details).await?;
        Ok(RecoveryResult {
            id,
            status: stored.status,
            deliveries,
            given_up,
            after,
            events: events_read(&state, &planned),
        })
    }
}

async fn cancel(tx: &mut Tx<'_>, actor: &Actor, tenant: TenantId, id: WebhookId, now: Timestamp) -> Result<u64> {
    let stored = store::delivery::webhooks::for_update(tx, tenant, id).await?.ok_or(NO_WEBHOOK)?;
    let last = dispatch_state::recovery_in(tx, tenant, id).await?.ok_or(Error::NotFound(Thing::Recovery))?;
    if !dispatch_state::cancel_recovery(tx, tenant, id, now).await? {
        return Err(Error::conflict(Field::Recovery, "no recovery is running"));
    }
    let canceled = deliveries::cancel_reopened(tx, tenant, id, last.recovery.started_at).await?;
    if stored.ordered {
        deliveries::release_oldest(tx, tenant, id, now).await?;
    }
    // The update raises the epoch, so that every node checks its dispatchers again.
    store::delivery::webhooks::update(tx, &stored).await?;
    actor.record(tx, tenant, now, "webhook.cancel_recovery", &id.to_string(), json!({"deliveries": canceled})).await?;
    Ok(canceled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::delivery::webhooks::Health;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn state(position: i64, recovery: Option<RunningRecovery>) -> DispatchState {
        DispatchState { position, reached: position, health: Health::default(), recovery }
    }

    fn planned(state: &DispatchState, status: WebhookStatus, until: Option<Timestamp>) -> (i64, i64, i64) {
        let window = RecoveryWindow { since: NOW.plus_seconds(-100), until };
        let range = LogRange { before: 10, through: if until.is_some() { 20 } else { 50 }, last: 50 };
        let planned = plan(state, status, window, range, NOW);
        (planned.position, planned.through, planned.recovery.to)
    }

    #[test]
    fn without_an_end_everything_up_to_the_position_is_read_again() {
        let enabled = WebhookStatus::Enabled;
        assert_eq!(planned(&state(30, None), enabled, None), (10, 30, 30));
        assert_eq!(planned(&state(5, None), enabled, None), (5, 5, 5), "it is behind and reads on anyway");
    }

    #[test]
    fn an_end_cuts_off_what_was_read_before_and_what_a_defective_endpoint_missed() {
        let until = Some(NOW.plus_seconds(-50));
        assert_eq!(planned(&state(30, None), WebhookStatus::Enabled, until), (10, 20, 30));
        assert_eq!(planned(&state(15, None), WebhookStatus::Enabled, until), (10, 15, 15));
        assert_eq!(planned(&state(15, None), WebhookStatus::Defective, until), (10, 20, 50));
    }

    #[test]
    fn a_second_recovery_takes_over_what_the_first_has_left() {
        let (early, late) = (NOW.plus_seconds(-80), NOW.plus_seconds(-50));
        let running = |until| Some(RunningRecovery { started_at: NOW.plus_seconds(-5), to: 40, until });
        let window = |until| RecoveryWindow { since: NOW.plus_seconds(-100), until };
        let range = LogRange { before: 10, through: 20, last: 50 };
        let until = |state: &DispatchState, asked| {
            plan(state, WebhookStatus::Enabled, window(asked), range, NOW).recovery.until
        };
        assert_eq!(until(&state(12, running(Some(late))), Some(early)), Some(late));
        assert_eq!(until(&state(12, running(None)), Some(early)), None);
        assert_eq!(until(&state(12, running(Some(late))), None), None);
        assert_eq!(until(&state(40, running(Some(late))), Some(early)), Some(early), "the first has ended");
        assert_eq!(planned(&state(7, running(None)), WebhookStatus::Enabled, None), (7, 40, 40));
    }
}
