//! Fires timers: does the work whose time has come.
//!
//! Every node looks for due timers (`store/src/base/timers.rs`), and one transaction takes each of them and does its
//! work, so the work is done once. A timer whose work fails, or whose node crashes, stays due.

use domain::base::timers::TimerKind;
use domain::{Id, TenantId, Timestamp};
use store::base::timers::DueTimer;

use crate::base::tenant_scan::TenantScan;
use crate::{App, Result};

/// Most timers read at once; the next batch follows at once.
const BATCH: i64 = 100;

#[boxed::futures]
impl App {
    /// Sets the timers that an earlier version, or a backup of one, did not set.
    pub async fn set_missing_timers(&self) -> Result<()> {
        let snoozes = store::inbox::snoozes::without_timer(self.db()).await?;
        self.add_timers(TimerKind::Snooze, snoozes).await?;
        let retries = store::messaging::broadcasts::retries_without_timer(self.db()).await?;
        self.add_timers(TimerKind::BroadcastRetry, retries).await
    }

    async fn add_timers<K: 'static>(&self, kind: TimerKind, missing: Vec<(TenantId, Id<K>, Timestamp)>) -> Result<()> {
        for (tenant, key, due_at) in missing {
            let add = self.db().write((tenant, key, due_at), move |tx, (tenant, key, due_at)| {
                Box::pin(store::base::timers::add(tx, *tenant, kind, *key, *due_at))
            });
            add.await?;
        }
        Ok(())
    }

    /// Fires all timers that are due. Returns when the next one is due.
    pub async fn fire_timers(&self) -> Result<Option<Timestamp>> {
        let mut scan = TenantScan::new();
        loop {
            let timers = store::base::timers::next(self.db(), BATCH).await?;
            let is_last = i64::try_from(timers.len()).is_ok_and(|count| count < BATCH);
            let mut fired = 0;
            for timer in timers {
                if timer.due_at > self.now() {
                    return scan.outcome().map(|()| Some(timer.due_at));
                }
                let tenant = timer.tenant;
                let outcome = self.fire(timer).await;
                fired += usize::from(matches!(outcome, Ok(true)));
                let outcome = outcome.map(drop);
                if !scan.goes_on_after(tenant, outcome) {
                    return scan.outcome().map(|()| None);
                }
            }
            if is_last || fired == 0 {
                return scan.outcome().map(|()| None);
            }
        }
    }

    /// False if only a newer version knows the kind of the timer; a node of that version fires it.
    async fn fire(&self, timer: DueTimer) -> Result<bool> {
        match timer.kind.parse() {
            Ok(TimerKind::Snooze) => self.inbox().end_snooze(timer).await?,
            Ok(TimerKind::BroadcastRetry) => self.messaging().send_due_retry(timer).await?,
            Ok(kind @ (TimerKind::Routing | TimerKind::RoutingPass | TimerKind::RoutingStart)) => {
                self.automation().routing().fire(kind, timer).await?;
            }
            Ok(TimerKind::OperatorAway) => self.automation().operators().end_grace(timer).await?,
            Err(()) => return Ok(false),
        }
        Ok(true)
    }
}
