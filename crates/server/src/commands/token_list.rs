//! `switchboard token list`: tokens and their states.

use std::collections::HashMap;

use app::App;
use domain::identity::accounts::Account;
use domain::identity::networks::Networks;
use domain::identity::scopes::ScopeSet;
use domain::identity::tokens::Token;
use domain::{AccountId, TenantId, Timestamp, TokenId};
use serde::Serialize;

use super::Context;
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

pub async fn list(context: &Context, app: &App, tenant: TenantId) -> anyhow::Result<()> {
    let me = app::Command(tenant);
    let owners: HashMap<AccountId, Account> =
        app.identity().accounts().list(&me).await?.into_iter().map(|account| (account.id, account)).collect();
    let now = app.now();
    let view = |token: Token| TokenView::new(token, &owners, now);
    let all: Vec<TokenView> = app.identity().tokens().list(&me).await?.into_iter().map(view).collect();
    context.output.print(&all, || table(&all))?;
    Ok(())
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

/// A legacy JWT of the list.
#[derive(Serialize)]
struct LegacyEntry<'a> {
    id: domain::JwtId,
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

/// Prints a tenant's legacy JWTs.
pub async fn list_legacy(context: &Context, app: &App, tenant: TenantId) -> anyhow::Result<()> {
    let all = app.identity().tokens().list_legacy(&app::Command(tenant)).await?;
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
