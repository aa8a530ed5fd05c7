//! Searching the texts of messages.
//!
//! The index gives candidates, the newest first; each is checked against the text. A page examines a bounded number of
//! candidates in small statements, at most two searches of a node run at the same time, and a page ends after
//! `DEADLINE`: so a search takes neither connections nor the disk away from sending. A page that ended early has a
//! cursor to continue with.

use std::time::Duration;

use domain::messaging::messages::Message;
use domain::messaging::messages::search::MessageQuery;
use domain::{Field, Id, MessageId, TenantId, Timestamp};
use tokio::time::timeout;

use super::{ContactSummary, Conversations, HistoryEntry};
use crate::base::cursor;
use crate::{ActsFor, Error, Result};

/// A page reads no further batch after it has examined this many candidates.
const MAX_EXAMINED: usize = 5000;
/// Most candidates of one statement.
const BATCH: usize = 250;
/// A page ends after this time, with what it has found.
const DEADLINE: Duration = Duration::from_secs(2);
const AREA: &[u8] = b"message-search";

/// A message whose text has all words of the query.
#[derive(Debug)]
pub struct FoundMessage {
    pub entry: HistoryEntry,
    /// The part of the message's text around the first word.
    pub snippet: String,
    /// Empty if the contact was deleted.
    pub contact: ContactSummary,
}

#[derive(Debug, Default)]
pub struct FoundMessages {
    pub found: Vec<FoundMessage>,
    /// None at the end of the list.
    pub next_cursor: Option<String>,
}

/// What a search has found, and how far it is.
#[derive(Debug, Default)]
struct Progress {
    found: Vec<(Message, String)>,
    position: Option<(Timestamp, MessageId)>,
    is_finished: bool,
}

#[boxed::futures]
impl Conversations<'_> {
    /// Finds messages that have all words of a text, the newest first. A conflict if no search could begin within
    /// `DEADLINE`.
    pub async fn search_messages(
        &self,
        caller: &dyn ActsFor,
        text: &str,
        from: Option<&str>,
        limit: usize,
    ) -> Result<FoundMessages> {
        let tenant = caller.tenant();
        let query = MessageQuery::parse(text).map_err(|error| Error::invalid(Field::Query, error))?;
        let position = from.map(|from| self.search_position(caller, from)).transpose()?;
        let mut progress = Progress { position, ..Progress::default() };
        // The deadline may interrupt a batch; `progress` has only what was examined before.
        let search = async {
            match self.0.search_slots().acquire().await {
                Ok(_slot) => self.advance(tenant, &query, &mut progress, limit).await,
                Err(_) => Ok(()),
            }
        };
        timeout(DEADLINE, search).await.unwrap_or(Ok(()))?;
        if progress.position.is_none() && !progress.is_finished {
            return Err(Error::conflict(Field::Query, "too many searches at once; try again"));
        }
        let write = |(at, id): (Timestamp, MessageId)| {
            let position = [at.micros().to_be_bytes().as_slice(), id.bytes()].concat();
            cursor::write(self.0, tenant, AREA, &position)
        };
        let next_cursor = progress.position.filter(|_| !progress.is_finished).map(write);
        let found = self.found(caller, progress.found).await?;
        Ok(FoundMessages { found, next_cursor })
    }

    async fn advance(
        &self,
        tenant: TenantId,
        query: &MessageQuery,
        progress: &mut Progress,
        limit: usize,
    ) -> Result<()> {
        let db = self.0.db();
        let terms = store::messaging::messages::terms::rarest_first(db, tenant, &query.terms()).await?;
        let mut examined = 0;
        while examined < MAX_EXAMINED && progress.found.len() < limit {
            let most = i64::try_from(BATCH).unwrap_or(i64::MAX);
            let batch =
                store::messaging::messages::terms::candidates(db, tenant, &terms, progress.position, most).await?;
            let ids: Vec<MessageId> = batch.iter().filter(|(_, _, fits)| *fits).map(|(_, id, _)| *id).collect();
            let messages = store::messaging::messages::find_many(db, tenant, &ids).await?;
            let is_last = batch.len() < BATCH;
            for (at, id, _) in batch {
                if progress.found.len() == limit {
                    return Ok(());
                }
                examined += 1;
                progress.position = Some((at, id));
                let message = messages.iter().find(|message| message.id == id);
                let snippet = message.and_then(|message| query.snippet(message.text.as_deref()?));
                if let (Some(message), Some(snippet)) = (message, snippet) {
                    progress.found.push((message.clone(), snippet));
                }
            }
            if is_last {
                progress.is_finished = true;
                return Ok(());
            }
        }
        Ok(())
    }

    fn search_position(&self, caller: &dyn ActsFor, text: &str) -> Result<(Timestamp, MessageId)> {
        let wrong = || Error::invalid(Field::Cursor, "expected a next_cursor from this list");
        let bytes: [u8; 20] = cursor::read(self.0, caller.tenant(), AREA, text).ok_or_else(wrong)?;
        let (Some(time), Some(id)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<12>()) else { return Err(wrong()) };
        Ok((Timestamp::from_micros(i64::from_be_bytes(*time)), Id::from_bytes(*id)))
    }

    async fn found(&self, caller: &dyn ActsFor, found: Vec<(Message, String)>) -> Result<Vec<FoundMessage>> {
        let (messages, snippets): (Vec<Message>, Vec<String>) = found.into_iter().unzip();
        let mut ids: Vec<domain::ContactId> = messages.iter().filter_map(|message| message.contact_id).collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids.dedup();
        let mut people = std::collections::HashMap::new();
        let mut collect = |contact: &domain::people::contacts::ContactView<'_>| {
            people.insert(contact.id, ContactSummary::from(contact));
            Ok(())
        };
        store::people::contacts::show_each(self.0.db(), caller.tenant(), &ids, &mut collect).await?;
        let entries = self.entries(caller.tenant(), messages).await?;
        let shown = |(entry, snippet): (HistoryEntry, String)| {
            let contact = entry.message.contact_id.and_then(|id| people.get(&id).cloned());
            FoundMessage { entry, snippet, contact: contact.unwrap_or_default() }
        };
        Ok(entries.into_iter().zip(snippets).map(shown).collect())
    }
}
