//! The rows behind the numbers of daily activity, newest first.
//!
//! The counts are made of facts of the event log, so the rows are these facts: the log is read backwards from the end of
//! the days that were asked for, a bounded number of facts a page. First responses have rows of their own.

use std::collections::HashMap;

use domain::delivery::events::Fact;
use domain::people::contacts::ContactView;
use domain::platform::activity::{ActivityMetric, day};
use domain::{ChannelId, ContactId, ConversationId, Field, Id, MessageId, TenantId, Timestamp};
use serde::Deserialize;
use store::platform::activity::FirstResponse;

use super::{Activity, DEFAULT_DAYS, MAX_DAYS};
use crate::base::cursor;
use crate::inbox::conversations::ContactSummary;
use crate::{ActsFor, Error, Result};

const AREA: &[u8] = b"activity";
/// Most facts that one page reads; the next page continues after them.
const MAX_READ: usize = 5000;
const BATCH: i64 = 500;
/// Facts are numbered nearly in the order of their times. A fact may have a number as if it were this much older or
/// newer.
const SLACK_SECONDS: i64 = 60;
const DAY_SECONDS: i64 = 86_400;
/// Most characters of a message's text.
const MAX_TEXT: usize = 100;

/// Which rows are wanted.
#[derive(Debug, Clone)]
pub struct ActivitySearch {
    pub measure: ActivityMetric,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    pub channel: Option<ChannelId>,
    pub cursor: Option<String>,
    pub limit: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActivityRow {
    pub at: Timestamp,
    pub channel_id: Option<ChannelId>,
    pub conversation_id: Option<ConversationId>,
    pub contact_id: Option<ContactId>,
    pub contact: ContactSummary,
    /// None for a click.
    pub message_id: Option<MessageId>,
    /// The network's type of the message: `text`, `image`, …
    pub kind: Option<String>,
    /// The beginning of the message's text.
    pub text: Option<String>,
    /// Why the message failed.
    pub detail: Option<String>,
    /// How long the person waited for the first response.
    pub seconds: Option<i64>,
}

#[derive(Debug)]
pub struct ActivityRows {
    pub rows: Vec<ActivityRow>,
    pub next_cursor: Option<String>,
    /// The log no longer has the facts before this time, although older ones were asked for.
    pub kept_since: Option<Timestamp>,
}

/// The members of a fact's body that rows show.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct FactBody {
    id: Option<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
    text: Option<String>,
    failed_detail: Option<String>,
    bsuid: Option<String>,
    wa_id: Option<String>,
}

#[boxed::futures]
impl Activity<'_> {
    /// The rows of one measure on the days from `from` to `to`, both included, newest first. A page reads a bounded
    /// number of facts: it may have fewer rows than the limit, or none, and still a next page.
    pub async fn rows(&self, caller: &dyn ActsFor, search: &ActivitySearch) -> Result<ActivityRows> {
        let (from, to) = self.range(search)?;
        let mut found = match search.measure {
            ActivityMetric::FirstResponses => self.response_rows(caller.tenant(), search, from, to).await?,
            _ => self.fact_rows(caller.tenant(), search, from, to).await?,
        };
        self.add_contacts(caller.tenant(), &mut found.rows).await?;
        Ok(found)
    }

    /// The first instant of the first day, and the last one of the last day.
    fn range(&self, search: &ActivitySearch) -> Result<(Timestamp, Timestamp)> {
        let last = day(search.to.unwrap_or_else(|| self.0.now()));
        let first = search.from.map_or(last - DEFAULT_DAYS + 1, day);
        if first > last || last - first >= MAX_DAYS {
            return Err(Error::invalid(Field::DateFrom, format!("expected up to {MAX_DAYS} days before date_to")));
        }
        let end = Timestamp::from_seconds((last + 1).saturating_mul(DAY_SECONDS));
        Ok((Timestamp::from_seconds(first.saturating_mul(DAY_SECONDS)), Timestamp::from_micros(end.micros() - 1)))
    }

    async fn fact_rows(
        &self,
        tenant: TenantId,
        search: &ActivitySearch,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<ActivityRows> {
        let db = self.0.db();
        let log = store::delivery::events::log(db, tenant).await?;
        let oldest = store::delivery::events::page(db, tenant, log.dropped, 1).await?.into_iter().next();
        let kept_since = oldest.filter(|_| log.dropped > 0).map(|oldest| oldest.fact.at).filter(|at| *at > from);
        let mut before = match &search.cursor {
            Some(text) => {
                let position = cursor::read(self.0, tenant, AREA, text).map(i64::from_be_bytes);
                position.ok_or_else(|| Error::invalid(Field::Cursor, "expected a next_cursor from this list"))?
            }
            None => self.first_after(tenant, to.plus_seconds(SLACK_SECONDS), (log.dropped + 1, log.last + 1)).await?,
        };
        let (mut rows, mut read) = (Vec::new(), 0);
        let next = 'pages: loop {
            let facts = store::delivery::events::page_before(db, tenant, before, BATCH).await?;
            read += facts.len();
            for logged in &facts {
                if logged.fact.at < from.plus_seconds(-SLACK_SECONDS) {
                    break 'pages None;
                }
                if is_wanted(&logged.fact, search, from, to) {
                    if rows.len() == search.limit {
                        break 'pages Some(before);
                    }
                    rows.push(row_of(&logged.fact));
                }
                before = logged.last;
            }
            if i64::try_from(facts.len()).unwrap_or(0) < BATCH {
                break None;
            }
            if read >= MAX_READ {
                break Some(before);
            }
        };
        let next_cursor = next.map(|before| cursor::write(self.0, tenant, AREA, &before.to_be_bytes()));
        Ok(ActivityRows { rows, next_cursor, kept_since })
    }

    /// The smallest number from which on facts are later than this time, found by halving.
    async fn first_after(&self, tenant: TenantId, time: Timestamp, (begin, end): (i64, i64)) -> Result<i64> {
        let (mut low, mut high) = (begin, end);
        while low < high {
            let middle = low + (high - low) / 2;
            let fact = store::delivery::events::page(self.0.db(), tenant, middle - 1, 1).await?.into_iter().next();
            match fact {
                Some(logged) if logged.fact.at <= time => low = logged.last + 1,
                _ => high = middle,
            }
        }
        Ok(low)
    }

    async fn response_rows(
        &self,
        tenant: TenantId,
        search: &ActivitySearch,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<ActivityRows> {
        let mut before: (Timestamp, MessageId) = match &search.cursor {
            Some(text) => cursor::read(self.0, tenant, AREA, text)
                .and_then(|position| response_position(&position))
                .ok_or_else(|| Error::invalid(Field::Cursor, "expected a next_cursor from this list"))?,
            None => (to, Id::from_bytes([0xff; 12])),
        };
        let (mut rows, mut read, mut next) = (Vec::new(), 0, None);
        'pages: loop {
            let found = store::platform::activity::responses(self.0.db(), tenant, from, before, BATCH).await?;
            read += found.len();
            for one in &found {
                if search.channel.is_none_or(|channel| one.channel_id == Some(channel)) {
                    if rows.len() == search.limit {
                        next = Some(before);
                        break 'pages;
                    }
                    rows.push(response_row(one));
                }
                before = (one.at, one.message_id);
            }
            if i64::try_from(found.len()).unwrap_or(0) < BATCH {
                break;
            }
            if read >= MAX_READ {
                next = Some(before);
                break;
            }
        }
        let written = |(at, id): (Timestamp, MessageId)| [&at.micros().to_be_bytes()[..], id.bytes()].concat();
        let next_cursor = next.map(|position| cursor::write(self.0, tenant, AREA, &written(position)));
        let ids: Vec<MessageId> = rows.iter().filter_map(|row: &ActivityRow| row.message_id).collect();
        for message in store::messaging::messages::find_many(self.0.db(), tenant, &ids).await? {
            let row = rows.iter_mut().find(|row| row.message_id == Some(message.id));
            if let Some(row) = row {
                row.text = message.text.as_deref().map(shortened);
                row.kind = Some(message.kind);
            }
        }
        Ok(ActivityRows { rows, next_cursor, kept_since: None })
    }

    async fn add_contacts(&self, tenant: TenantId, rows: &mut [ActivityRow]) -> Result<()> {
        let db = self.0.db();
        let mut conversations: Vec<ConversationId> = rows.iter().filter_map(|row| row.conversation_id).collect();
        conversations.sort_unstable();
        conversations.dedup();
        let contacts = store::messaging::conversations::contacts_of(db, tenant, &conversations).await?;
        let contacts: HashMap<_, _> = contacts.into_iter().collect();
        let mut ids: Vec<ContactId> = contacts.values().copied().collect();
        ids.sort_unstable_by(|a, b| b.cmp(a));
        ids.dedup();
        let mut people = HashMap::new();
        let mut collect = |contact: &ContactView<'_>| {
            people.insert(contact.id, ContactSummary::from(contact));
            Ok(())
        };
        store::people::contacts::show_each(db, tenant, &ids, &mut collect).await?;
        for row in rows {
            let id = row.conversation_id.and_then(|conversation| contacts.get(&conversation).copied());
            // A conversation that was joined into another or erased leads nowhere.
            row.conversation_id = row.conversation_id.filter(|_| id.is_some());
            if let Some((id, person)) = id.and_then(|id| Some((id, people.get(&id)?))) {
                (row.contact_id, row.contact) = (Some(id), person.clone());
            }
        }
        Ok(())
    }
}

fn is_wanted(fact: &Fact, search: &ActivitySearch, from: Timestamp, to: Timestamp) -> bool {
    ActivityMetric::counted_by(fact.kind).contains(&search.measure)
        && (from..=to).contains(&fact.at)
        && search.channel.is_none_or(|channel| fact.channel_id == Some(channel))
}

fn row_of(fact: &Fact) -> ActivityRow {
    let body: FactBody = serde_json::from_str(&fact.body).unwrap_or_default();
    let measures = ActivityMetric::counted_by(fact.kind);
    let is_click = measures.contains(&ActivityMetric::Clicked);
    // The `type` of a click is that of its button, and a failure has the category of its message there.
    let has_message_type = !is_click && !measures.contains(&ActivityMetric::Failed);
    ActivityRow {
        at: fact.at,
        channel_id: fact.channel_id,
        conversation_id: fact.conversation_id,
        contact_id: None,
        contact: ContactSummary {
            phone: body.wa_id,
            bsuid: body.bsuid.unwrap_or_default(),
            ..ContactSummary::default()
        },
        // The id of a click's event is its own.
        message_id: body.id.filter(|_| !is_click).and_then(|id| id.parse().ok()),
        kind: body.kind.filter(|_| has_message_type),
        text: body.text.as_deref().map(shortened),
        detail: body.failed_detail,
        seconds: None,
    }
}

fn response_row(response: &FirstResponse) -> ActivityRow {
    ActivityRow {
        at: response.at,
        channel_id: response.channel_id,
        conversation_id: Some(response.conversation_id),
        contact_id: None,
        contact: ContactSummary::default(),
        message_id: Some(response.message_id),
        kind: None,
        text: None,
        detail: None,
        seconds: Some(response.seconds),
    }
}

fn response_position(position: &[u8; 20]) -> Option<(Timestamp, MessageId)> {
    let (at, id) = position.split_at(8);
    let at = i64::from_be_bytes(at.try_into().ok()?);
    Some((Timestamp::from_micros(at), Id::from_bytes(id.try_into().ok()?)))
}

fn shortened(text: &str) -> String {
    text.chars().take(MAX_TEXT).collect()
}
