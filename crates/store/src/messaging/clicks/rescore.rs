//! Hits in the order of their messages, for scoring them again in batches.

use const_format::concatcp;
use domain::messaging::clicks::{ClickClass, ClickSource, Link};
use domain::{ClickId, ConversationId, Id, MessageId, TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Result, Row, Tx, params, read};

statements! {
    HITS_AFTER = select!(
        StoredHit,
        " FROM clicks {indexed_by clicks_message}
         WHERE tenant_id = $1 AND (message_id, at, id) > ($2, $3, $4) ORDER BY message_id, at, id LIMIT $5"
    );
    HUMAN_LINKS_BEFORE = concatcp!(
        "SELECT spot FROM clicks {indexed_by clicks_message}
     WHERE tenant_id = $1 AND message_id = $2 AND (at, id) <= ($3, $4) AND class = '",
        ClickClass::Human.name(),
        "' LIMIT $5"
    );
    UPDATE_SCORE = "UPDATE clicks SET class = $4, rules = $5 WHERE tenant_id = $1 AND at = $2 AND id = $3";
    COUNT = "SELECT COUNT(*) FROM clicks WHERE tenant_id = $1";
    /// Waits for transactions that store hits of the conversation's messages.
    LOCK_MESSAGES = "SELECT id FROM messages WHERE tenant_id = $1 AND conversation_id = $2 ORDER BY id {for_update}";
    /// Erases address and headers; the hit itself stays.
    ERASE_PERSON = "UPDATE clicks SET address = NULL, headers = NULL
        WHERE tenant_id = $1 AND headers IS NOT NULL AND message_id IN (
            SELECT m.id FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2)";
    PROGRESS = "SELECT value FROM installation WHERE tenant_id = $1 AND name = $2";
    SET_PROGRESS = "INSERT INTO installation (tenant_id, name, value) VALUES ($1, $2, $3)
        ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value";
    END_PROGRESS = "DELETE FROM installation WHERE tenant_id = $1 AND name = $2";
}

/// Name of the row with the progress of a rescoring.
const PROGRESS_NAME: &str = "clicks_rescored";

/// Limit on the opened links read for one message; no message has as many cards and buttons.
const MOST_LINKS: i64 = 1000;

/// Position of a hit in the order of a rescoring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HitPosition {
    pub message: MessageId,
    pub at: Timestamp,
    pub id: ClickId,
}

impl HitPosition {
    /// Before every hit.
    pub const START: Self =
        Self { message: Id::from_bytes([0; 12]), at: Timestamp::from_micros(i64::MIN), id: Id::from_bytes([0; 12]) };
}

/// The columns of a hit that a rescoring reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredHit {
    pub position: HitPosition,
    pub link: Link,
    pub class: ClickClass,
    pub source: ClickSource,
    pub method: String,
    pub headers: Option<String>,
    pub rules: i64,
}

columns! { HitPosition { message: "message_id", at, id } }

columns! { StoredHit { position: HitPosition, link: Link, class, source, method, headers, rules } }

/// The new class of a hit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HitScore {
    pub position: HitPosition,
    pub class: ClickClass,
    pub rules: i64,
}

/// Up to `limit` hits after a position, in the order of a rescoring.
pub async fn hits_after(tx: &mut Tx<'_>, tenant: TenantId, after: HitPosition, limit: i64) -> Result<Vec<StoredHit>> {
    tx.rows(&HITS_AFTER, params![tenant, after.message, after.at, after.id, limit], read).await
}

/// The links of the position's message that people opened up to the position.
pub async fn human_links_before(tx: &mut Tx<'_>, tenant: TenantId, to: HitPosition) -> Result<Vec<Link>> {
    let link = |row: &Row<'_>| Ok(Link::at_spot(to.message, read(row)?));
    tx.rows(&HUMAN_LINKS_BEFORE, params![tenant, to.message, to.at, to.id, MOST_LINKS], link).await
}

pub async fn update_scores(tx: &mut Tx<'_>, tenant: TenantId, scored: &[HitScore]) -> Result<()> {
    let row = |one: &HitScore| {
        [tenant.into(), one.position.at.into(), one.position.id.into(), one.class.name().into(), one.rules.into()]
    };
    tx.execute_many(&UPDATE_SCORE, scored.iter().map(row)).await.map(drop)
}

/// How many hits a tenant has. May take long.
pub async fn count_hits(db: &Db, tenant: TenantId) -> Result<i64> {
    Ok(db.long_row(&COUNT, params![tenant], read).await?.unwrap_or(0))
}

/// Erases what identifies the person in the hits of a conversation. Must run before its messages are erased.
pub async fn erase_person(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<()> {
    let _: Vec<MessageId> = tx.rows(&LOCK_MESSAGES, params![tenant, conversation], read).await?;
    tx.execute(&ERASE_PERSON, params![tenant, conversation]).await.map(drop)
}

/// The stored progress of an interrupted rescoring, as JSON of `app::messaging::clicks`.
pub async fn progress(db: &Db, tenant: TenantId) -> Result<Option<String>> {
    db.row(&PROGRESS, params![tenant, PROGRESS_NAME], read).await
}

/// None removes the progress: the rescoring is complete.
pub async fn set_progress(tx: &mut Tx<'_>, tenant: TenantId, progress: Option<&str>) -> Result<()> {
    match progress {
        Some(progress) => tx.execute(&SET_PROGRESS, params![tenant, PROGRESS_NAME, progress]).await.map(drop),
        None => tx.execute(&END_PROGRESS, params![tenant, PROGRESS_NAME]).await.map(drop),
    }
}
