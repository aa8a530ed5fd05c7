//! The actor of a change, for the audit log.

use domain::identity::audit::AuditEntry;
use domain::{Id, TenantId, Timestamp};
use store::Tx;

#[derive(Debug, Clone)]
pub struct Actor {
    who: String,
    address: Option<String>,
    request_id: Option<String>,
}

#[boxed::futures]
impl Actor {
    /// The actor of commands that run on the server's machine.
    pub(crate) fn command() -> Self {
        Self { who: "command".to_owned(), address: None, request_id: None }
    }

    /// Switchboard itself, for changes that neither a user nor a command asked for, such as an alert.
    pub(crate) fn system() -> Self {
        Self { who: "system".to_owned(), address: None, request_id: None }
    }

    pub(crate) fn new(who: String, address: Option<String>, request_id: Option<String>) -> Self {
        Self { who, address, request_id }
    }

    pub(crate) fn who(&self) -> &str {
        &self.who
    }

    /// Appends an entry to the audit log, in the transaction of the change. `details` must not hold a secret.
    pub async fn record(
        &self,
        tx: &mut Tx<'_>,
        tenant: TenantId,
        now: Timestamp,
        action: &str,
        subject: &str,
        details: serde_json::Value,
    ) -> store::Result<()> {
        let entry = AuditEntry {
            id: Id::new(now),
            at: now.to_millis(),
            actor: self.who.clone(),
            action: action.to_owned(),
            subject: subject.to_owned(),
            details: details.to_string(),
            address: self.address.clone(),
            request_id: self.request_id.clone(),
        };
        store::identity::audit::append(tx, tenant, &entry).await
    }
}
