//! What the network reported that has no table of its own: verdicts on templates, payments, clicks, errors, and whatever
//! nobody knows yet. Each once.

use const_format::concatcp;
use domain::{ChannelId, MessageId, TenantId, Timestamp};

use crate::columns::{insert, record, select};
use crate::{Db, Params, Result, Statement, Tx, params, read};

static INSERT: Statement = Statement::new(
    "reports.insert",
    concatcp!(insert!("network_reports": Report), " ON CONFLICT (tenant_id, channel_id, kind, digest) DO NOTHING"),
);
static ABOUT: Statement = Statement::new(
    "reports.about",
    select!(
        Report,
        " FROM network_reports
         WHERE tenant_id = $1 AND kind = $2 AND subject = $3 ORDER BY at, id"
    ),
);

static LATEST: Statement = Statement::new(
    "reports.latest",
    "SELECT MAX(at) FROM network_reports WHERE tenant_id = $1 AND kind = $2 AND subject = $3",
);

pub(crate) static STATEMENTS: &[&Statement] = &[&INSERT, &ABOUT, &LATEST];

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    pub id: MessageId,
    pub channel_id: ChannelId,
    /// `template_status`, `payment`, `link_click`, …
    pub kind: String,
    /// Whom or what it is about: a template's id, a payment's reference; may be empty.
    pub subject: String,
    /// Of its content: the same report again has the same.
    pub digest: [u8; 32],
    pub at: Timestamp,
    pub received_at: Timestamp,
    /// A whole webhook with this one report.
    pub doc: String,
}

record! { Report { id, channel_id, kind, subject, digest, at, received_at, doc } }

/// False when it was reported before.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &Report) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::of(tenant).and(new)).await? == 1)
}

/// Everything that was said about something, in the order in which the network said it.
pub async fn about(db: &Db, tenant: TenantId, kind: &str, subject: &str) -> Result<Vec<Report>> {
    db.rows(&ABOUT, params![tenant, kind, subject], read).await
}

/// When the network last said something of this kind about somebody.
pub async fn latest_in(tx: &mut Tx<'_>, tenant: TenantId, kind: &str, subject: &str) -> Result<Option<Timestamp>> {
    Ok(tx.row(&LATEST, params![tenant, kind, subject], read).await?.flatten())
}
