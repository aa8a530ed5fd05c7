//! What operators have read. For each operator and conversation, the position is the number of the person's messages
//! that the operator has seen.

use std::collections::HashMap;

use domain::delivery::events::{Fact, FactCause, InboxChange, InboxSubject};
use domain::messaging::conversations::Conversation;
use domain::{ConversationId, Field, TenantId, Timestamp};
use store::{Db, Tx};

use super::Conversations;
use super::query::ConversationQuery;
use crate::base::emit::emit;
use crate::identity::principal::AccountRef;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Error, Result};

/// The positions of an operator in some conversations.
#[derive(Debug)]
pub(super) struct Positions {
    /// When the operator's account was made.
    since: Timestamp,
    seen: HashMap<ConversationId, i64>,
}

impl Positions {
    /// Reads the caller's positions in these conversations. None for a caller without an account.
    pub async fn load(db: &Db, caller: &dyn ActsFor, ids: &[ConversationId]) -> Result<Option<Self>> {
        let Some(account) = caller.account() else { return Ok(None) };
        let seen = store::messaging::conversations::seen_by(db, caller.tenant(), account.id, ids).await?;
        Ok(Some(Self { since: Timestamp::from_seconds(account.id.second()), seen: seen.into_iter().collect() }))
    }

    pub fn unread(&self, conversation: &Conversation) -> i64 {
        conversation.unread(self.seen.get(&conversation.id).copied(), self.since)
    }
}

/// How an operator marks a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadMark {
    Read,
    /// The person's last message becomes unread again.
    Unread,
}

/// Most conversations that one request marks.
const MARKED_AT_ONCE: usize = 200;

/// The result of marking the conversations of a list as read.
#[derive(Debug, PartialEq, Eq)]
pub struct MarkedList {
    pub marked: usize,
    /// Continues after the last conversation that was examined; None when the end of the list is reached.
    pub next_cursor: Option<String>,
}

#[derive(Debug)]
struct Marked {
    tenant: TenantId,
    conversation: Conversation,
    account: AccountRef,
    unread: i64,
    now: Timestamp,
}

impl Marked {
    async fn write(&self, tx: &mut Tx<'_>) -> Result<()> {
        write_all(tx, self.tenant, std::slice::from_ref(self)).await
    }

    fn fact(&self) -> Fact {
        let change = InboxChange {
            conversation: Some(&self.conversation),
            unread: Some(self.unread),
            operator: Some(&self.account.email),
            cause: FactCause::Operator,
            ..InboxChange::about(InboxSubject::Read)
        };
        Fact::inbox_changed(self.now.to_millis(), &change)
    }
}

async fn write_all(tx: &mut Tx<'_>, tenant: TenantId, all: &[Marked]) -> Result<()> {
    for one in all {
        let (id, seen) = (one.conversation.id, one.conversation.inbound_count - one.unread);
        store::messaging::conversations::set_seen(tx, tenant, id, one.account.id, seen, one.now).await?;
    }
    let facts: Vec<Fact> = all.iter().map(Marked::fact).collect();
    emit(tx, tenant, &facts).await
}

fn no_operator() -> Error {
    Error::conflict(Field::Operator, "this credential does not belong to an operator")
}

#[boxed::futures]
impl Conversations<'_> {
    /// Marks a conversation for the calling operator and returns how many messages are unread now. A message that
    /// arrives meanwhile stays unread. Marking again in the same way changes nothing.
    pub async fn mark(&self, caller: &dyn ActsFor, target: ConversationTarget<'_>, mark: ReadMark) -> Result<i64> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let conversation = find_conversation(db, tenant, target).await?;
        let account = caller.account().ok_or_else(no_operator)?;
        let unread = match mark {
            ReadMark::Read => 0,
            ReadMark::Unread => 1,
        };
        let seen = conversation.inbound_count - unread;
        let known = store::messaging::conversations::seen_by(db, tenant, account.id, &[conversation.id]).await?;
        if known != [(conversation.id, seen)] {
            let marked = Marked { tenant, conversation, account: account.clone(), unread, now: self.0.now() };
            self.0.db().write(marked, |tx, marked| Box::pin(marked.write(tx))).await?;
        }
        Ok(unread)
    }

    /// Marks the next unread conversations of a list as read for the calling operator, the one with the latest message
    /// first. One request examines and marks a bounded number; `next_cursor` continues.
    pub async fn mark_list_read(
        &self,
        caller: &dyn ActsFor,
        query: &ConversationQuery,
        from: Option<&str>,
    ) -> Result<MarkedList> {
        let account = caller.account().ok_or_else(no_operator)?;
        let (unread, next_cursor) = self.next_unread(caller, query, from, MARKED_AT_ONCE).await?;
        let (tenant, now) = (caller.tenant(), self.0.now());
        let mark = |conversation| Marked { tenant, conversation, account: account.clone(), unread: 0, now };
        let all: Vec<Marked> = unread.into_iter().map(mark).collect();
        let marked = all.len();
        if marked > 0 {
            let input = (tenant, all);
            self.0.db().write(input, |tx, (tenant, all)| Box::pin(write_all(tx, *tenant, all))).await?;
        }
        Ok(MarkedList { marked, next_cursor })
    }
}
