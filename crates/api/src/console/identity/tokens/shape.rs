//! A token in responses of the console's API, and its expiry in requests.

use app::App;
use domain::identity::accounts::Account;
use domain::identity::networks::Networks;
use domain::identity::scopes::ScopeSet;
use domain::identity::tokens::{FreshToken, Token};
use domain::{AccountId, TokenId};
use serde::Deserializer;

use crate::console::guard::SignedIn;
use crate::prelude::*;

#[derive(Serialize, ToSchema)]
#[schema(as = Token)]
pub(crate) struct TokenView {
    id: TokenId,
    name: String,
    #[schema(value_type = Vec<String>, example = json!(["api"]))]
    scopes: ScopeSet,
    #[schema(value_type = Vec<String>)]
    networks: Networks,
    rate_limit: Option<i64>,
    account_id: AccountId,
    #[serde(serialize_with = "as_rfc3339")]
    created_at: Timestamp,
    #[serde(serialize_with = "as_optional_rfc3339")]
    expires_at: Option<Timestamp>,
    #[serde(serialize_with = "as_optional_rfc3339")]
    revoked_at: Option<Timestamp>,
    #[serde(serialize_with = "as_optional_rfc3339")]
    last_used_at: Option<Timestamp>,
    last_used_address: Option<String>,
    rotation_due: bool,
    state: &'static str,
}

impl TokenView {
    fn new(token: Token, owners: &[Account], now: Timestamp) -> Self {
        let owner = owners.iter().find(|owner| owner.id == token.account_id);
        Self {
            rotation_due: token.rotation_due(now),
            state: token.state(owner, now),
            id: token.id,
            name: token.name,
            scopes: token.scopes,
            networks: token.networks,
            rate_limit: token.rate_limit,
            account_id: token.account_id,
            created_at: token.created_at,
            expires_at: token.expires_at,
            revoked_at: token.revoked_at,
            last_used_at: token.last_used_at,
            last_used_address: token.last_used_address,
        }
    }
}

pub(super) async fn token_views(app: &App, signed_in: &SignedIn, tokens: Vec<Token>) -> ApiResult<Vec<TokenView>> {
    let owners = app.identity().accounts().list(signed_in).await?;
    let now = app.now();
    Ok(tokens.into_iter().map(|token| TokenView::new(token, &owners, now)).collect())
}

/// A token with its value, which no other response contains.
#[derive(Serialize, ToSchema)]
pub(crate) struct TokenWithValue {
    #[serde(flatten)]
    view: TokenView,
    token: String,
}

pub(super) async fn with_value(
    app: &App,
    signed_in: &SignedIn,
    (token, value): (Token, FreshToken),
) -> ApiResult<TokenWithValue> {
    let owners = app.identity().accounts().list(signed_in).await?;
    Ok(TokenWithValue { view: TokenView::new(token, &owners, app.now()), token: value.reveal().to_owned() })
}

/// The expiry of a token in a request: an instant, or a date, which means the end of that day (UTC).
#[derive(Debug, Clone, Copy)]
pub(super) struct Expiry(pub Timestamp);

impl<'de> Deserialize<'de> for Expiry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Moment::parse(&text).map(|moment| Self(moment.last())).map_err(serde::de::Error::custom)
    }
}
