//! Conversations: one row for each contact and channel.

mod list;
mod onward;

pub use list::{AssignedTo, Filter, list};
pub use onward::{erase, erase_loose, give};

use domain::conversations::{Assignee, Conversation};
use domain::{ChannelId, ContactId, ConversationId, MediaId, TenantId, Timestamp};

use crate::{Db, Error, Param, Result, Row, Statement, Tx, params};

macro_rules! columns {
    () => {
        "v.id, v.channel_id, v.contact_id, v.status, v.ticket_id, v.assignee, v.assignee_id, v.assignee_email,
         v.assignee_name, v.version, v.window_until, v.last_at, v.last_text, v.opened_at, v.created_at, v.updated_at"
    };
}
use columns;

static INSERT: Statement = Statement::new(
    "conversations.insert",
    "INSERT INTO conversations (tenant_id, id, channel_id, contact_id, status, ticket_id, assignee, assignee_id,
         assignee_email, assignee_name, version, window_until, last_at, last_text, opened_at, created_at, updated_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     ON CONFLICT DO NOTHING",
);
static UPDATE: Statement = Statement::new(
    "conversations.update",
    "UPDATE conversations SET channel_id = $3, contact_id = $4, status = $5, ticket_id = $6, assignee = $7,
         assignee_id = $8, assignee_email = $9, assignee_name = $10, version = $11, window_until = $12, last_at = $13,
         last_text = $14, opened_at = $15, created_at = $16, updated_at = $17
     WHERE tenant_id = $1 AND id = $2",
);
/// Something was sent to many: each conversation shows it as its last, and nothing else changes.
static TOUCH: Statement = Statement::new(
    "conversations.touch",
    "UPDATE conversations SET last_at = $3, last_text = $4, updated_at = $3 WHERE tenant_id = $1 AND id = $2 AND last_at <= $3",
);
static REMOVE: Statement =
    Statement::new("conversations.remove", "DELETE FROM conversations WHERE tenant_id = $1 AND id = $2");
static BY_ID: Statement = Statement::new(
    "conversations.by_id",
    concat!("SELECT ", columns!(), " FROM conversations v WHERE v.tenant_id = $1 AND v.id = $2"),
);
static HELD: Statement = Statement::new(
    "conversations.held",
    concat!("SELECT ", columns!(), " FROM conversations v WHERE v.tenant_id = $1 AND v.id = $2 {for_update}"),
);
static WITH: Statement = Statement::new(
    "conversations.with",
    concat!(
        "SELECT ",
        columns!(),
        " FROM conversations v WHERE v.tenant_id = $1 AND v.contact_id = $2 AND v.channel_id = $3 {for_update}"
    ),
);
static OF_CONTACT: Statement = Statement::new(
    "conversations.of_contact",
    concat!("SELECT ", columns!(), " FROM conversations v WHERE v.tenant_id = $1 AND v.contact_id = $2"),
);
static OF_CONTACT_HELD: Statement = Statement::new(
    "conversations.of_contact_held",
    concat!("SELECT ", columns!(), " FROM conversations v WHERE v.tenant_id = $1 AND v.contact_id = $2 {for_update}"),
);
/// Those of many contacts over all channels.
static OF_ANY: Statement = Statement::new(
    "conversations.of_any",
    concat!(
        "SELECT ",
        columns!(),
        " FROM {sqlite json_each($2) listed CROSS JOIN conversations v
             ON v.tenant_id = $1 AND v.contact_id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN conversations v ON v.tenant_id = $1 AND v.contact_id = decode(listed.value, 'hex')}"
    ),
);
/// Under which names the files of messages are asked for.
static FILE_NAMES: Statement = Statement::new(
    "conversations.file_names",
    "SELECT f.id, f.file_name
     FROM {sqlite json_each($2) listed CROSS JOIN media f ON f.tenant_id = $1 AND f.id = unhex(listed.value)}
     {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
         JOIN media f ON f.tenant_id = $1 AND f.id = decode(listed.value, 'hex')}",
);
static OF_CONTACTS: Statement = Statement::new(
    "conversations.of_contacts",
    concat!(
        "SELECT ",
        columns!(),
        " FROM {sqlite json_each($3) listed CROSS JOIN conversations v
             ON v.tenant_id = $1 AND v.contact_id = unhex(listed.value) AND v.channel_id = $2}
         {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value)
             JOIN conversations v ON v.tenant_id = $1 AND v.contact_id = decode(listed.value, 'hex') AND v.channel_id = $2
             FOR UPDATE OF v}"
    ),
);

static STATEMENTS: &[&Statement] = &[
    &INSERT,
    &UPDATE,
    &TOUCH,
    &REMOVE,
    &BY_ID,
    &HELD,
    &WITH,
    &OF_CONTACT,
    &OF_CONTACT_HELD,
    &OF_CONTACTS,
    &OF_ANY,
    &FILE_NAMES,
];

pub(crate) fn statements() -> Vec<&'static Statement> {
    STATEMENTS.iter().chain(onward::STATEMENTS).copied().chain(list::composed()).collect()
}

pub(crate) fn conversation(row: &Row<'_>) -> Result<Conversation> {
    Ok(Conversation {
        id: row.id(0)?,
        channel_id: row.id(1)?,
        contact_id: row.id(2)?,
        status: row.text(3)?.parse().map_err(|()| Error::Column(3))?,
        ticket_id: row.id(4)?,
        assignee: assignee(row)?,
        version: row.int(9)?,
        window_until: row.time(10)?,
        last_at: row.time(11)?,
        last_text: row.opt_string(12)?,
        opened_at: row.time(13)?,
        created_at: row.time(14)?,
        updated_at: row.time(15)?,
    })
}

fn assignee(row: &Row<'_>) -> Result<Option<Assignee>> {
    let name = || row.opt_string(8).map(Option::unwrap_or_default);
    Ok(match row.opt_text(5)? {
        None => None,
        Some("bot") => Some(Assignee::Bot),
        Some("operator") => Some(Assignee::Operator { id: row.id(6)?, email: row.string(7)?, name: name()? }),
        Some("team") => Some(Assignee::Team { id: row.id(6)?, name: name()? }),
        Some(_) => return Err(Error::Column(5)),
    })
}

fn bind(tenant: TenantId, one: &Conversation) -> [Param<'_>; 17] {
    let (kind, id, email, name) = match &one.assignee {
        None => (Param::Null, Param::Null, Param::Null, Param::Null),
        Some(Assignee::Bot) => ("bot".into(), Param::Null, Param::Null, Param::Null),
        Some(Assignee::Operator { id, email, name }) => ("operator".into(), (*id).into(), email.into(), name.into()),
        Some(Assignee::Team { id, name }) => ("team".into(), (*id).into(), Param::Null, name.into()),
    };
    [
        tenant.into(),
        one.id.into(),
        one.channel_id.into(),
        one.contact_id.into(),
        one.status.name().into(),
        one.ticket_id.into(),
        kind,
        id,
        email,
        name,
        one.version.into(),
        one.window_until.into(),
        one.last_at.into(),
        (&one.last_text).into(),
        one.opened_at.into(),
        one.created_at.into(),
        one.updated_at.into(),
    ]
}

/// Where another transaction has just made one with the same contact and channel, the body runs again and finds it.
pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, new: &[Conversation]) -> Result<()> {
    let made = tx.execute_many(&INSERT, new.iter().map(|one| bind(tenant, one))).await?;
    if made == u64::try_from(new.len()).unwrap_or(0) {
        return Ok(());
    }
    Err(Error::TryAgain("a conversation has just been opened with the same contact".to_owned()))
}

pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Conversation) -> Result<()> {
    tx.execute(&UPDATE, &bind(tenant, changed)).await.map(drop)
}

/// Shows these conversations what was last sent.
pub async fn touch(tx: &mut Tx<'_>, tenant: TenantId, last: &[(ConversationId, Timestamp, String)]) -> Result<()> {
    let rows = last.iter().map(|(id, at, text)| [tenant.into(), (*id).into(), (*at).into(), Param::from(text)]);
    tx.execute_many(&TOUCH, rows).await.map(drop)
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: ConversationId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await.map(drop)
}

pub async fn by_id(db: &Db, tenant: TenantId, id: ConversationId) -> Result<Option<Conversation>> {
    db.row(&BY_ID, params![tenant, id], conversation).await
}

/// Held until the transaction ends.
pub async fn held(tx: &mut Tx<'_>, tenant: TenantId, id: ConversationId) -> Result<Option<Conversation>> {
    tx.row(&HELD, params![tenant, id], conversation).await
}

/// Held until the transaction ends.
pub async fn with(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    contact: ContactId,
    channel: ChannelId,
) -> Result<Option<Conversation>> {
    tx.row(&WITH, params![tenant, contact, channel], conversation).await
}

/// On all channels, the latest first.
pub async fn of_contact(db: &Db, tenant: TenantId, contact: ContactId) -> Result<Vec<Conversation>> {
    Ok(latest_first(db.rows(&OF_CONTACT, params![tenant, contact], conversation).await?))
}

pub async fn of_contact_in(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<Conversation>> {
    Ok(latest_first(tx.rows(&OF_CONTACT, params![tenant, contact], conversation).await?))
}

/// Held until the transaction ends.
pub async fn of_contact_held(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<Conversation>> {
    Ok(latest_first(tx.rows(&OF_CONTACT_HELD, params![tenant, contact], conversation).await?))
}

/// Of many contacts, on all channels, the latest first.
pub async fn of_any(db: &Db, tenant: TenantId, contacts: &[ContactId]) -> Result<Vec<Conversation>> {
    let listed = super::listed(contacts);
    Ok(latest_first(db.rows(&OF_ANY, params![tenant, &listed], conversation).await?))
}

/// There is one for each channel, so there are few: no index is kept in this order.
fn latest_first(mut all: Vec<Conversation>) -> Vec<Conversation> {
    all.sort_unstable_by_key(|one| std::cmp::Reverse((one.last_at, one.id)));
    all
}

/// The names of these files, as far as they are there.
pub async fn file_names(db: &Db, tenant: TenantId, files: &[MediaId]) -> Result<Vec<(MediaId, String)>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    let read = |row: &Row<'_>| Ok((row.id(0)?, row.string(1)?));
    db.rows(&FILE_NAMES, params![tenant, &super::listed(files)], read).await
}

/// Those of many contacts over one channel, held until the transaction ends.
pub async fn of_contacts(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    contacts: &[ContactId],
) -> Result<Vec<Conversation>> {
    let listed = super::listed(contacts);
    tx.rows(&OF_CONTACTS, params![tenant, channel, &listed], conversation).await
}
