//! The list of conversations from a position on, the latest message first.
//!
//! Each way to narrow the list has an index that gives its order, so a batch costs the same however many conversations
//! there are. Everything else that a reader filters by is checked by the caller, batch by batch, within its own limit.

use std::sync::LazyLock;

use domain::messaging::conversations::{Conversation, ConversationStatus};
use domain::{AssigneeId, ChannelId, ConversationId, LabelId, TenantId, Timestamp};

use crate::base::columns::aliased;
use crate::{Db, Param, Result, Statement, read};

/// The index that a list is read from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InboxOrder {
    All,
    Unassigned,
    /// Those with this operator or team.
    Assigned(AssigneeId),
    Channel(ChannelId),
    Label(LabelId),
    /// Those that are snoozed, of all statuses.
    Snoozed,
}

/// The last conversation of a batch; the next batch begins after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InboxPosition {
    pub last_at: Timestamp,
    pub id: ConversationId,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Index {
    Last,
    Unassigned,
    Assignee,
    Channel,
    Label,
    Snoozed,
}

impl InboxOrder {
    const fn index(self) -> Index {
        match self {
            Self::All => Index::Last,
            Self::Unassigned => Index::Unassigned,
            Self::Assigned(_) => Index::Assignee,
            Self::Channel(_) => Index::Channel,
            Self::Label(_) => Index::Label,
            Self::Snoozed => Index::Snoozed,
        }
    }

    fn key(self) -> Option<Param<'static>> {
        match self {
            Self::All | Self::Unassigned | Self::Snoozed => None,
            Self::Assigned(id) => Some(id.into()),
            Self::Channel(id) => Some(id.into()),
            Self::Label(id) => Some(id.into()),
        }
    }
}

impl Index {
    const ALL: [Self; 6] = [Self::Last, Self::Unassigned, Self::Assignee, Self::Channel, Self::Label, Self::Snoozed];

    const fn name(self) -> &'static str {
        match self {
            Self::Last => "conversations_last",
            Self::Unassigned => "conversations_unassigned",
            Self::Assignee => "conversations_assignee",
            Self::Channel => "conversations_channel",
            Self::Label => "conversation_labels_last",
            Self::Snoozed => "conversations_snoozed",
        }
    }

    /// The condition of the index; `$5` is its key where it has one.
    const fn condition(self) -> &'static str {
        match self {
            Self::Last => "",
            Self::Unassigned => " AND v.assignee IS NULL",
            Self::Assignee => " AND v.assignee_id = $5",
            Self::Channel => " AND v.channel_id = $5",
            Self::Label => " AND v.label_id = $5",
            Self::Snoozed => " AND v.snoozed_until IS NOT NULL",
        }
    }

    const fn has_key(self) -> bool {
        matches!(self, Self::Assignee | Self::Channel | Self::Label)
    }
}

static BY_INDEX: LazyLock<Vec<(Index, bool, Statement)>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for index in Index::ALL {
        all.push((index, false, composed_statement!(BY_INDEX, text(index, false))));
        if index != Index::Snoozed {
            all.push((index, true, composed_statement!(BY_INDEX, text(index, true))));
        }
    }
    all
});

pub(crate) fn statements() -> Vec<&'static Statement> {
    BY_INDEX.iter().map(|(_, _, statement)| statement).collect()
}

const LATEST: &str = "ORDER BY last_at DESC, id DESC";

/// The text of a list: `$1` is the tenant, `$2` the limit, `$3` and `$4` the position, then come the key and the
/// status. The index gives the ids; their rows are read by the primary key, and the caller sorts them. SQLite merges
/// the statuses and stops at the limit; PostgreSQL would sort all rows, so there each status has its own limit.
fn text(index: Index, one_status: bool) -> String {
    let (table, id) = match index {
        Index::Label => ("conversation_labels", "v.conversation_id"),
        _ => ("conversations", "v.id"),
    };
    let branch = |status: &str| {
        format!(
            "SELECT {id} AS id, v.last_at AS last_at FROM {table} v {{indexed_by {}}}
             WHERE v.tenant_id = $1{}{status} AND (v.last_at, {id}) < ($3, $4)",
            index.name(),
            index.condition()
        )
    };
    let own_limit = |text: String| format!("{{postgres (}}{text}{{postgres  {LATEST} LIMIT $2)}}");
    let given = if index.has_key() { "$6" } else { "$5" };
    let all = |status: &ConversationStatus| own_limit(branch(&format!(" AND v.status = '{status}'")));
    let branches = if index == Index::Snoozed {
        branch("")
    } else if one_status {
        branch(&format!(" AND v.status = {given}"))
    } else {
        ConversationStatus::ALL.iter().map(all).collect::<Vec<_>>().join(" UNION ALL ")
    };
    format!(
        "SELECT {} FROM ({branches} {LATEST} LIMIT $2) p {{sqlite CROSS}} JOIN conversations c
         ON c.tenant_id = $1 AND c.id = p.id",
        aliased!(Conversation as "c")
    )
}

fn prepared(
    tenant: TenantId,
    order: InboxOrder,
    status: Option<ConversationStatus>,
    after: Option<InboxPosition>,
    limit: i64,
) -> (Option<&'static Statement>, Vec<Param<'static>>) {
    // Greater than every id.
    const ABOVE: &[u8] = &[0xff; 13];
    let one_status = status.is_some() && order != InboxOrder::Snoozed;
    let known = |(index, by_status, _): &&(Index, bool, Statement)| *index == order.index() && *by_status == one_status;
    let statement = BY_INDEX.iter().find(known).map(|(_, _, statement)| statement);
    let (last_at, id) = match after {
        Some(InboxPosition { last_at, id }) => (Param::from(last_at), Param::from(id)),
        None => (Param::Int(i64::MAX), Param::Bytes(ABOVE)),
    };
    let mut params = vec![tenant.into(), limit.into(), last_at, id];
    params.extend(order.key());
    params.extend(status.filter(|_| one_status).map(|status| Param::from(status.name())));
    (statement, params)
}

/// At most `limit` conversations after the position, the latest message first. With `Snoozed`, `status` is ignored: the
/// caller filters by it.
pub async fn inbox(
    db: &Db,
    tenant: TenantId,
    order: InboxOrder,
    status: Option<ConversationStatus>,
    after: Option<InboxPosition>,
    limit: i64,
) -> Result<Vec<Conversation>> {
    let (Some(statement), params) = prepared(tenant, order, status, after, limit) else { return Ok(Vec::new()) };
    let mut page: Vec<Conversation> = db.rows(statement, &params, read).await?;
    page.sort_unstable_by_key(|one| std::cmp::Reverse((one.last_at, one.id)));
    Ok(page)
}

/// The engine's plan for a list, for tests.
pub async fn inbox_explain(
    db: &Db,
    tenant: TenantId,
    order: InboxOrder,
    status: Option<ConversationStatus>,
    after: Option<InboxPosition>,
) -> Result<Vec<String>> {
    let (Some(statement), params) = prepared(tenant, order, status, after, 20) else { return Ok(Vec::new()) };
    db.explain(statement, &params).await
}
