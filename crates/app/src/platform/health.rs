//! The health of the installation, for its administrators: database, nodes, and what waits in the caller's tenant.

use std::time::Instant;

use domain::Timestamp;
use domain::delivery::webhooks::WebhookStatus;
use domain::messaging::messages::Urgency;
use store::Engine;

use crate::platform::Platform;
use crate::platform::nodes::NodeView;
use crate::{ActsFor, Result};

/// Work that waits longer than `LATE_SECONDS` is late; work that waits longer than `STUCK_SECONDS` is stuck.
const LATE_SECONDS: i64 = 60;
const STUCK_SECONDS: i64 = 600;
/// A database that answers a small read slower than this gets a warning.
const SLOW_MILLIS: u128 = 500;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CheckState {
    Ok,
    Warn,
    Bad,
}

impl CheckState {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HealthCheck {
    pub name: &'static str,
    pub state: CheckState,
    pub detail: String,
}

impl HealthCheck {
    pub fn new(name: &'static str, state: CheckState, detail: impl Into<String>) -> Self {
        Self { name, state, detail: detail.into() }
    }
}

#[derive(Debug, Clone)]
pub struct Health {
    pub started_at: Timestamp,
    /// `sqlite` or `postgres`.
    pub database_kind: &'static str,
    /// None when the database does not report its size.
    pub size_bytes: Option<i64>,
    /// Those that are alive.
    pub nodes: Vec<NodeView>,
    pub checks: Vec<HealthCheck>,
}

#[boxed::futures]
impl Platform {
    /// Checks database, queues, webhooks and channels. Fails when the database cannot be reached.
    pub async fn health(&self, caller: &dyn ActsFor) -> Result<Health> {
        let began = Instant::now();
        self.check_database().await?;
        let millis = began.elapsed().as_millis();
        let checks = vec![
            self.database_check(millis),
            self.events_check(caller).await?,
            self.outbox_check(caller).await?,
            self.webhooks_check(caller).await?,
            self.channels_check(caller).await?,
            self.inbound_check(caller).await?,
            self.consumers_check(caller).await?,
        ];
        Ok(Health {
            started_at: self.node().started_at(),
            database_kind: match self.db().engine() {
                Engine::Sqlite => "sqlite",
                Engine::Postgres => "postgres",
            },
            size_bytes: store::base::installation::size_bytes(self.db()).await.ok().flatten(),
            nodes: self.nodes().await?.into_iter().filter(|node| node.alive).collect(),
            checks,
        })
    }

    fn database_check(&self, millis: u128) -> HealthCheck {
        if !self.is_writable() {
            return HealthCheck::new("database", CheckState::Bad, "cannot be written: is its disk full or read-only?");
        }
        let state = if millis > SLOW_MILLIS { CheckState::Warn } else { CheckState::Ok };
        HealthCheck::new("database", state, format!("answers in {millis} ms"))
    }

    /// Checks how long facts wait for their numbers, which usually takes less than a second.
    async fn events_check(&self, caller: &dyn ActsFor) -> Result<HealthCheck> {
        let oldest = store::delivery::events::oldest_waiting(self.db(), caller.tenant()).await?;
        Ok(waiting("events", oldest, self.now(), "every event has its number", "events wait for their numbers"))
    }

    async fn outbox_check(&self, caller: &dyn ActsFor) -> Result<HealthCheck> {
        let mut oldest = None;
        for channel in self.messaging().channels().list(caller).await?.iter().filter(|channel| channel.enabled) {
            for urgency in Urgency::ALL {
                let due = store::messaging::outbox::next_due_of(self.db(), caller.tenant(), channel.id, urgency.rank())
                    .await?;
                oldest = Timestamp::earlier(oldest, due);
            }
        }
        Ok(waiting("outbox", oldest, self.now(), "no message is late", "messages wait to be sent"))
    }

    async fn webhooks_check(&self, caller: &dyn ActsFor) -> Result<HealthCheck> {
        let all = self.delivery().webhooks().list(caller).await?;
        let count = |status| all.iter().filter(|one| one.status == status).count();
        let failing = all.iter().filter(|one| one.status == WebhookStatus::Enabled && one.health.failed_in_a_row > 0);
        let (defective, failing) = (count(WebhookStatus::Defective), failing.count());
        let state = match (defective, failing) {
            (0, 0) => CheckState::Ok,
            (0, _) => CheckState::Warn,
            _ => CheckState::Bad,
        };
        let enabled = count(WebhookStatus::Enabled);
        Ok(HealthCheck::new("webhooks", state, format!("{enabled} enabled, {failing} failing, {defective} defective")))
    }

    async fn channels_check(&self, caller: &dyn ActsFor) -> Result<HealthCheck> {
        let all = self.messaging().channels().list(caller).await?;
        let enabled = all.iter().filter(|channel| channel.enabled).count();
        let state = if enabled == 0 { CheckState::Warn } else { CheckState::Ok };
        Ok(HealthCheck::new("channels", state, format!("{enabled} of {} enabled", all.len())))
    }

    async fn consumers_check(&self, caller: &dyn ActsFor) -> Result<HealthCheck> {
        let parked = self.delivery().consumers().parked(caller).await?.len();
        if parked == 0 {
            return Ok(HealthCheck::new("consumers", CheckState::Ok, "every event was processed"));
        }
        let detail = format!("{parked} events could not be processed: switchboard event parked list");
        Ok(HealthCheck::new("consumers", CheckState::Warn, detail))
    }

    async fn inbound_check(&self, caller: &dyn ActsFor) -> Result<HealthCheck> {
        const MOST: usize = 100;
        let parked = self.messaging().inbound().parked(caller, i64::try_from(MOST).unwrap_or(1)).await?.len();
        if parked == 0 {
            return Ok(HealthCheck::new("inbound", CheckState::Ok, "every record of the network was applied"));
        }
        let many = if parked == MOST { format!("{MOST} or more") } else { parked.to_string() };
        let detail = format!("{many} records of the network could not be applied: switchboard channel parked list");
        Ok(HealthCheck::new("inbound", CheckState::Warn, detail))
    }
}

/// The state of a queue, by how long its oldest piece of work has been due.
pub(crate) fn lateness(oldest: Option<Timestamp>, now: Timestamp) -> CheckState {
    match oldest.map_or(0, |oldest| now.seconds_since(oldest)) {
        STUCK_SECONDS.. => CheckState::Bad,
        LATE_SECONDS.. => CheckState::Warn,
        _ => CheckState::Ok,
    }
}

/// A check of a queue, by how long its oldest piece of work has been due.
fn waiting(name: &'static str, oldest: Option<Timestamp>, now: Timestamp, fine: &str, late: &str) -> HealthCheck {
    let seconds = oldest.map_or(0, |oldest| now.seconds_since(oldest));
    match lateness(oldest, now) {
        CheckState::Ok => HealthCheck::new(name, CheckState::Ok, fine),
        state => HealthCheck::new(name, state, format!("{late}, the oldest for {seconds} s")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_late_and_then_stuck() {
        let now = Timestamp::from_seconds(1_776_000_000);
        let state = |seconds: i64| waiting("x", Some(now.plus_seconds(-seconds)), now, "fine", "late").state;
        assert_eq!(
            [state(-5), state(59), state(60), state(600)],
            [CheckState::Ok, CheckState::Ok, CheckState::Warn, CheckState::Bad]
        );
        assert_eq!(waiting("x", None, now, "fine", "late").detail, "fine");
        assert_eq!(
            waiting("x", Some(now.plus_seconds(-61)), now, "fine", "things wait").detail,
            "things wait, the oldest for 61 s"
        );
    }
}
