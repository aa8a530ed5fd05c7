//! Facts that have no number yet: every area appends its facts to `events_new`, in the transaction that makes them
//! true. `delivery/events.rs` numbers them.

use domain::TenantId;
use domain::delivery::events::Fact;

use crate::base::columns::{insert, record};
use crate::{Params, Result, Tx};

statements! {
    APPEND = insert!("events_new": Fact);
}

record! { Fact { event_count: "width", at, id, kind, channel_id, conversation_id, contact_id, cause, depth, body } }

/// Appends facts in the transaction that makes them true. Its commit wakes the numbering worker of this process.
pub async fn append(tx: &mut Tx<'_>, tenant: TenantId, facts: &[Fact]) -> Result<()> {
    if facts.is_empty() {
        return Ok(());
    }
    tx.execute_later(&APPEND, facts.iter().map(|fact| Params::for_tenant(tenant).and(fact))).await?;
    tx.appended(tenant);
    Ok(())
}
