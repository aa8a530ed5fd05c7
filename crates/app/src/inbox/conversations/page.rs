//! The inbox: pages of conversations by cursor, the one with the latest message first, with every filter.
//!
//! An index gives the order for the most selective condition of a filter; the other conditions are checked conversation
//! by conversation. A page examines about `MAX_EXAMINED` conversations at most, so its cost does not grow with the
//! tenant: it may be short, and its cursor continues after the last conversation that it examined.

use domain::inbox::filter::{AssignedTo, ConversationFilter};
use domain::messaging::channels::Channel;
use domain::messaging::conversations::{Conversation, ConversationStatus};
use domain::{ConversationId, Field, Id, Timestamp};
use store::inbox::pages::{InboxOrder, InboxPosition};

use super::query::ConversationQuery;
use super::reads::Positions;
use super::{ConversationView, Conversations};
use crate::base::cursor;
use crate::messaging::conversations::target::{ConversationTarget, find_conversation};
use crate::{ActsFor, Error, Result};

/// A page reads no further batch after it has examined this many conversations.
const MAX_EXAMINED: usize = 1000;
/// Most conversations read at once.
const BATCH: usize = 100;
const AREA: &[u8] = b"inbox";
/// Counts end at this number: consoles show more as "99+".
const MAX_COUNT: usize = 100;

#[derive(Debug)]
pub struct InboxPage {
    pub conversations: Vec<ConversationView>,
    /// None on the last page.
    pub next_cursor: Option<String>,
}

/// Open conversations that are not snoozed, and how many of them have unread messages; each at most 100.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueCounts {
    pub open: usize,
    pub unread: usize,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InboxCounts {
    /// Conversations assigned to the calling operator.
    pub mine: QueueCounts,
    pub unassigned: QueueCounts,
    pub all: QueueCounts,
}

/// A part of a list, and the position where it continues; no position at the end.
struct Walked {
    found: Vec<Conversation>,
    next: Option<InboxPosition>,
}

#[boxed::futures]
impl Conversations<'_> {
    /// Returns a page of the inbox. Ignores `query.search`; `list` can search.
    pub async fn inbox(
        &self,
        caller: &dyn ActsFor,
        query: &ConversationQuery,
        from: Option<&str>,
        limit: usize,
    ) -> Result<InboxPage> {
        let channels = self.0.messaging().channels().list(caller).await?;
        let wanted = self.wanted(caller, query, &channels).await?;
        if query.unread && caller.account().is_none() {
            return Err(Error::invalid(Field::Unread, "this credential does not belong to an operator"));
        }
        let from = from.map(|text| self.position(caller, text)).transpose()?;
        let Walked { found, next } = self.walk(caller, &wanted, query.unread, from, limit).await?;
        let conversations = self.views(caller, found, &channels, query.details).await?;
        Ok(InboxPage { conversations, next_cursor: next.map(|at| self.write_position(caller, at)) })
    }

    /// The next conversations of a list that have messages the calling operator has not read, and the cursor after the
    /// last examined one.
    pub(super) async fn next_unread(
        &self,
        caller: &dyn ActsFor,
        query: &ConversationQuery,
        from: Option<&str>,
        limit: usize,
    ) -> Result<(Vec<Conversation>, Option<String>)> {
        let channels = self.0.messaging().channels().list(caller).await?;
        let wanted = self.wanted(caller, query, &channels).await?;
        let from = from.map(|text| self.position(caller, text)).transpose()?;
        let Walked { found, next } = self.walk(caller, &wanted, true, from, limit).await?;
        Ok((found, next.map(|at| self.write_position(caller, at))))
    }

    fn write_position(&self, caller: &dyn ActsFor, at: InboxPosition) -> String {
        let position = [at.last_at.micros().to_be_bytes().as_slice(), at.id.bytes()].concat();
        cursor::write(self.0, caller.tenant(), AREA, &position)
    }

    /// Shows one conversation as lists do, with details.
    pub async fn show(&self, caller: &dyn ActsFor, target: ConversationTarget<'_>) -> Result<ConversationView> {
        let found = find_conversation(self.0.db(), caller.tenant(), target).await?;
        let channels: Vec<Channel> = self.0.messaging().channels().list(caller).await?;
        self.views(caller, vec![found], &channels, true)
            .await?
            .pop()
            .ok_or(crate::messaging::conversations::NO_CONVERSATION)
    }

    /// The counts that the tabs of an inbox show.
    pub async fn inbox_counts(&self, caller: &dyn ActsFor) -> Result<InboxCounts> {
        let mine = match caller.account() {
            Some(account) => self.count_queue(caller, Some(AssignedTo::Id(account.id.into()))).await?,
            None => QueueCounts::default(),
        };
        let unassigned = self.count_queue(caller, Some(AssignedTo::Unassigned)).await?;
        Ok(InboxCounts { mine, unassigned, all: self.count_queue(caller, None).await? })
    }

    async fn count_queue(&self, caller: &dyn ActsFor, assignee: Option<AssignedTo>) -> Result<QueueCounts> {
        let status = Some(ConversationStatus::Open);
        let wanted = ConversationFilter { status, assignee, snoozed: Some(false), ..ConversationFilter::default() };
        let found = self.walk(caller, &wanted, false, None, MAX_COUNT).await?.found;
        let ids: Vec<ConversationId> = found.iter().map(|one| one.id).collect();
        let positions = Positions::load(self.0.db(), caller, &ids).await?;
        let is_unread = |one: &&Conversation| positions.as_ref().is_some_and(|positions| positions.unread(one) > 0);
        Ok(QueueCounts { open: found.len(), unread: found.iter().filter(is_unread).count() })
    }

    fn position(&self, caller: &dyn ActsFor, text: &str) -> Result<InboxPosition> {
        let wrong = || Error::invalid(Field::Cursor, "expected a next_cursor from this list");
        let bytes: [u8; 20] = cursor::read(self.0, caller.tenant(), AREA, text).ok_or_else(wrong)?;
        let (Some(time), Some(id)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<12>()) else { return Err(wrong()) };
        Ok(InboxPosition { last_at: Timestamp::from_micros(i64::from_be_bytes(*time)), id: Id::from_bytes(*id) })
    }

    async fn walk(
        &self,
        caller: &dyn ActsFor,
        wanted: &ConversationFilter,
        only_unread: bool,
        from: Option<InboxPosition>,
        limit: usize,
    ) -> Result<Walked> {
        let (db, tenant) = (self.0.db(), caller.tenant());
        let (mut walked, mut examined) = (Walked { found: Vec::new(), next: from }, 0);
        // One more than the limit shows whether there is a next page, unless conditions have to be checked.
        let mut size = limit + 1;
        while examined < MAX_EXAMINED {
            let most = i64::try_from(size).unwrap_or(i64::MAX);
            let batch = store::inbox::pages::inbox(db, tenant, order(wanted), wanted.status, walked.next, most).await?;
            let is_last = batch.len() < size;
            let ids: Vec<ConversationId> =
                if only_unread { batch.iter().map(|one| one.id).collect() } else { Vec::new() };
            let positions = Positions::load(db, caller, &ids).await?;
            for one in batch {
                if walked.found.len() == limit {
                    return Ok(walked);
                }
                examined += 1;
                walked.next = Some(InboxPosition { last_at: one.last_at, id: one.id });
                let is_unread = || positions.as_ref().is_some_and(|positions| positions.unread(&one) > 0);
                if wanted.allows(&one) && (!only_unread || is_unread()) {
                    walked.found.push(one);
                }
            }
            if is_last {
                return Ok(Walked { next: None, ..walked });
            }
            size = BATCH;
        }
        Ok(walked)
    }
}

/// Chooses the index that gives the order: that of the most selective condition of the filter.
fn order(wanted: &ConversationFilter) -> InboxOrder {
    match (wanted.label, wanted.snoozed, wanted.assignee, wanted.channel) {
        (Some(label), ..) => InboxOrder::Label(label),
        (_, Some(true), ..) => InboxOrder::Snoozed,
        (_, _, Some(AssignedTo::Id(id)), _) => InboxOrder::Assigned(id),
        (_, _, Some(AssignedTo::Unassigned), _) => InboxOrder::Unassigned,
        (_, _, _, Some(channel)) => InboxOrder::Channel(channel),
        _ => InboxOrder::All,
    }
}
