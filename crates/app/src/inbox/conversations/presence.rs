//! Presence: which operators view a conversation or write in it. A presence lasts some seconds after the operator's
//! console last reported it.
//!
//! Presence is never in the event log. A process with a SQLite database is alone and keeps presences in memory
//! (`presence_board.rs`); several nodes on one PostgreSQL share a small table, since an operator's requests may reach
//! any of them. Nothing has to be cleaned up for correctness: a presence ends by its time. After a crash consoles
//! report it again within seconds.
//!
//! A change is also a signal (`crates/app/src/base/signals.rs`) to the consoles that are open, so that they show at once
//! who begins to write. A node sends the signals of its own requests; with other nodes it also looks for what they have
//! stored (`signal_presences_of_others`). A console that misses a signal learns the same from its next report.

use domain::inbox::presence::{PRESENCE_SECONDS, PresenceState, Present};
use domain::{AccountId, ConversationId, Field, TenantId, Timestamp};
use serde::Serialize;
use store::Engine;

use super::Conversations;
use crate::inbox::Inbox;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Error, Result};

#[derive(Debug, Clone)]
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
        let (own, change) = (one.account_id, PresenceChange { tenant, conversation, one, is_gone: state.is_none() });
        let mut all = if db.engine() == Engine::Sqlite {
            change.signal(self.0, now)
        } else {
            // Stored first: a poll must not find the state before and take it for news.
            db.write(change.clone(), |tx, change| Box::pin(change.write(tx))).await?;
            change.signal(self.0, now);
            store::inbox::presences::list(db, tenant, conversation, now).await?
        };
        all.retain(|other| other.account_id != own);
        Ok(all)
    }
}

/// The type of the signal in the stream.
const PRESENCE: &str = "presence";
/// A presence that another node has stored is found within this time.
const FOUND_WITHIN_SECONDS: i64 = 2;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct PresenceSignal<'a> {
    conversation_id: ConversationId,
    id: AccountId,
    email: &'a str,
    /// `viewing`, `writing` or `gone`.
    state: &'static str,
}

impl PresenceChange {
    /// Sends a signal if the change is news. Returns the presences that this process knows.
    fn signal(&self, inbox: &Inbox, now: Timestamp) -> Vec<Present> {
        let Self { tenant, conversation, one, is_gone } = self;
        let (known, is_news) = inbox.presence_board().update((*tenant, *conversation), one, *is_gone, now);
        if is_news {
            let state = if *is_gone { "gone" } else { one.state.name() };
            let (conversation_id, id, email) = (*conversation, one.account_id, one.email.as_str());
            inbox.signals().send(*tenant, PRESENCE, &PresenceSignal { conversation_id, id, email, state });
        }
        known
    }

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
    /// Signals the presences that other nodes have stored lately. That an operator has left is not found; consoles learn
    /// it from their next report.
    pub async fn signal_presences_of_others(&self) -> Result<()> {
        if self.db().engine() == Engine::Sqlite || !self.signals().has_readers() {
            return Ok(());
        }
        let now = self.now();
        let after = now.plus_seconds(PRESENCE_SECONDS - FOUND_WITHIN_SECONDS);
        for (tenant, conversation, one) in store::inbox::presences::recent(self.db(), after).await? {
            PresenceChange { tenant, conversation, one, is_gone: false }.signal(self, now);
        }
        Ok(())
    }

    /// Deletes presences that are over from the database.
    pub async fn sweep_presences(&self) -> Result<()> {
        if self.db().engine() == Engine::Postgres {
            self.db().write(self.now(), |tx, now| Box::pin(store::inbox::presences::sweep(tx, *now))).await?;
        }
        Ok(())
    }
}
