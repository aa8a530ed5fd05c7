//! Messages of both directions, one row each, and rows about tickets for the history. A status of the network for an
//! unknown message makes a row too.

use std::collections::HashSet;

use const_format::concatcp;
use domain::messaging::messages::{HistoryRange, Message, MessageDirection, MessageFailure, MessageState};
use domain::{ChannelId, ConversationId, MessageId, TenantId, Timestamp};

use crate::base::columns::{columns, insert, listed, part, record, select, state_names, update};
use crate::{Db, Param, Params, Result, Tx, params, read};

mod context;
pub mod terms;

pub use context::{MessageContext, load_context};

/// States of messages that have not left, such as scheduled ones. They are not in the history.
const NEVER_LEFT: &str = state_names!(MessageState::NEVER_LEFT; 0 1);
const UNREPORTED: &str = state_names!(MessageState::UNREPORTED; 0 1 2 3);
const LAST_SHOWN: &str = concatcp!(
    " AND n.event IN ('message', 'broadcast') AND n.state NOT IN (",
    NEVER_LEFT,
    ") ORDER BY n.at DESC, n.id DESC LIMIT 1"
);

statements! {
    with context::statements();

    /// Citus counts the skipped rows of an insert over arrays too, unless it returns the inserted ones.
    INSERT = concatcp!(insert!("messages": Message), " ON CONFLICT DO NOTHING{postgres  RETURNING id}");
    /// Locks the row, so that two reports about one message are applied one after the other.
    BY_ID_FOR_UPDATE = select!(Message, " FROM messages WHERE tenant_id = $1 AND id = $2 {for_update}");
    BY_NETWORK_ID_FOR_UPDATE =
        select!(Message, " FROM messages WHERE tenant_id = $1 AND channel_id = $2 AND network_id = $3 {for_update}");
    BY_IDS_FOR_UPDATE = select!(
        Message as "m",
        " FROM {sqlite json_each($2) listed CROSS JOIN messages m ON m.tenant_id = $1 AND m.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN messages m ON m.tenant_id = $1 AND m.id = decode(listed.value, 'hex') ORDER BY m.id FOR UPDATE OF m}"
    );
    KNOWN_NETWORK_IDS = "SELECT m.network_id
        FROM {sqlite json_each($3) listed CROSS JOIN messages m INDEXED BY messages_network}
        {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value) JOIN messages m}
        ON m.tenant_id = $1 AND m.channel_id = $2 AND m.network_id = listed.value AND m.network_id IS NOT NULL";
    UPDATE = update!("messages": Reported);
    REMOVE = "DELETE FROM messages WHERE tenant_id = $1 AND id = $2";
    OF_CHANNEL = select!(
        Message,
        " FROM messages WHERE tenant_id = $1 AND channel_id = $2 AND network_id > $3 ORDER BY network_id LIMIT $4"
    );
    /// A conversation's rows, the newest first.
    HISTORY = select!(
        Message,
        " FROM messages WHERE tenant_id = $1 AND conversation_id = $2 AND at >= $3 AND at <= $4",
        " AND state NOT IN (",
        NEVER_LEFT,
        ") AND (CAST($7 AS BOOLEAN) OR event <> 'note') ORDER BY at DESC, id DESC LIMIT $5 OFFSET $6"
    );
    /// The rows before a position, which are older.
    HISTORY_BEFORE = select!(
        Message,
        " FROM messages WHERE tenant_id = $1 AND conversation_id = $2 AND (at, id) < ($3, $4) AND state NOT IN (",
        NEVER_LEFT,
        ") ORDER BY at DESC, id DESC LIMIT $5"
    );
    HISTORY_COUNT = concatcp!(
        "SELECT COUNT(*) FROM messages WHERE tenant_id = $1 AND conversation_id = $2 AND at >= $3 AND at <= $4
         AND state NOT IN (",
        NEVER_LEFT,
        ") AND (CAST($5 AS BOOLEAN) OR event <> 'note')"
    );
    FIND = select!(Message, " FROM messages WHERE tenant_id = $1 AND id = $2");
    BY_LOCAL_ID = select!(Message, " FROM messages WHERE tenant_id = $1 AND local_id = $2 ORDER BY id DESC LIMIT $3");
    /// The last message of each conversation, without rows about tickets and notes.
    LAST_OF = concatcp!(
        "SELECT m.conversation_id, m.kind, m.direction, m.state, m.error
         FROM {sqlite json_each($2) listed CROSS JOIN messages m ON m.tenant_id = $1 AND m.id = (",
        "SELECT n.id FROM messages n WHERE n.tenant_id = $1 AND n.conversation_id = unhex(listed.value)",
        LAST_SHOWN,
        ")}{postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value) CROSS JOIN LATERAL (",
        "SELECT n.conversation_id, n.kind, n.direction, n.state, n.error FROM messages n
         WHERE n.tenant_id = $1 AND n.conversation_id = decode(listed.value, 'hex')",
        LAST_SHOWN,
        ") m}"
    );
    /// The network's id of the person's last message, if that is among the `$4` newest rows of the conversation.
    LAST_RECEIVED = "SELECT p.network_id FROM (SELECT n.network_id, n.direction FROM messages n
            WHERE n.tenant_id = $1 AND n.conversation_id = $2 ORDER BY n.at DESC, n.id DESC LIMIT $4) p
        WHERE p.direction = $3 AND p.network_id IS NOT NULL LIMIT 1";
    BY_IDS = select!(Message as "m",
        " FROM {sqlite json_each($2) listed CROSS JOIN messages m ON m.tenant_id = $1 AND m.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN messages m ON m.tenant_id = $1 AND m.id = decode(listed.value, 'hex')}"
    );
    MOVE_CONVERSATION = "UPDATE messages SET conversation_id = $3 WHERE tenant_id = $1 AND conversation_id = $2";
    /// Saves that the network accepted the message, by the rule of `MessageState::answered`. Changes nothing where a
    /// report came first and made a row with this network id.
    SET_ACCEPTED = concatcp!(
        "UPDATE messages SET state = CASE WHEN state IN (",
        UNREPORTED,
        ") THEN 'submitted' ELSE state END,
         network_id = COALESCE(network_id, $4)
     WHERE tenant_id = $1 AND id = $2 AND NOT EXISTS (
         SELECT 1 FROM messages f WHERE f.tenant_id = $1 AND f.channel_id = $3 AND f.network_id = $4 AND f.id <> $2)"
    );
    /// Ends a message that was not sent, or whose outcome is unknown. A state that a report of the network has set is
    /// kept.
    SET_ENDED = concatcp!(
        "UPDATE messages SET state = $3, failed_at = $4, error = $5
     WHERE tenant_id = $1 AND id = $2 AND state IN (",
        UNREPORTED,
        ")"
    );
    /// Puts a scheduled message that leaves into the history, at this time.
    SET_LEAVING = "UPDATE messages SET state = 'queued', at = $3, created_at = $3 WHERE tenant_id = $1 AND id = $2
        AND state = 'accepted'";
}

record! {
    Message {
        id,
        channel_id,
        contact_id,
        conversation_id,
        ticket_id,
        event,
        direction,
        state,
        kind,
        text,
        content,
        params,
        network_id,
        context_id,
        local_id,
        broadcast_id,
        template_id,
        media_id,
        operator,
        at,
        created_at,
        sent_at,
        delivered_at,
        read_at,
        failed_at,
        error,
    }
}

part! {
    /// The columns that reports change.
    Reported of Message {
        id,
        contact_id,
        conversation_id,
        ticket_id,
        state,
        network_id,
        sent_at,
        delivered_at,
        read_at,
        failed_at,
        error,
    }
}

/// Returns false, and inserts nothing, when a row with its id or its network id exists.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Message) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await? == 1)
}

/// Returns how many rows were inserted.
pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, new: &[Message]) -> Result<u64> {
    tx.execute_many(&INSERT, new.iter().map(|new| Params::for_tenant(tenant).and(new))).await
}

/// The message with this id, locked until the transaction ends.
pub async fn by_id_for_update(tx: &mut Tx<'_>, tenant: TenantId, id: MessageId) -> Result<Option<Message>> {
    tx.row(&BY_ID_FOR_UPDATE, params![tenant, id], read).await
}

/// The message of the channel with this network id, locked until the transaction ends.
pub async fn by_network_id_for_update(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    id: &str,
) -> Result<Option<Message>> {
    tx.row(&BY_NETWORK_ID_FOR_UPDATE, params![tenant, channel, id], read).await
}

/// Writes the columns that reports change: state, times, error, contact, conversation, ticket, network id.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Message) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(&Reported(changed))).await.map(drop)
}

/// Writes the same columns as `update`, of several messages, no two with the same id.
pub async fn update_many(tx: &mut Tx<'_>, tenant: TenantId, changed: &[&Message]) -> Result<()> {
    let parts: Vec<Reported<'_>> = changed.iter().map(|one| Reported(one)).collect();
    tx.execute_set(&UPDATE, parts.iter().map(|part| Params::for_tenant(tenant).and(part))).await.map(drop)
}

/// The messages with these ids, locked until the transaction ends, in the order of their ids.
pub async fn by_ids_for_update(tx: &mut Tx<'_>, tenant: TenantId, ids: &[MessageId]) -> Result<Vec<Message>> {
    tx.rows(&BY_IDS_FOR_UPDATE, params![tenant, &listed(ids)], read).await
}

/// Those of these network ids that a message of the channel has.
pub async fn known_network_ids(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    ids: &[&str],
) -> Result<Vec<String>> {
    let listed = domain::to_json(ids);
    tx.rows(&KNOWN_NETWORK_IDS, params![tenant, channel, &listed], read).await
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: MessageId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await.map(drop)
}

/// Returns how many there were.
pub async fn remove_many(tx: &mut Tx<'_>, tenant: TenantId, ids: &[MessageId]) -> Result<u64> {
    tx.execute_set(&REMOVE, ids.iter().map(|id| Params::for_tenant(tenant).with(*id))).await
}

/// A channel's messages in the order of their network ids, after the id `after`.
pub async fn of_channel(
    db: &Db,
    tenant: TenantId,
    channel: ChannelId,
    after: &str,
    limit: i64,
) -> Result<Vec<Message>> {
    db.rows(&OF_CHANNEL, params![tenant, channel, after, limit], read).await
}

/// The rows of a conversation in a range of time, newest first.
pub async fn history(
    db: &Db,
    tenant: TenantId,
    conversation: ConversationId,
    HistoryRange { from, to, with_notes }: HistoryRange,
    limit: i64,
    offset: i64,
) -> Result<Vec<Message>> {
    db.rows(&HISTORY, params![tenant, conversation, from, to, limit, offset, with_notes], read).await
}

/// The rows of a conversation that are older than this one, newest first.
pub async fn history_before(
    db: &Db,
    tenant: TenantId,
    conversation: ConversationId,
    (at, id): (Timestamp, MessageId),
    limit: i64,
) -> Result<Vec<Message>> {
    db.rows(&HISTORY_BEFORE, params![tenant, conversation, at, id, limit], read).await
}

pub async fn history_count(
    db: &Db,
    tenant: TenantId,
    conversation: ConversationId,
    HistoryRange { from, to, with_notes }: HistoryRange,
) -> Result<i64> {
    Ok(db.row(&HISTORY_COUNT, params![tenant, conversation, from, to, with_notes], read).await?.unwrap_or(0))
}

pub async fn find(db: &Db, tenant: TenantId, id: MessageId) -> Result<Option<Message>> {
    db.row(&FIND, params![tenant, id], read).await
}

pub async fn find_in(tx: &mut Tx<'_>, tenant: TenantId, id: MessageId) -> Result<Option<Message>> {
    tx.row(&FIND, params![tenant, id], read).await
}

/// Those of these messages that exist, in any order.
pub async fn find_many(db: &Db, tenant: TenantId, ids: &[MessageId]) -> Result<Vec<Message>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    db.rows(&BY_IDS, params![tenant, &listed(ids)], read).await
}

/// The messages with this id, which a client chose, newest first.
pub async fn by_local_id(db: &Db, tenant: TenantId, local_id: &str, limit: i64) -> Result<Vec<Message>> {
    db.rows(&BY_LOCAL_ID, params![tenant, local_id, limit], read).await
}

/// The columns of a conversation's last message that a list shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastMessage {
    pub conversation_id: ConversationId,
    pub kind: String,
    pub direction: MessageDirection,
    pub state: MessageState,
    pub error: Option<MessageFailure>,
}

columns! { LastMessage { conversation_id, kind, direction, state, error } }

/// The last message of each of these conversations that has one.
pub async fn last_of(db: &Db, tenant: TenantId, conversations: &[ConversationId]) -> Result<Vec<LastMessage>> {
    if conversations.is_empty() {
        return Ok(Vec::new());
    }
    db.rows(&LAST_OF, params![tenant, &listed(conversations)], read).await
}

/// How many of the newest rows of a conversation `last_received` looks at.
const RECENT_ROWS: i64 = 500;

/// The network's id of the person's last message. None also if it is not among the newest `RECENT_ROWS` rows.
pub async fn last_received(db: &Db, tenant: TenantId, conversation: ConversationId) -> Result<Option<String>> {
    let direction = MessageDirection::Inbound.name();
    db.row(&LAST_RECEIVED, params![tenant, conversation, direction, RECENT_ROWS], read).await
}

/// Moves all messages of a conversation to another one.
pub async fn move_to(tx: &mut Tx<'_>, tenant: TenantId, from: ConversationId, to: ConversationId) -> Result<u64> {
    tx.execute(&MOVE_CONVERSATION, params![tenant, from, to]).await
}

/// A message that the network accepted, and the network's id of it.
#[derive(Debug, Clone)]
pub struct AcceptedByNetwork {
    pub id: MessageId,
    pub channel_id: ChannelId,
    pub network_id: String,
}

/// Saves the network's ids and moves the messages to `submitted`, unless they are further. Returns how many were saved:
/// a message is not among them when it was deleted, or when a report has made a row with its network id.
pub async fn set_accepted(tx: &mut Tx<'_>, tenant: TenantId, accepted: &[AcceptedByNetwork]) -> Result<u64> {
    let row = |one| {
        let AcceptedByNetwork { id, channel_id, network_id }: &AcceptedByNetwork = one;
        [Param::from(tenant), (*id).into(), (*channel_id).into(), Param::from(network_id)]
    };
    let network_ids: HashSet<&str> = accepted.iter().map(|one| one.network_id.as_str()).collect();
    // The network gave one id to two messages: they are updated one by one, so that the second sees that the first has
    // it.
    if network_ids.len() < accepted.len() {
        return tx.execute_many(&SET_ACCEPTED, accepted.iter().map(row)).await;
    }
    tx.execute_set(&SET_ACCEPTED, accepted.iter().map(row)).await
}

/// Puts scheduled messages among these, which leave now, into the history. Others are not changed.
pub async fn set_leaving(tx: &mut Tx<'_>, tenant: TenantId, ids: &[MessageId], at: Timestamp) -> Result<u64> {
    tx.execute_set(&SET_LEAVING, ids.iter().map(|id| [Param::from(tenant), (*id).into(), at.into()])).await
}

/// A message that ends without being sent, or whose outcome is unknown.
#[derive(Debug, Clone)]
pub struct EndedMessage {
    pub id: MessageId,
    pub state: MessageState,
    pub at: Option<Timestamp>,
    pub error: Option<MessageFailure>,
}

pub async fn set_ended(tx: &mut Tx<'_>, tenant: TenantId, ended: &[EndedMessage]) -> Result<u64> {
    let rows = ended.iter().map(|one| {
        let error = one.error.as_ref().map_or(Param::Null, |error| Param::Owned(error.to_json()));
        [Param::from(tenant), one.id.into(), one.state.name().into(), one.at.into(), error]
    });
    tx.execute_set(&SET_ENDED, rows).await
}
