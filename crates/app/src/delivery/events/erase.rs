//! Erases a person from the log: replaces the bodies of facts about the person, and deletes what endpoints answered to
//! their deliveries. The numbers stay, and what was not delivered yet is delivered with the new payload.
//!
//! Facts have no index of people, so the log is read from its beginning, page by page (`platform/erasures.rs`). A page
//! can be erased twice.

use domain::delivery::events::{ErasedPerson, LoggedFact};
use domain::{DeliveryId, TenantId, WebhookId};
use store::Tx;

use super::Events;
use crate::Result;

/// Most facts of one read.
const PAGE: i64 = 1000;
/// Most facts that one transaction replaces, and most pairs of a fact and an endpoint.
const BATCH: usize = 50;
const BATCH_PAIRS: usize = 500;

/// A fact that is replaced.
#[derive(Debug, Clone)]
struct ErasedFact {
    last: i64,
    body: String,
    deliveries: Vec<DeliveryId>,
}

impl Events<'_> {
    /// Erases people from the facts after a number and up to another one, as many as a page has. Returns the number up
    /// to which they are erased.
    pub(crate) async fn erase_page(
        &self,
        tenant: TenantId,
        people: &ErasedPerson,
        after: i64,
        until: i64,
    ) -> Result<i64> {
        let (mut last, mut erased) = (None, Vec::new());
        let mut examine = |logged: LoggedFact| {
            last = Some(logged.last);
            if logged.last <= until {
                erased.extend(erased_fact(people, &logged));
            }
        };
        store::delivery::events::visit_page(self.0.db(), tenant, after, PAGE, &mut examine).await?;
        if !erased.is_empty() {
            let webhooks = store::delivery::webhooks::ids(self.0.db(), tenant).await?;
            let size = (BATCH_PAIRS / webhooks.len().max(1)).clamp(1, BATCH);
            for batch in erased.chunks(size) {
                let input = (tenant, webhooks.clone(), batch.to_vec());
                let write = self
                    .0
                    .db()
                    .write(input, |tx, (tenant, webhooks, facts)| Box::pin(replace(tx, *tenant, webhooks, facts)));
                write.await?;
            }
            self.0.recent_events().forget(tenant);
        }
        // The events up to the end may have been deleted because of their age.
        Ok(last.map_or(until, |last| last.min(until)))
    }
}

fn erased_fact(people: &ErasedPerson, LoggedFact { fact, last }: &LoggedFact) -> Option<ErasedFact> {
    let body = people.erased_body(fact)?;
    let deliveries = (0..fact.event_count).map(|place| fact.id.nth(place).delivery()).collect();
    Some(ErasedFact { last: *last, body, deliveries })
}

async fn replace(tx: &mut Tx<'_>, tenant: TenantId, webhooks: &[WebhookId], facts: &[ErasedFact]) -> store::Result<()> {
    let bodies: Vec<(i64, String)> = facts.iter().map(|fact| (fact.last, fact.body.clone())).collect();
    store::delivery::events::replace_bodies(tx, tenant, &bodies).await?;
    store::delivery::events::bodies_changed(tx).await?;
    let deliveries: Vec<DeliveryId> = facts.iter().flat_map(|fact| fact.deliveries.iter().copied()).collect();
    for webhook in webhooks {
        store::delivery::webhooks::deliveries::erase(tx, tenant, *webhook, &deliveries).await?;
    }
    Ok(())
}
