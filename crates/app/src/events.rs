//! The log of events: what use cases append, how it gets its numbers, and how it is read and followed. Does not know who
//! listens.

mod heads;
mod number;
mod read;
mod sweep;
mod tail;

pub(crate) use heads::Heads;
pub use read::Page;
pub(crate) use tail::Tails;

use domain::TenantId;
use domain::events::Fact;
use store::Tx;

use crate::{App, Result};

#[derive(Debug)]
pub struct Events<'a>(&'a App);

impl App {
    pub fn events(&self) -> Events<'_> {
        Events(self)
    }
}

/// In the transaction that makes it true. Nothing else is to be done: whoever numbers hears of the commit.
pub(crate) async fn append(tx: &mut Tx<'_>, tenant: TenantId, facts: &[Fact]) -> Result<()> {
    Ok(store::events::append(tx, tenant, facts).await?)
}
