//! Pages of hits, newest first: all, those of a template, or those of a message.

use domain::messaging::clicks::{ClickClass, ClickFilter, ClickSource, Link};
use domain::{BroadcastId, ClickId, ContactId, TemplateId, TenantId, Timestamp};

use crate::base::columns::{columns, select};
use crate::{Db, Param, Result, read};

macro_rules! page {
    ($index:literal, $which:literal) => {
        select!(
            ListedHit,
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

statements! {
    ALL = page!("", "");
    OF_TEMPLATE = page!("{indexed_by clicks_template}", " AND h.template_id = $6");
    OF_MESSAGE = page!("{indexed_by clicks_message}", " AND h.message_id = $6");
}

/// A hit with columns of its message and contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedHit {
    pub id: ClickId,
    pub at: Timestamp,
    pub link: Link,
    pub template_id: TemplateId,
    pub class: ClickClass,
    pub source: ClickSource,
    pub method: String,
    pub address: Option<String>,
    pub headers: Option<String>,
    pub contact_id: Option<ContactId>,
    pub local_id: Option<String>,
    pub broadcast_id: Option<BroadcastId>,
    pub bsuid: Option<String>,
    pub contact_name: Option<String>,
    pub username: Option<String>,
    pub phone: Option<String>,
}

columns! {
    ListedHit {
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
        contact_name: "c.name",
        username: "c.username",
        phone: "c.phone",
    }
}

/// Up to `limit` hits that are older than the filter's position.
pub async fn page(db: &Db, tenant: TenantId, filter: &ClickFilter, limit: i64) -> Result<Vec<ListedHit>> {
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
