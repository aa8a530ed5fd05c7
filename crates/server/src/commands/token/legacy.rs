//! `switchboard token legacy`: JWTs for clients that support no other credential.

use app::App;
use clap::{Args, Subcommand};
use domain::{AccountId, JwtId, Timestamp};
use serde::Serialize;

use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;
use crate::output::{self, Table};

const CREATE: &str = "With --json: {\"token\"}.";
const LIST: &str = "\
With --json: an array of {\"id\", \"account\", \"account_id\", \"created_at\", \"expires_at\", \"revoked_at\", \"state\"}; state is active, \
expired, revoked, ended (by a password change or a log-out everywhere), account_disabled, account_removed, or unknown \
for a JWT from an earlier version.";
const REVOKE: &str = "With --json: {\"id\", \"revoked\"}.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a legacy JWT.
    #[command(after_help = CREATE)]
    Create(Create),
    /// List a tenant's legacy JWTs, without their values.
    #[command(after_help = LIST)]
    List(TenantArg),
    /// Revoke a legacy JWT immediately.
    #[command(after_help = REVOKE)]
    Revoke(Revoke),
}

#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    tenant: TenantArg,
    /// The e-mail address or id of the account that the JWT acts for.
    #[arg(long, value_name = "EMAIL")]
    account: String,
}

#[derive(Debug, Args)]
pub struct Revoke {
    #[command(flatten)]
    tenant: TenantArg,
    /// The JWT's id, as shown by `token legacy list`.
    #[arg(value_name = "JWT_ID")]
    id: JwtId,
}

impl Command {
    pub async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        match self {
            Self::Create(command) => command.run(context, app).await,
            Self::List(tenant) => list(context, app, &tenant).await,
            Self::Revoke(Revoke { tenant, id }) => {
                app.identity().tokens().revoke_legacy(&tenant.caller(app).await?, id).await?;
                let result = serde_json::json!({"id": id, "revoked": true});
                Ok(context.output.print(&result, || format!("legacy JWT {id} revoked"))?)
            }
        }
    }
}

impl Create {
    async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let me = self.tenant.caller(app).await?;
        let token = app.identity().tokens().legacy(&me, &self.account).await?;
        let result = serde_json::json!({ "token": token });
        // The note goes to standard error, so that a shell can use the value directly.
        output::print_notice("The value is shown only once and is not stored: save it now.");
        context.output.print(&result, || token.clone())?;
        Ok(())
    }
}

/// A legacy JWT of the list.
#[derive(Serialize)]
struct LegacyEntry<'a> {
    id: JwtId,
    account: &'a str,
    account_id: AccountId,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339")]
    expires_at: Option<Timestamp>,
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339")]
    revoked_at: Option<Timestamp>,
    state: &'static str,
}

async fn list(context: &Context, app: &App, tenant: &TenantArg) -> anyhow::Result<()> {
    let all = app.identity().tokens().list_legacy(&tenant.caller(app).await?).await?;
    let shown: Vec<_> = all
        .iter()
        .map(|jwt| LegacyEntry {
            id: jwt.id,
            account: &jwt.account,
            account_id: jwt.account_id,
            created_at: jwt.created_at,
            expires_at: jwt.expires_at,
            revoked_at: jwt.revoked_at,
            state: jwt.state,
        })
        .collect();
    context.output.print(&shown, || {
        let mut table = Table::new(&["id", "account", "created", "expires", "state"]);
        for jwt in &all {
            let expires = jwt.expires_at.map_or_else(|| "never".to_owned(), Timestamp::to_rfc3339);
            let cells = [jwt.id.to_string(), jwt.account.clone(), jwt.created_at.to_rfc3339(), expires];
            table.row(cells.into_iter().chain([jwt.state.to_owned()]));
        }
        table.to_text()
    })?;
    Ok(())
}
