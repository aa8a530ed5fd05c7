//! The outbox: messages that wait to be sent, for each channel in the order of leaving (urgency, due time, id).
//!
//! The node that holds the lease of an account claims messages before it calls the network: `taken_by` names its
//! process. A message that a lost process had claimed may have been sent, and is never sent again. The outcome of an
//! attempt removes the row, or gives it a later due time and ends the claim. Stopping a broadcast or erasing a
//! conversation removes rows that are not claimed. The sender is `app/src/messaging/messages/sender/mod.rs`.

use const_format::concatcp;
use domain::messaging::messages::{ContactPermissions, MessageState};
use domain::{BroadcastId, ChannelId, ContactId, MediaId, MessageId, TemplateId, TenantId, Timestamp};

use crate::base::columns::{columns, insert, listed, record, select, state_names};
use crate::{Db, Param, Params, Result, Tx, params, read};

const WAITING_STATES: &str = state_names!(MessageState::WAITING; 0 1);

statements! {
    INSERT = insert!("outbox": NewOutboxEntry, "attempts");
    CHANNELS_WITH_DUE tenantless "the sender finds channels with due messages" = select!(
        DueChannel,
        " FROM channels c
         WHERE c.enabled AND EXISTS (
             SELECT 1 FROM outbox o WHERE o.tenant_id = c.tenant_id AND o.channel_id = c.id
                 AND o.priority IN (0, 1, 2, 3) AND o.due_at <= $1)
             AND NOT EXISTS (SELECT 1 FROM tenants n WHERE n.tenant_id = c.tenant_id AND n.suspended_at IS NOT NULL)"
    );
    CHANNELS_OF_TENANT_WITH_DUE = select!(
        DueChannel,
        " FROM channels c
         WHERE c.tenant_id = $1 AND c.enabled AND EXISTS (
             SELECT 1 FROM outbox o WHERE o.tenant_id = $1 AND o.channel_id = c.id
                 AND o.priority IN (0, 1, 2, 3) AND o.due_at <= $2)
             AND NOT EXISTS (SELECT 1 FROM tenants n WHERE n.tenant_id = $1 AND n.suspended_at IS NOT NULL)"
    );
    DUE = select!(
        DueMessage,
        " FROM outbox o
         LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = o.contact_id
         LEFT JOIN conversations v ON v.tenant_id = $1 AND v.contact_id = o.contact_id AND v.channel_id = o.channel_id
         WHERE o.tenant_id = $1 AND o.channel_id = $2 AND o.priority = $3 AND o.due_at <= $4 AND o.taken_by IS NULL
             AND NOT EXISTS (SELECT 1 FROM tenants WHERE tenant_id = $1 AND suspended_at IS NOT NULL)
         ORDER BY o.due_at, o.id LIMIT $5"
    );
    NEXT_DUE =
        "SELECT due_at FROM outbox WHERE tenant_id = $1 AND channel_id = $2 AND priority = $3 AND taken_by IS NULL
             AND NOT EXISTS (SELECT 1 FROM tenants WHERE tenant_id = $1 AND suspended_at IS NOT NULL)
         ORDER BY due_at LIMIT 1";
    CLAIM = "UPDATE outbox SET taken_by = $6
        WHERE tenant_id = $1 AND channel_id = $2 AND priority = $3 AND due_at = $4 AND id = $5 AND taken_by IS NULL";
    CLAIMED_BY = "SELECT id FROM outbox WHERE tenant_id = $1 AND channel_id = $2 AND taken_by = $3";
    ABANDONED = "SELECT id FROM outbox
        WHERE tenant_id = $1 AND channel_id = $2 AND taken_by IS NOT NULL AND taken_by <> $3 LIMIT $4";
    POSTPONE = "UPDATE outbox SET due_at = $3, attempts = attempts + $4, taken_by = NULL
        WHERE tenant_id = $1 AND id = $2 AND (taken_by IS NULL OR taken_by = $5)";
    REMOVE = "DELETE FROM outbox WHERE tenant_id = $1 AND id = $2";
    POSITION = select!(QueuePosition, " FROM outbox WHERE tenant_id = $1 AND id = $2");
    /// Both counts end at a limit: an estimate needs no more.
    COUNT_AHEAD =
        "SELECT (SELECT COUNT(*) FROM (SELECT 1 FROM outbox WHERE tenant_id = $1 AND channel_id = $2 AND priority < $3
                     AND due_at <= $4 LIMIT $6) earlier)
              + (SELECT COUNT(*) FROM (SELECT 1 FROM outbox WHERE tenant_id = $1 AND channel_id = $2 AND priority = $3
                     AND (due_at, id) < ($4, $5) LIMIT $6) same)";
    CONTENTS = select!(
        OutboxContent,
        " FROM {sqlite json_each($2) listed CROSS JOIN messages m ON m.tenant_id = $1 AND m.id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN messages m ON m.tenant_id = $1 AND m.id = decode(listed.value, 'hex')}"
    );
    TEMPLATE_STATUSES = "SELECT t.id, t.status
        FROM {sqlite json_each($2) listed CROSS JOIN templates t ON t.tenant_id = $1 AND t.id = unhex(listed.value)}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
            JOIN templates t ON t.tenant_id = $1 AND t.id = decode(listed.value, 'hex')}";
    /// A message that a sender claims first is not stopped.
    REMOVE_BROADCAST = concatcp!(
        "DELETE FROM outbox WHERE tenant_id = $1 AND taken_by IS NULL AND id IN (
         SELECT m.id FROM messages m
         WHERE m.tenant_id = $1 AND m.broadcast_id = $2 AND m.state IN (",
        WAITING_STATES,
        "))"
    );
    STOP_MESSAGES = concatcp!(
        "UPDATE messages SET state = 'stopped' WHERE tenant_id = $1 AND broadcast_id = $2 AND state IN (",
        WAITING_STATES,
        ")
     AND NOT EXISTS (SELECT 1 FROM outbox o WHERE o.tenant_id = $1 AND o.id = messages.id)"
    );
    ANY_OF_CHANNEL = "SELECT 1 FROM outbox WHERE tenant_id = $1 AND channel_id = $2 LIMIT 1";
    SAVE_COUNTED_PEOPLE = "INSERT INTO outbox_people (tenant_id, account_id, contact_id, until) VALUES ($1, $2, $3, $4)
        ON CONFLICT (tenant_id, account_id, contact_id) DO UPDATE SET until = excluded.until";
    COUNTED_PEOPLE =
        "SELECT contact_id, until FROM outbox_people WHERE tenant_id = $1 AND account_id = $2 AND until > $3";
    SWEEP_COUNTED_PEOPLE = "DELETE FROM outbox_people WHERE tenant_id = $1 AND account_id = $2 AND until <= $3";
}

/// A message that is to be sent.
#[derive(Debug, Clone)]
pub struct NewOutboxEntry {
    pub channel_id: ChannelId,
    pub priority: i64,
    pub due_at: Timestamp,
    pub id: MessageId,
    pub contact_id: ContactId,
    /// A phone number, or a Business Solution User ID (BSUID) that the network gave.
    pub recipient: String,
    pub template_id: Option<TemplateId>,
    pub expires_at: Timestamp,
}

record! { NewOutboxEntry { channel_id, priority, due_at, id, contact_id, recipient, template_id, expires_at } }

/// A due message, with the present permissions of its contact.
#[derive(Debug, Clone)]
pub struct DueMessage {
    pub id: MessageId,
    pub channel_id: ChannelId,
    pub priority: i64,
    pub due_at: Timestamp,
    pub contact_id: ContactId,
    pub recipient: String,
    pub template_id: Option<TemplateId>,
    pub expires_at: Timestamp,
    pub attempts: i64,
    /// None when the contact was deleted, or merged into another one.
    pub contact: Option<ContactPermissions>,
    /// The end of the customer service window, in 1970 if the person has never written; none without a conversation.
    pub window_until: Option<Timestamp>,
}

columns! {
    DueMessage {
        id: "o.id",
        channel_id: "o.channel_id",
        priority: "o.priority",
        due_at: "o.due_at",
        contact_id: "o.contact_id",
        recipient: "o.recipient",
        template_id: "o.template_id",
        expires_at: "o.expires_at",
        attempts: "o.attempts",
        contact: ContactPermissions,
        window_until: "v.window_until",
    }
}

columns! {
    ContactPermissions {
        opted_in: "c.opted_in",
        allow_broadcast: "c.allow_broadcast",
        is_blocked: "c.blocked_at IS NOT NULL",
    }
}

/// The position of a message in the queue.
#[derive(Debug, Clone)]
pub struct QueuePosition {
    pub channel_id: ChannelId,
    pub priority: i64,
    pub due_at: Timestamp,
    pub expires_at: Timestamp,
    pub is_claimed: bool,
}

columns! { QueuePosition { channel_id, priority, due_at, expires_at, is_claimed: "taken_by IS NOT NULL" } }

/// The content of a message, as it is sent.
#[derive(Debug, Clone)]
pub struct OutboxContent {
    pub id: MessageId,
    pub kind: String,
    pub content: Option<String>,
    pub context_id: Option<String>,
    pub media_id: Option<MediaId>,
}

columns! {
    OutboxContent { id: "m.id", kind: "m.kind", content: "m.content", context_id: "m.context_id", media_id: "m.media_id" }
}

/// An enabled channel with due messages, and its account: one node at a time sends for all channels of an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueChannel {
    pub tenant: TenantId,
    pub account_id: String,
    pub channel_id: ChannelId,
}

columns! { DueChannel { tenant: "c.tenant_id", account_id: "c.account_id", channel_id: "c.id" } }

pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, new: &[NewOutboxEntry]) -> Result<()> {
    let rows = new.iter().map(|one| Params::for_tenant(tenant).and(one).with(0));
    tx.execute_many(&INSERT, rows).await.map(drop)
}

/// Enabled channels with a message, claimed or not, that is due by `due_by`, ordered by tenant and account. Those of
/// suspended tenants are left out.
pub async fn channels_with_due(db: &Db, due_by: Timestamp) -> Result<Vec<DueChannel>> {
    Ok(by_account(db.rows(&CHANNELS_WITH_DUE, params![due_by], read).await?))
}

/// The same of one tenant.
pub async fn channels_of_tenant_with_due(db: &Db, tenant: TenantId, due_by: Timestamp) -> Result<Vec<DueChannel>> {
    Ok(by_account(db.rows(&CHANNELS_OF_TENANT_WITH_DUE, params![tenant, due_by], read).await?))
}

fn by_account(mut channels: Vec<DueChannel>) -> Vec<DueChannel> {
    channels.sort_unstable_by(|one, other| {
        (one.tenant, &one.account_id, one.channel_id).cmp(&(other.tenant, &other.account_id, other.channel_id))
    });
    channels
}

/// Unclaimed messages of one urgency that are due, the longest due first.
pub async fn due(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel_id: ChannelId,
    priority: i64,
    now: Timestamp,
    limit: i64,
) -> Result<Vec<DueMessage>> {
    tx.rows(&DUE, params![tenant, channel_id, priority, now, limit], read).await
}

pub async fn next_due(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel_id: ChannelId,
    priority: i64,
) -> Result<Option<Timestamp>> {
    tx.row(&NEXT_DUE, params![tenant, channel_id, priority], read).await
}

/// Like `next_due`, outside of a transaction; for the view of the queues' health.
pub async fn next_due_of(db: &Db, tenant: TenantId, channel_id: ChannelId, priority: i64) -> Result<Option<Timestamp>> {
    db.row(&NEXT_DUE, params![tenant, channel_id, priority], read).await
}

/// Claims messages for a process. Returns how many: a message that was stopped, postponed or claimed since it was read
/// is not claimed.
pub async fn claim(tx: &mut Tx<'_>, tenant: TenantId, due: &[&DueMessage], process: &str) -> Result<u64> {
    let rows = due.iter().map(|one| {
        [
            Param::from(tenant),
            one.channel_id.into(),
            one.priority.into(),
            one.due_at.into(),
            one.id.into(),
            Param::from(process),
        ]
    });
    tx.execute_set(&CLAIM, rows).await
}

pub async fn claimed_by(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    process: &str,
) -> Result<Vec<MessageId>> {
    tx.rows(&CLAIMED_BY, params![tenant, channel, process], read).await
}

/// At most `limit` messages that a process other than `process` has claimed: they may have been sent.
pub async fn abandoned(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    process: &str,
    limit: i64,
) -> Result<Vec<MessageId>> {
    tx.rows(&ABANDONED, params![tenant, channel, process, limit], read).await
}

/// A message that was not sent, when it is due again, and whether an attempt was made.
#[derive(Debug, Clone, Copy)]
pub struct Postponed {
    pub id: MessageId,
    pub due_at: Timestamp,
    pub is_attempt: bool,
}

/// Gives messages another due time, counts the attempt if one was made, and ends their claims. Messages that another
/// process has claimed stay as they are.
pub async fn postpone(tx: &mut Tx<'_>, tenant: TenantId, later: &[Postponed], process: &str) -> Result<u64> {
    let rows = later.iter().map(|one| {
        let attempt = i64::from(one.is_attempt);
        [Param::from(tenant), one.id.into(), one.due_at.into(), Param::Int(attempt), Param::from(process)]
    });
    tx.execute_set(&POSTPONE, rows).await
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, ids: &[MessageId]) -> Result<u64> {
    tx.execute_set(&REMOVE, ids.iter().map(|id| [Param::from(tenant), (*id).into()])).await
}

pub async fn position(db: &Db, tenant: TenantId, id: MessageId) -> Result<Option<QueuePosition>> {
    db.row(&POSITION, params![tenant, id], read).await
}

/// How many messages of the channel leave before one at this position: more urgent ones that are due by its due time,
/// and earlier ones of its urgency. Each of the two is counted up to `limit`.
pub async fn count_ahead(
    db: &Db,
    tenant: TenantId,
    position: &QueuePosition,
    id: MessageId,
    limit: i64,
) -> Result<i64> {
    let values = params![tenant, position.channel_id, position.priority, position.due_at, id, limit];
    Ok(db.row(&COUNT_AHEAD, values, read).await?.unwrap_or(0))
}

pub async fn contents(db: &Db, tenant: TenantId, ids: &[MessageId]) -> Result<Vec<OutboxContent>> {
    db.rows(&CONTENTS, params![tenant, &listed(ids)], read).await
}

pub async fn template_statuses(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    templates: &[TemplateId],
) -> Result<Vec<(TemplateId, String)>> {
    tx.rows(&TEMPLATE_STATUSES, params![tenant, &listed(templates)], read).await
}

/// Removes those messages of a broadcast from the outbox that no process has claimed, and sets their state to
/// `stopped`. Returns how many.
pub async fn stop_broadcast(tx: &mut Tx<'_>, tenant: TenantId, broadcast: BroadcastId) -> Result<u64> {
    tx.execute(&REMOVE_BROADCAST, params![tenant, broadcast]).await?;
    tx.execute(&STOP_MESSAGES, params![tenant, broadcast]).await
}

pub async fn any_of_channel(tx: &mut Tx<'_>, tenant: TenantId, channel: ChannelId) -> Result<bool> {
    Ok(tx.row(&ANY_OF_CHANNEL, params![tenant, channel], |_| Ok(())).await?.is_some())
}

/// Saves the people to whom the network account opened a conversation, and until when each counts towards the network's
/// limit of new people.
pub async fn save_counted_people(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account: &str,
    people: &[(ContactId, Timestamp)],
) -> Result<()> {
    let rows = people
        .iter()
        .map(|(contact, until)| [Param::from(tenant), Param::from(account), (*contact).into(), (*until).into()]);
    tx.execute_set(&SAVE_COUNTED_PEOPLE, rows).await.map(drop)
}

/// The people who still count towards the account's limit, and until when.
pub async fn counted_people(
    db: &Db,
    tenant: TenantId,
    account: &str,
    now: Timestamp,
) -> Result<Vec<(ContactId, Timestamp)>> {
    db.rows(&COUNTED_PEOPLE, params![tenant, account, now], read).await
}

pub async fn sweep_counted_people(tx: &mut Tx<'_>, tenant: TenantId, account: &str, now: Timestamp) -> Result<u64> {
    tx.execute(&SWEEP_COUNTED_PEOPLE, params![tenant, account, now]).await
}
