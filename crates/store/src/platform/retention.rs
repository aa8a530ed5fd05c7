//! Deleting records because of their age: each function deletes the oldest, at most `limit`, in the caller's
//! transaction. Also the days that a tenant has chosen for itself.
//!
//! Ids begin with the second of their creation, so the oldest rows of a tenant are at the beginning of the primary key,
//! and no index of times is needed.

use std::collections::{BTreeMap, BTreeSet};

use const_format::concatcp;
use domain::identity::audit::{ChainHash, ChainPosition};
use domain::messaging::clicks::Link;
use domain::messaging::messages::MessageState;
use domain::messaging::messages::search::message_terms;
use domain::people::contacts::Term;
use domain::platform::retention::RetentionKind;
use domain::{ConversationId, Id, MessageId, TemplateId, TenantId, Timestamp};

use crate::base::columns::state_names;
use crate::messaging::clicks::{self, HitCount, OverflowCount};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    OWN = "SELECT kind, days FROM retention_settings WHERE tenant_id = $1";
    SET = "INSERT INTO retention_settings (tenant_id, kind, days) VALUES ($1, $2, $3)
        ON CONFLICT (tenant_id, kind) DO UPDATE SET days = excluded.days";
    CLEAR = "DELETE FROM retention_settings WHERE tenant_id = $1 AND kind = $2";
    /// A message that is still to be sent stays, whatever its age.
    OLD_MESSAGES = concatcp!(
        "SELECT id, conversation_id, text FROM messages
         WHERE tenant_id = $1 AND id > $2 AND id < $3 AND state NOT IN (",
        WAITING_STATES,
        ") ORDER BY id LIMIT $4"
    );
    /// All rows of a term before a time: their messages are as old, and are deleted too.
    DROP_TERMS = "DELETE FROM message_terms WHERE tenant_id = $1 AND term = $2 AND at < $3";
    CLEAR_PREVIEW = "UPDATE conversations SET last_text = NULL
        WHERE tenant_id = $1 AND id = $2 AND last_at < $3 AND last_text IS NOT NULL";
    DROP_FIRST_RESPONSES = "DELETE FROM first_responses WHERE tenant_id = $1 AND (at, message_id) IN (
            SELECT o.at, o.message_id FROM first_responses o WHERE o.tenant_id = $1 AND o.at < $2
            ORDER BY o.at, o.message_id LIMIT $3)";
    DROP_REPORTS = "DELETE FROM network_reports WHERE tenant_id = $1 AND id IN (
            SELECT o.id FROM network_reports o WHERE o.tenant_id = $1 AND o.id < $2 ORDER BY o.id LIMIT $3)";
    DROP_PARKED = "DELETE FROM inbound_parked WHERE tenant_id = $1 AND id IN (
            SELECT o.id FROM inbound_parked o WHERE o.tenant_id = $1 AND o.id < $2 ORDER BY o.id LIMIT $3)";
    DROP_CLICKS = "DELETE FROM clicks WHERE tenant_id = $1 AND (at, id) IN (
            SELECT o.at, o.id FROM clicks o WHERE o.tenant_id = $1 AND o.at < $2 ORDER BY o.at, o.id LIMIT $3)
        RETURNING day, template_id, spot, class, CAST(1 AS BIGINT)";
    /// Counts by message, from the day `$5`. Those without one, `$3`, stay.
    DROP_COUNTED_CLICKS =
        "DELETE FROM click_overflow WHERE tenant_id = $1 AND (day, template_id, spot, class, message_id) IN (
             SELECT o.day, o.template_id, o.spot, o.class, o.message_id FROM click_overflow o
             WHERE o.tenant_id = $1 AND o.day >= $5 AND o.day < $2 AND o.message_id > $3
                 ORDER BY o.day, o.template_id, o.spot, o.class, o.message_id LIMIT $4)
         RETURNING day, template_id, spot, class, hits";
    SWEPT = "SELECT CAST(value AS BIGINT) FROM installation WHERE tenant_id = $1 AND name = 'clicks_swept'";
    SET_SWEPT = "INSERT INTO installation (tenant_id, name, value) VALUES ($1, 'clicks_swept', $2)
        ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value";
    /// Locks the head, so that of two nodes the second one starts where the first one ended.
    LOCK_AUDIT_BASE = "SELECT base_seq FROM audit_heads WHERE tenant_id = $1 {for_update}";
    OLDEST_AUDIT = "SELECT seq, hash, at FROM audit WHERE tenant_id = $1 AND seq > $2 ORDER BY seq LIMIT $3";
    DROP_AUDIT = "DELETE FROM audit WHERE tenant_id = $1 AND seq > $2 AND seq <= $3";
    REBASE_AUDIT = "UPDATE audit_heads SET base_seq = $2, base_hash = $3 WHERE tenant_id = $1";
}

const WAITING_STATES: &str = state_names!(MessageState::WAITING; 0 1);

const SECONDS_OF_DAY: i64 = 86_400;
/// Stands for the message of hits that are only counted.
const NO_MESSAGE: MessageId = MessageId::from_bytes([0; 12]);

/// The days that the tenant has chosen for itself.
pub async fn own(db: &Db, tenant: TenantId) -> Result<Vec<(RetentionKind, i64)>> {
    db.rows(&OWN, params![tenant], read).await
}

/// None: the installation's setting applies again.
pub async fn set_own(tx: &mut Tx<'_>, tenant: TenantId, kind: RetentionKind, days: Option<i64>) -> Result<()> {
    match days {
        Some(days) => tx.execute(&SET, params![tenant, kind.name(), days]).await,
        None => tx.execute(&CLEAR, params![tenant, kind.name()]).await,
    }
    .map(drop)
}

/// Deletes messages that were created before a time, the search terms of their texts, and first responses before that
/// time; a conversation that has no newer message loses the text of its last one. Starts after a message and returns the
/// last one that it deleted, for the next call; None when there are no more. Files of the messages are then unused, and
/// swept with the others.
pub async fn drop_messages(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    (after, before): (MessageId, Timestamp),
    limit: i64,
) -> Result<(u64, Option<MessageId>)> {
    type Old = (MessageId, Option<ConversationId>, Option<String>);
    let end: MessageId = Id::first_of_second(before);
    let old: Vec<Old> = tx.rows(&OLD_MESSAGES, params![tenant, after, end, limit], read).await?;
    let terms: BTreeSet<Term> = old.iter().filter_map(|it| it.2.as_deref()).flat_map(message_terms).collect();
    tx.execute_set(&DROP_TERMS, terms.iter().map(|term| Params::for_tenant(tenant).with(*term).with(before))).await?;
    let conversations: BTreeSet<ConversationId> = old.iter().filter_map(|it| it.1).collect();
    tx.execute_set(&CLEAR_PREVIEW, conversations.iter().map(|id| Params::for_tenant(tenant).with(*id).with(before)))
        .await?;
    let ids: Vec<MessageId> = old.iter().map(|it| it.0).collect();
    // A first response is a message, so that each batch of messages can take as many first responses along.
    tx.execute(&DROP_FIRST_RESPONSES, params![tenant, before, limit]).await?;
    let deleted = crate::messaging::messages::remove_many(tx, tenant, &ids).await?;
    Ok((deleted, ids.last().copied()))
}

/// Deletes reports of the network that were received before a time.
pub async fn drop_reports(tx: &mut Tx<'_>, tenant: TenantId, before: Timestamp, limit: i64) -> Result<u64> {
    let end: MessageId = Id::first_of_second(before);
    tx.execute(&DROP_REPORTS, params![tenant, end, limit]).await
}

/// Deletes parked records that were received before a time.
pub async fn drop_parked(tx: &mut Tx<'_>, tenant: TenantId, before: Timestamp, limit: i64) -> Result<u64> {
    let end: domain::JournalEntryId = Id::first_of_second(before);
    tx.execute(&DROP_PARKED, params![tenant, end, limit]).await
}

/// Deletes hits before a time, and the messages of counts of days before it. The counts stay, by day, template, button
/// and class. That a person opened a link stays noted too, so that its event is not emitted again.
pub async fn drop_clicks(tx: &mut Tx<'_>, tenant: TenantId, before: Timestamp, limit: i64) -> Result<u64> {
    // Only what this transaction has deleted is counted, although another node may sweep at the same time.
    let hits: Vec<HitCount> = tx.rows(&DROP_CLICKS, params![tenant, before, limit], read).await?;
    let day = before.seconds().div_euclid(SECONDS_OF_DAY);
    // Counts without a message stay for ever, so days that are done are not read again.
    let swept: i64 = tx.row(&SWEPT, params![tenant], read).await?.unwrap_or(0);
    let counted: Vec<HitCount> =
        tx.rows(&DROP_COUNTED_CLICKS, params![tenant, day, NO_MESSAGE, limit, swept], read).await?;
    if day > swept && i64::try_from(counted.len()).is_ok_and(|count| count < limit) {
        tx.execute(&SET_SWEPT, params![tenant, &day.to_string()]).await?;
    }
    let mut sums: BTreeMap<(i64, TemplateId, i64, &str), OverflowCount> = BTreeMap::new();
    for HitCount { day, template_id, spot, class, hits } in hits.iter().chain(&counted).copied() {
        let link = Link::at_spot(NO_MESSAGE, spot);
        let new = || OverflowCount { day, template_id, link, class, hits: 0 };
        sums.entry((day, template_id, spot, class.name())).or_insert_with(new).hits += hits;
    }
    // In the order of their keys, so that two nodes do not deadlock.
    clicks::add_overflow(tx, tenant, &sums.into_values().collect::<Vec<_>>()).await?;
    Ok(hits.len().max(counted.len()) as u64)
}

/// Deletes the first entries of the tenant's chain as far as they are older than a time, and notes the last of them as
/// the base from which the chain is verified. Returns how many, and the base.
pub async fn drop_audit(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    before: Timestamp,
    limit: i64,
) -> Result<(u64, Option<ChainPosition>)> {
    let Some(base) = tx.row::<i64>(&LOCK_AUDIT_BASE, params![tenant], read).await? else { return Ok((0, None)) };
    let oldest: Vec<(i64, [u8; 32], Timestamp)> = tx.rows(&OLDEST_AUDIT, params![tenant, base, limit], read).await?;
    let Some(&(number, hash, _)) = oldest.iter().take_while(|(_, _, at)| *at < before).last() else {
        return Ok((0, None));
    };
    let deleted = tx.execute(&DROP_AUDIT, params![tenant, base, number]).await?;
    tx.execute(&REBASE_AUDIT, params![tenant, number, &hash]).await?;
    Ok((deleted, Some(ChainPosition { number, hash: ChainHash(hash) })))
}
