//! Completes the erasure of deleted contacts: deletes the files of their messages, and erases them from the event log.
//!
//! The transaction that deletes a contact inserts a row that says what is left to erase. The request that deletes the
//! contact does a bounded part of it; the worker does the rest, one node at a time, also after a crash. Each step can
//! run twice. When nothing is left, the row is deleted, and with it what it says about the person.
//!
//! A tenant's erasures share one pass over its log: those at the same position are examined together, the furthest
//! first, so that later deletions delay none. Tenants take turns.
//!
//! Read on: `people/contacts/delete.rs` (the deletion), `delivery/events/erase.rs` (the log).

use std::collections::VecDeque;

use domain::delivery::events::ErasedPerson;
use domain::{ContactId, TenantId};
use store::people::contacts::Erasure;

use crate::base::tenant_scan::TenantScan;
use crate::platform::Platform;
use crate::{ActsFor, Result, for_tenant};

const LEASE: &str = "erasures";
/// Lease duration: another node may go on this long after the holder began with a tenant's last turn.
const LEASE_SECONDS: i64 = 120;

/// How much one run does.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Files of each erasure.
    files: usize,
    /// Pages of the event log.
    pages: usize,
}

/// While the client waits.
const AT_ONCE: Budget = Budget { files: 50, pages: 20 };
/// In a turn of a tenant.
const IN_A_TURN: Budget = Budget { files: 1000, pages: 100 };

#[derive(Debug)]
pub struct Erasures<'a>(&'a Platform);

impl Platform {
    pub fn erasures(&self) -> Erasures<'_> {
        Erasures(self)
    }
}

#[boxed::futures]
impl Erasures<'_> {
    /// Erases what is left of a deleted contact, as far as it takes a short time. True if nothing is left; otherwise
    /// the worker goes on.
    pub async fn begin(&self, caller: &dyn ActsFor, contact: ContactId) -> bool {
        let tenant = caller.tenant();
        let erased = for_tenant(tenant, self.run_one(tenant, contact)).await;
        erased.unwrap_or_else(|error| {
            tracing::warn!(%tenant, %contact, %error, "a contact is not erased completely; the worker tries again");
            false
        })
    }

    /// Goes on with the erasures of all tenants. A failure with one does not stop the others. `stopped` is asked
    /// between two steps.
    pub async fn complete(&self, stopped: &(dyn Fn() -> bool + Sync)) -> Result<()> {
        let mut scan = TenantScan::new();
        let mut turns = VecDeque::from(store::people::contacts::tenants_with_erasures(self.0.db()).await?);
        while let Some(tenant) = turns.pop_front() {
            if stopped() || !self.hold_lease().await? {
                break;
            }
            let outcome = for_tenant(tenant, self.run_turn(tenant, stopped)).await;
            if matches!(outcome, Ok(true)) {
                turns.push_back(tenant);
            }
            if !scan.goes_on_after(tenant, outcome.map(drop)) {
                break;
            }
        }
        scan.outcome()
    }

    async fn hold_lease(&self) -> Result<bool> {
        let input = (self.0.node_name().to_owned(), self.0.now());
        let lease = self.0.db().write(input, |tx, (holder, now)| {
            Box::pin(store::base::leases::acquire(tx, LEASE, holder, *now, now.plus_seconds(LEASE_SECONDS)))
        });
        Ok(lease.await?.is_some())
    }

    /// True if nothing is left to erase of the contact. Otherwise its position stays, so that the worker can examine
    /// the log for it together with others.
    async fn run_one(&self, tenant: TenantId, contact: ContactId) -> Result<bool> {
        let found = store::people::contacts::erasure(self.0.db(), tenant, contact).await?;
        let Some(before) = found else { return Ok(true) };
        let mut erasures = vec![before.clone()];
        self.erase(tenant, &mut erasures, AT_ONCE, &|| false).await?;
        let is_complete = erasures.iter().all(Erasure::is_complete);
        if !is_complete {
            for one in &mut erasures {
                one.position = before.position;
            }
        }
        self.save(tenant, erasures).await?;
        Ok(is_complete)
    }

    /// Goes on with all erasures of a tenant. True if there are events left to examine.
    async fn run_turn(&self, tenant: TenantId, stopped: &(dyn Fn() -> bool + Sync)) -> Result<bool> {
        let before = store::people::contacts::erasures_of(self.0.db(), tenant).await?;
        let mut erasures = before.clone();
        self.erase(tenant, &mut erasures, IN_A_TURN, stopped).await?;
        let has_events = erasures.iter().any(Erasure::has_events);
        let changed = erasures.into_iter().zip(before).filter(|(one, before)| one != before || one.is_complete());
        self.save(tenant, changed.map(|(one, _)| one).collect()).await?;
        Ok(has_events)
    }

    async fn erase(
        &self,
        tenant: TenantId,
        erasures: &mut [Erasure],
        budget: Budget,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        for erasure in &mut *erasures {
            self.erase_files(tenant, erasure, budget, stopped).await?;
        }
        self.find_ends(tenant, erasures).await?;
        self.erase_events(tenant, erasures, budget, stopped).await
    }

    /// Saves the progress of erasures, and removes those that are complete.
    async fn save(&self, tenant: TenantId, erasures: Vec<Erasure>) -> Result<()> {
        let write = self.0.db().write((tenant, erasures), |tx, (tenant, erasures)| {
            Box::pin(async move {
                for erasure in erasures {
                    if erasure.is_complete() {
                        store::people::contacts::remove_erasure(tx, *tenant, erasure.id).await?;
                    } else {
                        store::people::contacts::save_erasure_progress(tx, *tenant, erasure).await?;
                    }
                }
                Ok::<_, store::Error>(())
            })
        });
        Ok(write.await?)
    }

    /// Deletes files, and keeps those that cannot be deleted at present.
    async fn erase_files(
        &self,
        tenant: TenantId,
        erasure: &mut Erasure,
        budget: Budget,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        let now = erasure.files.len().min(budget.files);
        let mut left = erasure.files.split_off(now);
        for file in std::mem::take(&mut erasure.files) {
            if stopped() || !self.0.messaging().media().erase_file(tenant, file).await? {
                left.push(file);
            }
        }
        erasure.files = left;
        Ok(())
    }

    /// Notes the end of the log as the end of erasures that have none: what the person does later belongs to a new
    /// contact. The facts that were appended before the deletion must have numbers; the end is read after the search
    /// for facts without one, so that no fact is missed in between.
    async fn find_ends(&self, tenant: TenantId, erasures: &mut [Erasure]) -> Result<()> {
        if erasures.iter().all(|one| one.until.is_some()) {
            return Ok(());
        }
        while self.0.delivery().events().number_log(tenant).await? {}
        let waiting = store::delivery::events::oldest_waiting(self.0.db(), tenant).await?;
        let last = store::delivery::events::log(self.0.db(), tenant).await?.last;
        for erasure in erasures.iter_mut().filter(|one| one.until.is_none()) {
            let has_all = waiting.is_none_or(|at| at.to_millis() > erasure.erased_at);
            erasure.until = has_all.then_some(last);
        }
        Ok(())
    }

    /// Erases people from the log up to their ends, and moves their positions.
    async fn erase_events(
        &self,
        tenant: TenantId,
        erasures: &mut [Erasure],
        budget: Budget,
        stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<()> {
        for _ in 0..budget.pages {
            let furthest = erasures.iter().filter(|one| one.has_events()).map(|one| one.position).max();
            let Some(after) = furthest.filter(|_| !stopped()) else { break };
            let together: Vec<&mut Erasure> =
                erasures.iter_mut().filter(|one| one.has_events() && one.position == after).collect();
            let until = together.iter().filter_map(|one| one.until).min().unwrap_or(after);
            let mut people = ErasedPerson::default();
            for one in &together {
                people.add(&one.person);
            }
            let last = self.0.delivery().events().erase_page(tenant, &people, after, until).await?;
            for one in together {
                one.position = last;
            }
        }
        Ok(())
    }
}
