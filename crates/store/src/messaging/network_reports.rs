//! Reports of the network that are no message, status or call: verdicts on templates, payments, clicks, errors, and
//! fields that this version does not know. A report that repeats an earlier one of its channel, kind and content is not
//! stored again.

use const_format::concatcp;
use domain::{ChannelId, MessageId, TenantId, Timestamp};

use crate::base::columns::{insert, record, select};
use crate::{Db, Params, Result, Tx, params, read};

statements! {
    INSERT = concatcp!(
        insert!("network_reports": NetworkReport),
        " ON CONFLICT (tenant_id, channel_id, kind, digest) DO NOTHING"
    );
    ABOUT = select!(
        NetworkReport,
        " FROM network_reports
         WHERE tenant_id = $1 AND kind = $2 AND subject = $3 ORDER BY at, id"
    );
    LATEST = "SELECT MAX(at) FROM network_reports WHERE tenant_id = $1 AND kind = $2 AND subject = $3";
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetworkReport {
    pub id: MessageId,
    pub channel_id: ChannelId,
    /// `template_status`, `payment`, `link_click`, …
    pub kind: String,
    /// The id of a template, the reference of a payment, the BSUID of a person; may be empty.
    pub subject: String,
    /// Hash of the content: a repeated report has the same.
    pub digest: [u8; 32],
    pub at: Timestamp,
    pub received_at: Timestamp,
    /// A body in the network's format that contains only this report.
    pub doc: String,
}

record! { NetworkReport { id, channel_id, kind, subject, digest, at, received_at, doc } }

/// False when the report was stored before.
pub async fn insert(tx: &mut Tx<'_>, tenant: TenantId, new: &NetworkReport) -> Result<bool> {
    Ok(tx.execute(&INSERT, &Params::for_tenant(tenant).and(new)).await? == 1)
}

/// All reports of this kind about a subject, in the order of their times.
pub async fn about(db: &Db, tenant: TenantId, kind: &str, subject: &str) -> Result<Vec<NetworkReport>> {
    db.rows(&ABOUT, params![tenant, kind, subject], read).await
}

/// The time of the latest report of this kind about a subject.
pub async fn latest_in(tx: &mut Tx<'_>, tenant: TenantId, kind: &str, subject: &str) -> Result<Option<Timestamp>> {
    Ok(tx.row(&LATEST, params![tenant, kind, subject], read).await?.flatten())
}
