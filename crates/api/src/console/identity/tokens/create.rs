//! `POST /console/api/tokens`: creates a token. Its value is returned only once.

use app::identity::tokens::NewToken;
use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;
use domain::{AccountId, Field};

use super::shape::{Expiry, TokenWithValue, with_value};
use crate::console::guard::SignedIn;
use crate::error::{ROLE_DENIED, Spelling};
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewToken)]
pub(crate) struct CreateTokenRequest {
    name: String,
    scopes: Vec<String>,
    #[schema(value_type = Option<String>)]
    expires_at: Option<Expiry>,
    #[serde(default)]
    networks: Vec<String>,
    rate_limit: Option<i64>,
    /// The token's owner. Defaults to the caller's account. Only administrators may name another account of the tenant.
    account_id: Option<String>,
}

/// Create an API token
#[described::path(
    post,
    path = "/console/api/tokens",
    responses((status = 200, description = "The token. Its value is returned only once, in this response.", body = TokenWithValue)),
)]
pub(crate) async fn create_token(
    State(state): State<ApiState>,
    signed_in: SignedIn,
    Json(input): Json<CreateTokenRequest>,
) -> ApiResult<Json<TokenWithValue>> {
    let owner = owner(&signed_in, input.account_id.as_deref())?;
    let scopes = ScopeSet::requested(input.scopes.iter().map(String::as_str));
    let networks = Networks::parse(input.networks.iter().map(String::as_str));
    let new = NewToken {
        name: input.name,
        scopes: scopes.map_err(|error| ApiError::invalid("scopes", error))?,
        networks: networks.map_err(|error| ApiError::invalid("networks", error))?,
        expires_at: input.expires_at.map(|at| at.0),
        rate_limit: input.rate_limit,
    };
    let made = state.app.identity().tokens().create(&signed_in, &owner.to_string(), new).await;
    let made = made.map_err(about_the_owner)?;
    Ok(Json(with_value(&state.app, &signed_in, made).await?))
}

fn owner(signed_in: &SignedIn, named: Option<&str>) -> ApiResult<AccountId> {
    let Some(named) = named else { return Ok(signed_in.account) };
    let named = named.parse().map_err(|error| ApiError::invalid("account_id", error))?;
    if named == signed_in.account || signed_in.principal.role() == Role::Administrator {
        return Ok(named);
    }
    Err(ApiError::new(ROLE_DENIED, "Only an ADMINISTRATOR can create tokens for others"))
}

/// Reports errors about the owner under `account_id`, the owner's name in this body.
fn about_the_owner(error: app::Error) -> ApiError {
    match error {
        app::Error::NotFound(app::Thing::Account) => ApiError::invalid("account_id", "there is no such account"),
        other => Spelling(&[(Field::Account, "account_id")]).error(other).into(),
    }
}
