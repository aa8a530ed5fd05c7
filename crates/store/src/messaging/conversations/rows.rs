//! The rows of conversations.

use const_format::concatcp;
use domain::messaging::conversations::{Assignee, Conversation};
use domain::{ChannelId, ContactId, ConversationId, MediaId, TenantId, Timestamp};

use super::labels;
use crate::base::columns::{Bind, Columns, Params, insert, listed, record, select, update};
use crate::{Db, Error, FromRow, Param, Result, Row, Tx, params, read};

statements! {
    /// Citus counts the skipped rows of an insert over arrays too, unless it returns the inserted ones.
    INSERT = concatcp!(insert!("conversations": Conversation), " ON CONFLICT DO NOTHING{postgres  RETURNING id}");
    UPDATE = update!("conversations": Conversation);
    /// After a broadcast: sets time and text of the last message of a conversation, unless it has a later one. Status,
    /// assignee, window and version stay.
    TOUCH = "UPDATE conversations SET last_at = $3, last_text = $4, updated_at = $3
        WHERE tenant_id = $1 AND id = $2 AND last_at <= $3";
    pub(super) REMOVE = "DELETE FROM conversations WHERE tenant_id = $1 AND id = $2";
    CONTACTS_OF = "SELECT v.id, v.contact_id FROM {sqlite json_each($2) listed CROSS JOIN conversations v}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value) JOIN conversations v}
        ON v.tenant_id = $1 AND v.id = {sqlite unhex(listed.value)}{postgres decode(listed.value, 'hex')}";
    BY_ID = select!(Conversation as "v", " FROM conversations v WHERE v.tenant_id = $1 AND v.id = $2");
    FOR_UPDATE =
        select!(Conversation as "v", " FROM conversations v WHERE v.tenant_id = $1 AND v.id = $2 {for_update}");
    WITH_CONTACT_FOR_UPDATE = select!(Conversation as "v",
        " FROM conversations v WHERE v.tenant_id = $1 AND v.contact_id = $2 AND v.channel_id = $3 {for_update}"
    );
    OF_CONTACT = select!(Conversation as "v", " FROM conversations v WHERE v.tenant_id = $1 AND v.contact_id = $2");
    OF_CONTACT_FOR_UPDATE =
        select!(Conversation as "v", " FROM conversations v WHERE v.tenant_id = $1 AND v.contact_id = $2 {for_update}");
    /// Conversations of many contacts over all channels.
    OF_ANY = select!(Conversation as "v",
        " FROM {sqlite json_each($2) listed CROSS JOIN conversations v
             ON v.tenant_id = $1 AND v.contact_id = unhex(listed.value)}
         {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
             JOIN conversations v ON v.tenant_id = $1 AND v.contact_id = decode(listed.value, 'hex')}"
    );
    /// The names of given files.
    FILE_NAMES = "SELECT f.id, f.file_name
        FROM {sqlite json_each($2) listed CROSS JOIN media f ON f.tenant_id = $1 AND f.id = unhex(listed.value)}
        {postgres json_array_elements_text(CAST(CAST($2 AS TEXT) AS JSON)) AS listed(value)
            JOIN media f ON f.tenant_id = $1 AND f.id = decode(listed.value, 'hex')}";
    OF_CONTACTS_FOR_UPDATE = select!(Conversation as "v",
        " FROM {sqlite json_each($3) listed CROSS JOIN conversations v
             ON v.tenant_id = $1 AND v.contact_id = unhex(listed.value) AND v.channel_id = $2}
         {postgres json_array_elements_text(CAST(CAST($3 AS TEXT) AS JSON)) AS listed(value)
             JOIN conversations v ON v.tenant_id = $1 AND v.contact_id = decode(listed.value, 'hex')
                 AND v.channel_id = $2
             FOR UPDATE OF v}"
    );
}

/// The columns of an assignee: its kind, and its id, address and name as far as the kind has them.
impl Columns for Assignee {
    const COLUMNS: &'static str = "assignee, assignee_id, assignee_email, assignee_name";
}

impl<'r> FromRow<'r> for Assignee {
    const WIDTH: usize = 4;

    fn from_row(row: &'r Row<'_>, at: usize) -> Result<Self> {
        let mut columns = row.columns_from(at);
        match columns.take()? {
            "bot" => Ok(Self::Bot),
            "operator" => {
                let (id, email, name): (_, _, Option<String>) = columns.take()?;
                Ok(Self::Operator { id, email, name: name.unwrap_or_default() })
            }
            "team" => {
                let (id, _, name): (_, Option<&str>, Option<String>) = columns.take()?;
                Ok(Self::Team { id, name: name.unwrap_or_default() })
            }
            _ => Err(Error::Column(at)),
        }
    }
}

impl Bind for Assignee {
    fn bind<'a>(&'a self, to: &mut Params<'a>) {
        let params: [Param<'a>; 4] = match self {
            Self::Bot => ["bot".into(), Param::Null, Param::Null, Param::Null],
            Self::Operator { id, email, name } => ["operator".into(), (*id).into(), email.into(), name.into()],
            Self::Team { id, name } => ["team".into(), (*id).into(), Param::Null, name.into()],
        };
        for param in params {
            to.push(param);
        }
    }

    fn bind_null(to: &mut Params<'_>) {
        to.push_nulls(4);
    }
}

record! {
    Conversation {
        id,
        channel_id,
        contact_id,
        status,
        ticket_id,
        assignee: Assignee,
        version,
        window_until,
        last_at,
        last_text,
        opened_at,
        created_at,
        updated_at,
        labels,
        snoozed_until,
        inbound_count,
        inbound_before_ticket,
    }
}

/// Inserts conversations. If a contact has one on the same channel already, this fails with `TryAgain`. After a look-up
/// that found none, the other one is a concurrent transaction's: PostgreSQL runs the body again, which finds it.
pub async fn insert_many(tx: &mut Tx<'_>, tenant: TenantId, new: &[Conversation]) -> Result<()> {
    let made = tx.execute_many(&INSERT, new.iter().map(|one| Params::for_tenant(tenant).and(one))).await?;
    if made == u64::try_from(new.len()).unwrap_or(0) {
        return Ok(());
    }
    Err(Error::TryAgain("a conversation has just been opened with the same contact".to_owned()))
}

/// Updates the row, and status and time in the index of labels. Changed labels need `set_labels` instead.
pub async fn update(tx: &mut Tx<'_>, tenant: TenantId, changed: &Conversation) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed)).await?;
    labels::update(tx, tenant, changed).await
}

/// Writes the conversation with its changed labels, and replaces its entries in the index of labels.
pub async fn set_labels(tx: &mut Tx<'_>, tenant: TenantId, changed: &Conversation) -> Result<()> {
    tx.execute(&UPDATE, &Params::for_tenant(tenant).and(changed)).await?;
    labels::replace(tx, tenant, changed).await
}

/// Updates several conversations, no two with the same id, as `update` does.
pub async fn update_many(tx: &mut Tx<'_>, tenant: TenantId, changed: &[Conversation]) -> Result<()> {
    tx.execute_set(&UPDATE, changed.iter().map(|one| Params::for_tenant(tenant).and(one))).await?;
    for one in changed {
        labels::update(tx, tenant, one).await?;
    }
    Ok(())
}

/// Sets the time and text of the last message of these conversations, unless they have a later one.
pub async fn touch(tx: &mut Tx<'_>, tenant: TenantId, last: &[(ConversationId, Timestamp, String)]) -> Result<()> {
    let rows = last.iter().map(|(id, at, text)| [tenant.into(), (*id).into(), (*at).into(), Param::from(text)]);
    tx.execute_set(&TOUCH, rows).await?;
    labels::touch(tx, tenant, last).await
}

pub async fn remove(tx: &mut Tx<'_>, tenant: TenantId, id: ConversationId) -> Result<()> {
    tx.execute(&REMOVE, params![tenant, id]).await.map(drop)
}

/// Those of these conversations that exist, with their contacts, in any order.
pub async fn contacts_of(
    db: &Db,
    tenant: TenantId,
    ids: &[ConversationId],
) -> Result<Vec<(ConversationId, ContactId)>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    db.rows(&CONTACTS_OF, params![tenant, &listed(ids)], read).await
}

pub async fn by_id(db: &Db, tenant: TenantId, id: ConversationId) -> Result<Option<Conversation>> {
    db.row(&BY_ID, params![tenant, id], read).await
}

/// The conversation with this id, locked until the transaction ends.
pub async fn for_update(tx: &mut Tx<'_>, tenant: TenantId, id: ConversationId) -> Result<Option<Conversation>> {
    tx.row(&FOR_UPDATE, params![tenant, id], read).await
}

/// The conversation with this contact on this channel, locked until the transaction ends.
pub async fn with_contact_for_update(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    contact: ContactId,
    channel: ChannelId,
) -> Result<Option<Conversation>> {
    tx.row(&WITH_CONTACT_FOR_UPDATE, params![tenant, contact, channel], read).await
}

/// The conversations of a contact on all channels, the one with the latest message first.
pub async fn of_contact(db: &Db, tenant: TenantId, contact: ContactId) -> Result<Vec<Conversation>> {
    Ok(latest_first(db.rows(&OF_CONTACT, params![tenant, contact], read).await?))
}

pub async fn of_contact_in(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<Conversation>> {
    Ok(latest_first(tx.rows(&OF_CONTACT, params![tenant, contact], read).await?))
}

/// Like `of_contact_in`, locked until the transaction ends.
pub async fn of_contact_for_update(tx: &mut Tx<'_>, tenant: TenantId, contact: ContactId) -> Result<Vec<Conversation>> {
    Ok(latest_first(tx.rows(&OF_CONTACT_FOR_UPDATE, params![tenant, contact], read).await?))
}

/// The conversations of many contacts on all channels, the one with the latest message first.
pub async fn of_any(db: &Db, tenant: TenantId, contacts: &[ContactId]) -> Result<Vec<Conversation>> {
    let listed = listed(contacts);
    Ok(latest_first(db.rows(&OF_ANY, params![tenant, &listed], read).await?))
}

/// A contact has at most one conversation for each channel: sorting so few here is cheaper than an index.
fn latest_first(mut all: Vec<Conversation>) -> Vec<Conversation> {
    all.sort_unstable_by_key(|one| std::cmp::Reverse((one.last_at, one.id)));
    all
}

/// The names of those files that exist.
pub async fn file_names(db: &Db, tenant: TenantId, files: &[MediaId]) -> Result<Vec<(MediaId, String)>> {
    if files.is_empty() {
        return Ok(Vec::new());
    }
    db.rows(&FILE_NAMES, params![tenant, &listed(files)], read).await
}

/// Conversations of many contacts over one channel, locked until the transaction ends.
pub async fn of_contacts_for_update(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    channel: ChannelId,
    contacts: &[ContactId],
) -> Result<Vec<Conversation>> {
    let listed = listed(contacts);
    tx.rows(&OF_CONTACTS_FOR_UPDATE, params![tenant, channel, &listed], read).await
}
