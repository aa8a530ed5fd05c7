//! Pages of hits, the newest first: all, those of a template, or those of a message.

use domain::clicks::{Class, Link, Source};
use domain::{BroadcastId, ClickId, ContactId, MessageId, TemplateId, TenantId, Timestamp};

use crate::columns::{columns, select};
use crate::{Db, Param, Result, Statement, read};

macro_rules! page {
    ($index:literal, $which:literal) => {
        select!(
            Listed,
            " FROM clicks h ",
            $index,
            " LEFT JOIN messages m ON m.tenant_id = $1 AND m.id = h.message_id
                 LEFT JOIN contacts c ON c.tenant_id = $1 AND c.id = m.contact_id
             WHERE h.tenant_id = $1 AND h.at >= $2 AND (h.at, h.id) < ($3, $4)",
            $which,
            " ORDER BY h.at DESC, h.id DESC LIMIT $5"
        )
    };
}

static ALL: Statement = Statement::new("clicks.page", page!("", ""));
static OF_TEMPLATE: Statement =
    Statement::new("clicks.page_of_template", page!("{indexed_by clicks_template}", " AND h.template_id = $6"));
static OF_MESSAGE: Statement =
    Statement::new("clicks.page_of_message", page!("{indexed_by clicks_message}", " AND h.message_id = $6"));

pub(super) static STATEMENTS: [&Statement; 3] = [&ALL, &OF_TEMPLATE, &OF_MESSAGE];

#[derive(Debug, Clone, Copy)]
pub struct Filter {
    pub from: Timestamp,
    /// Only hits that come after this place in the list's order.
    pub before: (Timestamp, ClickId),
    pub template: Option<TemplateId>,
    pub message: Option<MessageId>,
}

/// A hit with what its message tells of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    pub id: ClickId,
    pub at: Timestamp,
    pub link: Link,
    pub template_id: TemplateId,
    pub class: Class,
    pub source: Source,
    pub method: String,
    pub address: Option<String>,
    pub headers: Option<String>,
    pub contact_id: Option<ContactId>,
    pub local_id: Option<String>,
    pub broadcast_id: Option<BroadcastId>,
    pub bsuid: Option<String>,
}

columns! {
    Listed {
        id: "h.id",
        at: "h.at",
        link: "h.message_id, h.spot",
        template_id: "h.template_id",
        class: "h.class",
        source: "h.source",
        method: "h.method",
        address: "h.address",
        headers: "h.headers",
        contact_id: "m.contact_id",
        local_id: "m.local_id",
        broadcast_id: "m.broadcast_id",
        bsuid: "c.bsuid",
    }
}

/// The next so many.
pub async fn page(db: &Db, tenant: TenantId, filter: &Filter, limit: i64) -> Result<Vec<Listed>> {
    let (at, id) = filter.before;
    let mut params: Vec<Param<'_>> = vec![tenant.into(), filter.from.into(), at.into(), id.into(), limit.into()];
    let statement = match (filter.message, filter.template) {
        (Some(message), _) => {
            params.push(message.into());
            &OF_MESSAGE
        }
        (None, Some(template)) => {
            params.push(template.into());
            &OF_TEMPLATE
        }
        (None, None) => &ALL,
    };
    db.rows(statement, &params, read).await
}
