//! Presence: which operators view a conversation or write in it. A presence lasts some seconds after the operator's
//! console last reported it.
//!
//! Presence is never in the event log. A process with a SQLite database is alone and keeps presences in memory
//! (`presence_board.rs`); several nodes on one PostgreSQL share a small table, since an operator's requests may reach
//! any of them. Nothing has to be cleaned up for correctness: a presence ends by its time. After a crash consoles
//! report it again within seconds.
//!
//! A change is also a signal (`crates/app/src/base/signals.rs`) to the consoles that are open, so that they show at once
//! who begins to write. A node sends the signals of its own requests. Several times a second, on a distributed database
//! at the news of another node, it also reads the changes that other nodes have stored lately
//! (`signal_presences_of_others`), and signals each of them once (`SignalledChanges`). A console that misses a signal learns the same from its next report.

use domain::inbox::presence::{PRESENCE_SECONDS, PresenceState, Present};
use domain::{AccountId, ConversationId, Field, TenantId, Timestamp};
use serde::Serialize;
use store::Engine;
use store::inbox::presences::StoredChange;

use super::Conversations;
use crate::base::news::NewsKind;
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
            let key = (tenant, conversation);
            let (all, is_news) = self.0.presence_board().update(key, &change.one, change.is_gone, now);
            if is_news {
                change.signal(self.0);
            }
            all
        } else {
            let is_news = db.write((change.clone(), now), |tx, (change, now)| Box::pin(change.write(tx, *now))).await?;
            if is_news {
                change.signal_once(self.0, now);
                self.0.news().note(NewsKind::Presence);
            }
            store::inbox::presences::list(db, tenant, conversation, now).await?
        };
        all.retain(|other| other.account_id != own);
        Ok(all)
    }
}

/// The type of the signal in the stream.
const PRESENCE: &str = "presence";
/// How far back a node looks for changes of other nodes. More than the time between two looks and than the difference
/// between the nodes' clocks.
const LOOK_BACK_SECONDS: i64 = 5;
/// How long an ended presence stays in the database.
const KEPT_SECONDS: i64 = 60;

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
    /// The state after the change; None if the operator has left.
    const fn state(&self) -> Option<PresenceState> {
        if self.is_gone { None } else { Some(self.one.state) }
    }

    fn signal(&self, inbox: &Inbox) {
        let (conversation_id, id, email) = (self.conversation, self.one.account_id, self.one.email.as_str());
        let state = self.state().map_or("gone", PresenceState::name);
        inbox.signals().send(self.tenant, PRESENCE, &PresenceSignal { conversation_id, id, email, state });
    }

    /// Signals a stored change unless this node has signalled it, or a later one, already.
    fn signal_once(&self, inbox: &Inbox, changed_at: Timestamp) {
        let key = (self.tenant, self.conversation, self.one.account_id);
        if inbox.signalled_presences().note(key, (changed_at, self.state()), inbox.now()) {
            self.signal(inbox);
        }
    }

    /// Saves the change on PostgreSQL. Returns false if it repeats the stored state.
    async fn write(&self, tx: &mut store::Tx<'_>, now: Timestamp) -> store::Result<bool> {
        if self.is_gone {
            store::inbox::presences::clear(tx, self.tenant, self.conversation, self.one.account_id, now).await
        } else {
            store::inbox::presences::set(tx, self.tenant, self.conversation, &self.one, now).await
        }
    }
}

impl From<StoredChange> for PresenceChange {
    fn from(stored: StoredChange) -> Self {
        let StoredChange { tenant, conversation, changed_at, present: one } = stored;
        let is_gone = one.until <= changed_at;
        Self { tenant, conversation, one, is_gone }
    }
}

#[boxed::futures]
impl Inbox {
    /// Signals the changes that other nodes have stored lately, in the order in which they happened.
    pub async fn signal_presences_of_others(&self) -> Result<()> {
        if self.db().engine() == Engine::Sqlite || !self.signals().has_readers() {
            return Ok(());
        }
        let after = self.now().plus_seconds(-LOOK_BACK_SECONDS);
        for stored in store::inbox::presences::changes(self.db(), after).await?.into_iter().rev() {
            let changed_at = stored.changed_at;
            PresenceChange::from(stored).signal_once(self, changed_at);
        }
        Ok(())
    }

    /// Deletes presences from the database that ended so long ago that every node has found the end.
    pub async fn sweep_presences(&self) -> Result<()> {
        if self.db().engine() == Engine::Postgres {
            let before = self.now().plus_seconds(-KEPT_SECONDS);
            self.db().write(before, |tx, before| Box::pin(store::inbox::presences::sweep(tx, *before))).await?;
        }
        Ok(())
    }
}
