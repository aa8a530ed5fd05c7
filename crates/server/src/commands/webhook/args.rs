//! The argument that names a webhook.

use clap::Args;
use domain::WebhookId;

use crate::commands::tenant_arg::TenantArg;

#[derive(Debug, Args)]
pub struct WebhookArg {
    /// The webhook's id, as shown by `webhook list`.
    #[arg(value_name = "WEBHOOK_ID")]
    pub id: WebhookId,
    #[command(flatten)]
    pub tenant: TenantArg,
}
