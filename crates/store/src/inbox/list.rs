//! The list of conversations, the one with the latest message first. An index gives the order within a status; statuses
//! are merged.

use std::sync::LazyLock;

use domain::TenantId;
use domain::inbox::filter::{AssignedTo, ConversationFilter};
use domain::messaging::conversations::{Conversation, ConversationStatus};

use crate::base::columns::aliased;
use crate::{Db, Param, Result, Statement, read};

/// Reads that skip more rows than this, or that filter by assignee or channel, run as long reads.
const MAX_SHORT_OFFSET: i64 = 1000;

fn shape_of(filter: &ConversationFilter) -> Shape {
    let assignee = filter.assignee.map(|assignee| match assignee {
        AssignedTo::Unassigned => Assigned::Unassigned,
        AssignedTo::Bot => Assigned::Bot,
        AssignedTo::Id(_) => Assigned::Id,
    });
    Shape { one_status: filter.status.is_some(), assignee, one_channel: filter.channel.is_some() }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Assigned {
    Unassigned,
    Bot,
    Id,
}

/// The parts of a filter that decide the text of the statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Shape {
    one_status: bool,
    assignee: Option<Assigned>,
    one_channel: bool,
}

static BY_FILTER: LazyLock<Vec<(Shape, Statement)>> = LazyLock::new(|| {
    let mut all = Vec::new();
    for one_status in [false, true] {
        for assignee in [None, Some(Assigned::Unassigned), Some(Assigned::Bot), Some(Assigned::Id)] {
            for one_channel in [false, true] {
                let shape = Shape { one_status, assignee, one_channel };
                all.push((shape, composed_statement!(BY_FILTER, text(shape))));
            }
        }
    }
    all
});

pub(crate) fn statements() -> Vec<&'static Statement> {
    BY_FILTER.iter().map(|(_, statement)| statement).collect()
}

const LATEST: &str = "ORDER BY last_at DESC, id DESC";

/// The text of a list: `$1` is the tenant, `$2` the limit, `$3` the offset, then come the values of the filter. SQLite
/// merges the branches and stops at the limit; PostgreSQL would sort all rows, so there each branch has its own limit.
fn text(shape: Shape) -> String {
    let mut free = 4;
    let mut bind = || {
        free += 1;
        format!("${}", free - 1)
    };
    let status = shape.one_status.then(&mut bind);
    let assigned = match shape.assignee {
        None => String::new(),
        Some(Assigned::Unassigned) => " AND v.assignee IS NULL".to_owned(),
        Some(Assigned::Bot) => " AND v.assignee = 'bot'".to_owned(),
        Some(Assigned::Id) => format!(" AND v.assignee_id = {}", bind()),
    };
    let over = if shape.one_channel { format!(" AND v.channel_id = {}", bind()) } else { String::new() };
    let index = if shape.assignee == Some(Assigned::Id) { "conversations_assignee" } else { "conversations_last" };
    let branch = |status: &str| {
        format!(
            "SELECT {} FROM conversations v {{indexed_by {index}}} WHERE v.tenant_id = $1 AND v.status = {status}{assigned}{over}",
            aliased!(Conversation as "v")
        )
    };
    let limited = |status: &ConversationStatus| {
        let own = format!("{{postgres  {LATEST} LIMIT CAST($2 AS BIGINT) + CAST($3 AS BIGINT))}}");
        format!("{{postgres (}}{}{own}", branch(&format!("'{status}'")))
    };
    let all = || ConversationStatus::ALL.iter().map(limited).collect::<Vec<_>>().join(" UNION ALL ");
    let branches = status.map_or_else(all, |status| branch(&status));
    format!("{branches} {LATEST} LIMIT $2 OFFSET $3")
}

/// A page of conversations, the one with the latest message first.
pub async fn list(
    db: &Db,
    tenant: TenantId,
    filter: &ConversationFilter,
    limit: i64,
    offset: i64,
) -> Result<Vec<Conversation>> {
    let shape = shape_of(filter);
    let Some((_, statement)) = BY_FILTER.iter().find(|(known, _)| *known == shape) else { return Ok(Vec::new()) };
    let mut params: Vec<Param<'_>> = vec![tenant.into(), limit.into(), offset.into()];
    params.extend(filter.status.map(|status| Param::from(status.name())));
    if let Some(AssignedTo::Id(id)) = filter.assignee {
        params.push(id.into());
    }
    params.extend(filter.channel.map(Param::from));
    let mut page = Vec::new();
    let visit = |row: &crate::Row<'_>| {
        page.push(read(row)?);
        Ok(())
    };
    if offset > MAX_SHORT_OFFSET || filter.assignee.is_some() || filter.channel.is_some() {
        db.long_each(statement, &params, visit).await?;
    } else {
        db.each(statement, &params, visit).await?;
    }
    Ok(page)
}
