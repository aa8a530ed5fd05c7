//! What a handler of facts is, and which handlers belong to each group. `App::new` gives the lists.

use std::fmt::Debug;

use domain::delivery::consumers::ConsumerGroup;
use domain::delivery::events::LoggedFact;
use domain::{TenantId, Timestamp};
use futures_util::future::BoxFuture;
use store::Tx;

use crate::Result;

/// Consecutive facts of a log.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FactBatch<'b> {
    pub tenant: TenantId,
    pub facts: &'b [LoggedFact],
    pub now: Timestamp,
}

/// Writes what follows from facts, in the transaction that advances the group's position past them: so each fact has
/// its effect once.
pub(crate) trait FactHandler: Debug + Sync {
    /// Stored with the facts that this handler could not process.
    fn name(&self) -> &'static str;

    fn handle<'t>(&self, tx: &'t mut Tx<'_>, batch: FactBatch<'t>) -> BoxFuture<'t, Result<()>>;
}

pub(crate) type FactHandlers = &'static [&'static dyn FactHandler];

/// The handlers of each group, in the order in which they get a batch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Handlers {
    pub projections: FactHandlers,
    pub reactions: FactHandlers,
}

impl Handlers {
    pub const fn of(self, group: ConsumerGroup) -> FactHandlers {
        match group {
            ConsumerGroup::Projections => self.projections,
            ConsumerGroup::Reactions => self.reactions,
        }
    }
}
