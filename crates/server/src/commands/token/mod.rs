//! `switchboard token`.

mod legacy;
mod list;

use app::App;
use app::identity::tokens::{DEFAULT_OVERLAP_SECONDS, NewToken};
use clap::{Args, Subcommand};
use domain::identity::networks::Networks;
use domain::identity::scopes::ScopeSet;
use domain::identity::tokens::{FreshToken, Token};
use domain::{Id, Timestamp, TokenId};
use serde::Serialize;

use super::tenant_arg::TenantArg;
use super::values::Expiry;
use super::{Context, values};

const CREATE: &str = "\
With --json: {\"id\", \"token\", \"scopes\", \"expires_at\"}; expires_at is null if the token never expires.

Example:
  switchboard token create --tenant 100138 --account admin@example.com --name ci \\
      --scope callsv3:read,contacts:read --expires 2027-05-01 --network 203.0.113.0/24";
const RENEW: &str = "\
With --json: {\"id\", \"token\", \"scopes\", \"expires_at\", \"replaces\"}; replaces is the \
old token's {\"id\", \"expires_at\"}.";
const LIST: &str = "\
With --json: an array of {\"id\", \"name\", \"account\", \"account_id\", \"scopes\", \"networks\", \"rate_limit\", \"created_at\",
\"expires_at\", \"revoked_at\", \"last_used_at\", \"last_used_address\", \"rotation_due\", \"state\"}; state is active, expired,
revoked, password_changed, account_disabled, account_removed or role_denied.";
const REVOKE: &str = "With --json: {\"id\", \"name\", \"revoked_at\"}.";
const SHOW: &str = "With --json: the token, as in `switchboard token list`.";

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create an API token; its value is shown only once.
    #[command(after_help = CREATE)]
    Create(Create),
    /// List a tenant's tokens, without their values.
    #[command(after_help = LIST)]
    List(TenantArg),
    /// Show one token, without its value.
    #[command(after_help = SHOW)]
    Show(TokenArg),
    /// Replace a token with a new one of the same name, scopes and networks; the old one stays valid for a while.
    #[command(after_help = RENEW)]
    Renew(Renew),
    /// Revoke a token immediately.
    #[command(after_help = REVOKE)]
    Revoke(TokenArg),
    /// Create, list and revoke legacy JWTs, for clients that support no other credential.
    #[command(subcommand)]
    Legacy(legacy::Command),
}

#[derive(Debug, Args)]
pub struct Create {
    #[command(flatten)]
    tenant: TenantArg,
    /// The e-mail address or id of the account that owns the token: an ADMINISTRATOR or a DEVELOPER.
    #[arg(long, value_name = "EMAIL")]
    account: String,
    /// What the token is for.
    #[arg(long)]
    name: String,
    /// What the token may do; repeatable or comma-separated. `contactsv3:*` means every action in that area.
    #[arg(long, required = true, value_delimiter = ',', value_parser = values::scope)]
    scope: Vec<ScopeSet>,
    /// When the token expires: a date (its last instant, UTC) or an RFC 3339 time. Default: never.
    #[arg(long, value_name = "DATE", value_parser = values::expiry)]
    expires: Option<Timestamp>,
    /// An address or range from which the token may be used; repeatable or comma-separated. Default: any.
    #[arg(long, value_name = "CIDR", value_delimiter = ',', value_parser = values::network)]
    network: Vec<String>,
    /// Maximum number of calls per 10 seconds; takes effect only if lower than the tenant's limit.
    #[arg(long, value_name = "CALLS", value_parser = clap::value_parser!(i64).range(1..))]
    rate_limit: Option<i64>,
}

#[derive(Debug, Args)]
pub struct Renew {
    #[command(flatten)]
    token: TokenArg,
    /// How long the old token stays valid, such as 90s, 30m, 24h or 7d; default: 24h.
    #[arg(long, value_name = "TIME", value_parser = values::seconds)]
    overlap: Option<i64>,
    /// When the new token expires: a date (its last instant, UTC), an RFC 3339 time or `never`. Default: after the
    /// lifetime that the old token was created with.
    #[arg(long, value_name = "DATE", value_parser = values::expiry_or_never)]
    expires: Option<Expiry>,
}

#[derive(Debug, Args)]
pub struct TokenArg {
    #[command(flatten)]
    tenant: TenantArg,
    #[command(flatten)]
    token: TokenIdArg,
}

/// A token's id, as an argument or with a flag.
#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct TokenIdArg {
    /// The token's id, as shown by `token list`.
    #[arg(value_name = "TOKEN_ID")]
    at: Option<TokenId>,
    /// Same as the TOKEN_ID argument.
    #[arg(long, value_name = "TOKEN_ID")]
    id: Option<TokenId>,
}

impl TokenArg {
    fn id(&self) -> TokenId {
        self.token.id.or(self.token.at).unwrap_or(Id::from_bytes([0; 12]))
    }
}

impl Command {
    pub async fn run(self, context: &Context) -> anyhow::Result<()> {
        let app = context.app().await?;
        match self {
            Self::Create(command) => command.run(context, &app).await,
            Self::List(tenant) => list::run(context, &app, &tenant).await,
            Self::Show(which) => list::show(context, &app, &which.tenant, which.id()).await,
            Self::Renew(command) => command.run(context, &app).await,
            Self::Revoke(which) => revoke(context, &app, &which).await,
            Self::Legacy(command) => command.run(context, &app).await,
        }
    }
}

/// A new token with its value: the JSON of `create`.
#[derive(Serialize)]
struct CreatedToken<'a> {
    id: TokenId,
    token: &'a str,
    scopes: ScopeSet,
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339")]
    expires_at: Option<Timestamp>,
}

#[derive(Serialize)]
struct RenewedToken<'a> {
    #[serde(flatten)]
    fresh: CreatedToken<'a>,
    replaces: ReplacedToken,
}

#[derive(Serialize)]
struct ReplacedToken {
    id: TokenId,
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339")]
    expires_at: Option<Timestamp>,
}

impl<'a> CreatedToken<'a> {
    fn new(token: &Token, value: &'a FreshToken) -> Self {
        Self { id: token.id, token: value.reveal(), scopes: token.scopes, expires_at: token.expires_at }
    }

    fn to_text(&self) -> String {
        let expires = self.expires_at.map_or_else(|| "never".to_owned(), Timestamp::to_rfc3339);
        format!(
            "token:   {}\nid:      {}\nscopes:  {}\nexpires: {expires}\n\
             The value is shown only once and is not stored: save it now.",
            self.token,
            self.id,
            self.scopes.names().join(", ")
        )
    }
}

impl Create {
    async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let new = NewToken {
            name: self.name,
            scopes: self.scope.into_iter().fold(ScopeSet::EMPTY, ScopeSet::union),
            networks: Networks::parse(self.network.iter().map(String::as_str))?,
            expires_at: self.expires,
            rate_limit: self.rate_limit,
        };
        let me = self.tenant.caller(app).await?;
        let (token, value) = app.identity().tokens().create(&me, &self.account, new).await?;
        let fresh = CreatedToken::new(&token, &value);
        context.output.print(&fresh, || fresh.to_text())?;
        Ok(())
    }
}

impl Renew {
    async fn run(self, context: &Context, app: &App) -> anyhow::Result<()> {
        let (me, id) = (self.token.tenant.caller(app).await?, self.token.id());
        let old = app.identity().tokens().find(&me, id).await?;
        let Expiry(expires_at) = self.expires.unwrap_or_else(|| Expiry(old.successor_expiry(app.now())));
        let overlap = self.overlap.unwrap_or(DEFAULT_OVERLAP_SECONDS);
        let (token, value) = app.identity().tokens().renew(&me, id, overlap, expires_at).await?;
        context.wait_for_servers(app).await;
        let until = app.identity().tokens().find(&me, id).await?.expires_at;
        let renewed = RenewedToken {
            fresh: CreatedToken::new(&token, &value),
            replaces: ReplacedToken { id, expires_at: until },
        };
        context.output.print(&renewed, || {
            let until = until.map_or_else(|| "it is revoked".to_owned(), Timestamp::to_rfc3339);
            format!("{}\nThe old token {id} works until {until}.", renewed.fresh.to_text())
        })?;
        Ok(())
    }
}

async fn revoke(context: &Context, app: &App, which: &TokenArg) -> anyhow::Result<()> {
    let me = which.tenant.caller(app).await?;
    let token = app.identity().tokens().revoke(&me, which.id()).await?;
    context.wait_for_servers(app).await;
    let at = token.revoked_at.map(Timestamp::to_rfc3339);
    let revoked = serde_json::json!({"id": token.id, "name": token.name, "revoked_at": at});
    context.output.print(&revoked, || format!("token {} ({}) revoked", token.id, token.name))?;
    Ok(())
}
