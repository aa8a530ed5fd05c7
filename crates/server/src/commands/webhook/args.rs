//! The argument that names a webhook.

use clap::Args;
use domain::{TenantId, WebhookId};

#[derive(Debug, Args)]
pub struct WebhookArg {
    /// The webhook's id, as shown by `webhook list`.
    #[arg(value_name = "WEBHOOK_ID")]
    pub id: WebhookId,
    /// The tenant's id.
    #[arg(long, value_name = "ID")]
    pub tenant: TenantId,
}
