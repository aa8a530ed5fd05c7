//! Hits in the order of their messages: for scoring them again, stretch by stretch.

use domain::clicks::{Class, Link, Source};
use domain::{ClickId, ConversationId, Id, MessageId, TenantId, Timestamp};

use crate::columns::{columns, select};
use crate::{Db, Result, Row, Statement, Tx, params, read};

static STRETCH: Statement = Statement::new(
    "clicks.stretch",
    select!(
        Kept,
        " FROM clicks {indexed_by clicks_message}
         WHERE tenant_id = $1 AND (message_id, at, id) > ($2, $3, $4) ORDER BY message_id, at, id LIMIT $5"
    ),
);
static PEOPLE: Statement = Statement::new(
    "clicks.people",
    "SELECT spot FROM clicks {indexed_by clicks_message}
     WHERE tenant_id = $1 AND message_id = $2 AND (at, id) <= ($3, $4) AND class = 'human' LIMIT $5",
);
static SCORE: Statement = Statement::new(
    "clicks.score",
    "UPDATE clicks SET class = $4, rules = $5 WHERE tenant_id = $1 AND at = $2 AND id = $3",
);
static COUNT: Statement = Statement::new("clicks.count", "SELECT COUNT(*) FROM clicks WHERE tenant_id = $1");
/// Who somebody was goes, that a link was opened stays.
static ERASE: Statement = Statement::new(
    "clicks.erase",
    "UPDATE clicks SET address = NULL, headers = NULL WHERE tenant_id = $1 AND headers IS NOT NULL AND message_id IN (
         SELECT m.id FROM messages m WHERE m.tenant_id = $1 AND m.conversation_id = $2)",
);

static PROGRESS: Statement =
    Statement::new("clicks.progress", "SELECT value FROM installation WHERE tenant_id = $1 AND name = $2");
static SET_PROGRESS: Statement = Statement::new(
    "clicks.set_progress",
    "INSERT INTO installation (tenant_id, name, value) VALUES ($1, $2, $3)
     ON CONFLICT (tenant_id, name) DO UPDATE SET value = excluded.value",
);
static END_PROGRESS: Statement =
    Statement::new("clicks.end_progress", "DELETE FROM installation WHERE tenant_id = $1 AND name = $2");

pub(super) static STATEMENTS: [&Statement; 8] =
    [&STRETCH, &PEOPLE, &SCORE, &COUNT, &ERASE, &PROGRESS, &SET_PROGRESS, &END_PROGRESS];

/// Under which name it stands how far a tenant's hits are scored again.
const SCORED: &str = "clicks_rescored";

/// Links of a message: more than its cards and buttons can be.
const LINKS: i64 = 1000;

/// Where a hit stands among all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub message: MessageId,
    pub at: Timestamp,
    pub id: ClickId,
}

impl Place {
    /// Before all.
    pub const START: Self =
        Self { message: Id::from_bytes([0; 12]), at: Timestamp::from_micros(i64::MIN), id: Id::from_bytes([0; 12]) };
}

/// A hit, as far as scoring it again needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    pub place: Place,
    pub link: Link,
    pub class: Class,
    pub source: Source,
    pub method: String,
    pub headers: Option<String>,
    pub rules: i64,
}

columns! { Place { message: "message_id", at, id } }

columns! { Kept { place: Place, link: Link, class, source, method, headers, rules } }

/// A hit and what it is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scored {
    pub place: Place,
    pub class: Class,
    pub rules: i64,
}

/// The next so many behind a place.
pub async fn stretch(tx: &mut Tx<'_>, tenant: TenantId, after: Place, limit: i64) -> Result<Vec<Kept>> {
    tx.rows(&STRETCH, params![tenant, after.message, after.at, after.id, limit], read).await
}

/// The links of a place's message that people opened up to it.
pub async fn people_before(tx: &mut Tx<'_>, tenant: TenantId, to: Place) -> Result<Vec<Link>> {
    let link = |row: &Row<'_>| Ok(Link::at_spot(to.message, read(row)?));
    tx.rows(&PEOPLE, params![tenant, to.message, to.at, to.id, LINKS], link).await
}

pub async fn score(tx: &mut Tx<'_>, tenant: TenantId, scored: &[Scored]) -> Result<()> {
    let row = |one: &Scored| {
        [tenant.into(), one.place.at.into(), one.place.id.into(), one.class.name().into(), one.rules.into()]
    };
    tx.execute_many(&SCORE, scored.iter().map(row)).await.map(drop)
}

/// How many hits there are: as many as all stretches together. May take long.
pub async fn stretches(db: &Db, tenant: TenantId) -> Result<i64> {
    Ok(db.long_row(&COUNT, params![tenant], read).await?.unwrap_or(0))
}

/// What tells of the person in the hits on links of a conversation. Before its messages are erased.
pub async fn erase(tx: &mut Tx<'_>, tenant: TenantId, conversation: ConversationId) -> Result<()> {
    tx.execute(&ERASE, params![tenant, conversation]).await.map(drop)
}

/// How far scoring again came before it was cut off, in the words of whoever did it.
pub async fn progress(db: &Db, tenant: TenantId) -> Result<Option<String>> {
    db.row(&PROGRESS, params![tenant, SCORED], read).await
}

/// None when it is at its end.
pub async fn set_progress(tx: &mut Tx<'_>, tenant: TenantId, progress: Option<&str>) -> Result<()> {
    match progress {
        Some(progress) => tx.execute(&SET_PROGRESS, params![tenant, SCORED, progress]).await.map(drop),
        None => tx.execute(&END_PROGRESS, params![tenant, SCORED]).await.map(drop),
    }
}
