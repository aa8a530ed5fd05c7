//! `switchboard token list` and `show`: tokens and their states.

use std::collections::HashMap;

use app::App;
use domain::identity::accounts::Account;
use domain::identity::networks::Networks;
use domain::identity::scopes::ScopeSet;
use domain::identity::tokens::Token;
use domain::{AccountId, Timestamp, TokenId};
use serde::Serialize;

use crate::commands::Context;
use crate::commands::tenant_arg::TenantArg;
use crate::output::Table;

#[derive(Serialize)]
struct TokenView {
    id: TokenId,
    name: String,
    /// Null when the account was removed.
    account: Option<String>,
    account_id: AccountId,
    scopes: ScopeSet,
    networks: Networks,
    rate_limit: Option<i64>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339")]
    expires_at: Option<Timestamp>,
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339")]
    revoked_at: Option<Timestamp>,
    #[serde(serialize_with = "domain::base::time::as_optional_rfc3339")]
    last_used_at: Option<Timestamp>,
    last_used_address: Option<String>,
    rotation_due: bool,
    state: &'static str,
}

pub async fn run(context: &Context, app: &App, tenant: &TenantArg) -> anyhow::Result<()> {
    let me = tenant.caller(app).await?;
    let (owners, now) = (owners(app, &me).await?, app.now());
    let view = |token: Token| TokenView::new(token, &owners, now);
    let all: Vec<TokenView> = app.identity().tokens().list(&me).await?.into_iter().map(view).collect();
    context.output.print(&all, || table(&all))?;
    Ok(())
}

pub async fn show(context: &Context, app: &App, tenant: &TenantArg, id: TokenId) -> anyhow::Result<()> {
    let me = tenant.caller(app).await?;
    let token = app.identity().tokens().find(&me, id).await?;
    let shown = TokenView::new(token, &owners(app, &me).await?, app.now());
    Ok(context.output.print(&shown, || table(std::slice::from_ref(&shown)))?)
}

async fn owners(app: &App, me: &app::Command) -> anyhow::Result<HashMap<AccountId, Account>> {
    let all = app.identity().accounts().list(me).await?;
    Ok(all.into_iter().map(|account| (account.id, account)).collect())
}

impl TokenView {
    fn new(token: Token, owners: &HashMap<AccountId, Account>, now: Timestamp) -> Self {
        let owner = owners.get(&token.account_id);
        Self {
            account: owner.map(|owner| owner.email.clone()),
            rotation_due: token.rotation_due(now),
            state: token.state(owner, now),
            id: token.id,
            name: token.name,
            account_id: token.account_id,
            scopes: token.scopes,
            networks: token.networks,
            rate_limit: token.rate_limit,
            created_at: token.created_at,
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
            last_used_at: token.last_used_at,
            last_used_address: token.last_used_address,
        }
    }
}

fn table(all: &[TokenView]) -> String {
    let headings = ["id", "name", "account", "scopes", "state", "expires", "last used", "from", "rotate"];
    let mut table = Table::new(&headings);
    let time = |at: Option<Timestamp>| at.map(Timestamp::to_rfc3339).unwrap_or_default();
    for token in all {
        table.row([
            token.id.to_string(),
            token.name.clone(),
            token.account.clone().unwrap_or_default(),
            token.scopes.names().join(","),
            token.state.to_owned(),
            time(token.expires_at),
            time(token.last_used_at),
            token.last_used_address.clone().unwrap_or_default(),
            if token.rotation_due { "due".to_owned() } else { String::new() },
        ]);
    }
    table.to_text()
}
