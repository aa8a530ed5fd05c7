//! Facts that a handler could not process: listed, and processed again on request, for example after an update.

use domain::{TenantId, Timestamp};
use store::Tx;
use store::delivery::consumers::ParkedFact;

use super::run::handle;
use super::{Consumers, FactBatch, FactHandler, FactHandlers};
use crate::{ActsFor, Error, Result};

/// Most parked facts that are listed, and that one request tries again.
const MOST: i64 = 1000;

/// A parked fact that is processed again.
#[derive(Debug)]
struct Repeat {
    tenant: TenantId,
    parked: ParkedFact,
    handlers: FactHandlers,
    now: Timestamp,
}

#[boxed::futures]
impl Consumers<'_> {
    /// The parked facts of a tenant, in the order of their numbers, at most `MOST`.
    pub async fn parked(&self, caller: &dyn ActsFor) -> Result<Vec<ParkedFact>> {
        Ok(store::delivery::consumers::parked(self.0.db(), caller.tenant(), MOST).await?)
    }

    /// Processes the parked facts of a tenant again, each in a transaction of its own that also ends its parking.
    /// Returns how many were processed, and the first failure.
    pub async fn retry_parked(&self, caller: &dyn ActsFor) -> Result<(usize, Option<Error>)> {
        let (mut done, mut failure) = (0, None);
        for parked in self.parked(caller).await? {
            let handlers = parked.consumer.parse().map(|group| self.0.handlers().of(group)).unwrap_or_default();
            let repeat = Repeat { tenant: caller.tenant(), parked, handlers, now: self.0.now() };
            match self.0.db().write(repeat, |tx, repeat| Box::pin(process(tx, repeat))).await {
                Ok(()) => done += 1,
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        Ok((done, failure))
    }
}

async fn process(tx: &mut Tx<'_>, repeat: &Repeat) -> Result<()> {
    let Repeat { tenant, parked, handlers, now } = repeat;
    if !store::delivery::consumers::unpark(tx, *tenant, parked).await? {
        return Ok(());
    }
    let is_named = |one: &&&dyn FactHandler| one.name() == parked.handler;
    let Some(handler) = handlers.iter().find(is_named) else { return Ok(()) };
    let mut facts = store::delivery::events::page_in(tx, *tenant, parked.number - 1, 1).await?;
    facts.retain(|fact| fact.last == parked.number);
    handle(tx, *handler, FactBatch { tenant: *tenant, facts: &facts, now: *now }).await
}
