//! `switchboard account setup-link`.

use app::App;
use clap::Args;
use domain::identity::accounts::Account;
use domain::identity::one_time_links::LinkPurpose;
use domain::identity::roles::Role;
use domain::{Clock, Field, TenantId, Timestamp};
use serde::Serialize;

use crate::bootstrap;
use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;

pub const JSON: &str = "\
With --json: {\"account\": {\"id\", \"email\", …}, \"purpose\" (setup or reset), \"url\", \"expires_at\"}.";

#[derive(Debug, Args)]
pub struct SetupLink {
    #[command(flatten)]
    tenant: TenantArg,
    /// The account's e-mail address or id; optional if the tenant has only one administrator.
    #[arg(value_name = "EMAIL")]
    at: Option<String>,
    /// Same as the EMAIL argument.
    #[arg(long, alias = "account", conflicts_with = "at")]
    email: Option<String>,
}

#[derive(Serialize)]
struct LinkAnswer<'a> {
    account: &'a Account,
    purpose: LinkPurpose,
    url: String,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    expires_at: Timestamp,
}

impl SetupLink {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let settings = context.settings()?;
        let app = bootstrap::open(&settings, Clock::system()).await?.app;
        let tenant = self.tenant.find(&app).await?;
        let who = match self.email.or(self.at) {
            Some(who) => who,
            None => only_administrator(&app, tenant).await?,
        };
        let issued = app.identity().one_time_links().issue(&app::Command(tenant), &who).await?;
        let answer = LinkAnswer {
            account: &issued.account.account,
            purpose: issued.purpose,
            url: issued.code.url(&settings.public_url()),
            expires_at: issued.expires_at,
        };
        context.output.print(&answer, || {
            let what = if issued.purpose == LinkPurpose::Reset { "a new password" } else { "the first password" };
            format!(
                "The owner of {} can set {what} with this link. It works once, until {}:\n\n  {}",
                answer.account.email,
                answer.expires_at.to_rfc3339(),
                answer.url
            )
        })?;
        Ok(())
    }
}

/// Id of the tenant's only active administrator; an error if there are none or several.
async fn only_administrator(app: &App, tenant: TenantId) -> anyhow::Result<String> {
    let mut all = app.identity().accounts().list(&app::Command(tenant)).await?;
    all.retain(|account| account.role == Role::Administrator && account.is_active());
    match all.as_slice() {
        [only] => Ok(only.id.to_string()),
        [] => Err(app::Error::NotFound(app::Thing::Account).into()),
        _ => Err(app::Error::invalid(Field::Email, "the tenant has several administrators: name one").into()),
    }
}
