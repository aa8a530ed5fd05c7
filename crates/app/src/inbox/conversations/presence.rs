//! Presence: which operators view a conversation or write in it. A presence lasts some seconds after the operator's
//! console last reported it.
//!
//! Presence is never in the event log. A process with a SQLite database is alone and keeps presences in memory
//! (`presence_board.rs`); several nodes on one PostgreSQL share a small table, since an operator's requests may reach
//! any of them. Nothing has to be cleaned up for correctness: a presence ends by its time. After a crash consoles
//! report it again within seconds.

use domain::inbox::presence::{PRESENCE_SECONDS, PresenceState, Present};
use domain::{ConversationId, Field, TenantId};
use store::Engine;

use super::Conversations;
use crate::inbox::Inbox;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Error, Result};

#[derive(Debug)]
struct PresenceChange {
    tenant: TenantId,
    conversation: ConversationId,
    one: Present,
    is_gone: bool,
}

#[boxed::futures]
impl Conversations<'_> {
    /// Records that the calling operator views the conversation or writes in it, or with None that the operator has
    /// left. Returns the other operators who are present.
    pub async fn be_present(
        &self,
        caller: &dyn ActsFor,
        target: ConversationTarget<'_>,
        state: Option<PresenceState>,
    ) -> Result<Vec<Present>> {
        let (db, tenant, now) = (self.0.db(), caller.tenant(), self.0.now());
        let conversation = find_conversation(db, tenant, target).await?.id;
        let no_operator = || Error::conflict(Field::Operator, "this credential does not belong to an operator");
        let account = caller.account().ok_or_else(no_operator)?;
        let one = Present {
            account_id: account.id,
            email: account.email.clone(),
            state: state.unwrap_or(PresenceState::Viewing),
            until: now.plus_seconds(PRESENCE_SECONDS),
        };
        let (own, is_gone) = (one.account_id, state.is_none());
        let mut all = if db.engine() == Engine::Sqlite {
            self.0.presence_board().update((tenant, conversation), &one, is_gone, now)
        } else {
            let change = PresenceChange { tenant, conversation, one, is_gone };
            db.write(change, |tx, change| Box::pin(change.write(tx))).await?;
            store::inbox::presences::list(db, tenant, conversation, now).await?
        };
        all.retain(|other| other.account_id != own);
        Ok(all)
    }
}

impl PresenceChange {
    async fn write(&self, tx: &mut store::Tx<'_>) -> store::Result<()> {
        if self.is_gone {
            store::inbox::presences::clear(tx, self.tenant, self.conversation, self.one.account_id).await
        } else {
            store::inbox::presences::set(tx, self.tenant, self.conversation, &self.one).await
        }
    }
}

#[boxed::futures]
impl Inbox {
    /// Deletes presences that are over from the database.
    pub async fn sweep_presences(&self) -> Result<()> {
        if self.db().engine() == Engine::Postgres {
            self.db().write(self.now(), |tx, now| Box::pin(store::inbox::presences::sweep(tx, *now))).await?;
        }
        Ok(())
    }
}
