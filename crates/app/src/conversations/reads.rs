//! What operators have read. A position is a number of messages of the person, for each operator and conversation.

use std::collections::HashMap;

use domain::conversations::Conversation;
use domain::events::{InboxNews, InboxSubject};
use domain::{ConversationId, TenantId, Timestamp};
use store::{Db, Tx};

use super::target::{ConversationTarget, find_conversation};
use super::{Conversations, news};
use crate::principal::AccountRef;
use crate::{ActsFor, Error, Result};

/// The positions of an operator in some conversations.
#[derive(Debug)]
pub(super) struct Positions {
    /// When the operator's account was made.
    since: Timestamp,
    seen: HashMap<ConversationId, i64>,
}

impl Positions {
    /// None for a caller without an account.
    pub async fn load(db: &Db, caller: &impl ActsFor, ids: &[ConversationId]) -> Result<Option<Self>> {
        let Some(account) = caller.account() else { return Ok(None) };
        let seen = store::conversations::seen_by(db, caller.tenant(), account.id, ids).await?;
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
    /// Its last message is unread again.
    Unread,
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
        let (id, seen) = (self.conversation.id, self.conversation.inbound_count - self.unread);
        store::conversations::set_seen(tx, self.tenant, id, self.account.id, seen, self.now).await?;
        let news = InboxNews {
            conversation: Some(&self.conversation),
            unread: Some(self.unread),
            operator: Some(&self.account.email),
            ..InboxNews::about(InboxSubject::Read)
        };
        news::emit(tx, self.tenant, &news, self.now).await
    }
}

impl Conversations<'_> {
    /// Marks a conversation for the calling operator and returns how many messages are unread now. A message that
    /// arrives in between stays unread. Repeating it changes nothing.
    pub async fn mark<'a>(
        &self,
        caller: &impl ActsFor,
        target: impl Into<ConversationTarget<'a>>,
        member: &str,
        mark: ReadMark,
    ) -> Result<i64> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let conversation = find_conversation(db, tenant, target.into(), member).await?;
        let no_operator = || Error::conflict("operator", "this credential belongs to no operator");
        let account = caller.account().ok_or_else(no_operator)?;
        let unread = match mark {
            ReadMark::Read => 0,
            ReadMark::Unread => 1,
        };
        let seen = conversation.inbound_count - unread;
        let known = store::conversations::seen_by(db, tenant, account.id, &[conversation.id]).await?;
        if known != [(conversation.id, seen)] {
            let marked = Marked { tenant, conversation, account: account.clone(), unread, now: self.0.now() };
            self.0.db().write(marked, |tx, marked| Box::pin(marked.write(tx))).await?;
        }
        Ok(unread)
    }
}
