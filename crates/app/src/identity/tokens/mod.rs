//! API tokens: created, renewed and revoked at the console or by commands, not with a token. `legacy.rs` has the legacy
//! JWTs.

mod legacy;

use domain::base::quotas::{Quota, Quotas};
use domain::identity::networks::Networks;
use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;
use domain::identity::tokens::{FreshToken, Token, TokenHash, check};
use domain::{AccountId, Field, Id, TenantId, Timestamp, TokenId};
use store::Tx;

pub use legacy::LegacyJwtView;

use crate::base::quotas;
use crate::identity::Identity;
use crate::{Actor, ActsFor, Error, Fault, Principal, Result, Thing};

#[derive(Debug)]
pub struct Tokens<'a>(&'a Identity);

impl Identity {
    pub fn tokens(&self) -> Tokens<'_> {
        Tokens(self)
    }
}

#[derive(Debug)]
pub struct NewToken {
    pub name: String,
    pub scopes: ScopeSet,
    pub networks: Networks,
    pub expires_at: Option<Timestamp>,
    pub rate_limit: Option<i64>,
}

/// A renewed token stays valid this long beside its successor by default: one day.
pub const DEFAULT_OVERLAP_SECONDS: i64 = 86_400;

#[boxed::futures]
impl Tokens<'_> {
    /// Creates a token. Returns its value too, of which only a hash is stored.
    pub async fn create(&self, caller: &dyn ActsFor, account: &str, new: NewToken) -> Result<(Token, FreshToken)> {
        let owner = self.0.accounts().find(caller, account).await?;
        if !owner.role.may_own_tokens() {
            return Err(Error::invalid(Field::Account, "only an ADMINISTRATOR or a DEVELOPER may own tokens"));
        }
        if owner.disabled {
            return Err(Error::invalid(Field::Account, "is disabled"));
        }
        let now = self.0.now().to_millis();
        check(&new.name, new.scopes, new.expires_at, new.rate_limit, now).map_err(|error| Error::of_field(&error))?;
        let token = Token {
            id: Id::new(now),
            account_id: owner.id,
            name: new.name.trim().to_owned(),
            scopes: new.scopes,
            networks: new.networks,
            rate_limit: new.rate_limit,
            created_at: now,
            expires_at: new.expires_at.map(Timestamp::to_millis),
            revoked_at: None,
            password_version: owner.password_version,
            last_used_at: None,
            last_used_address: None,
        };
        self.store_new(caller, token, None).await
    }

    /// The tokens that the caller manages: all of the tenant for an administrator or a command, its own for a developer.
    pub async fn list(&self, caller: &dyn ActsFor) -> Result<Vec<Token>> {
        self.0.tenants().find(caller.tenant()).await?;
        let mut all = store::identity::tokens::list(self.0.db(), caller.tenant()).await?;
        all.retain(|token| manages(caller, token.account_id));
        Ok(all)
    }

    /// Finds a token. One that the caller does not manage counts as not found.
    pub async fn find(&self, caller: &dyn ActsFor, id: TokenId) -> Result<Token> {
        let found = store::identity::tokens::find(self.0.db(), caller.tenant(), id).await?;
        found.filter(|token| manages(caller, token.account_id)).ok_or(Error::NotFound(Thing::Token))
    }

    /// Creates a successor with the same name, scopes, allowed IP networks and rate limit. The old token stays valid
    /// for the overlap, or until its own expiry if that is earlier, so that clients have time to switch.
    pub async fn renew(
        &self,
        caller: &dyn ActsFor,
        id: TokenId,
        overlap_seconds: i64,
        expires_at: Option<Timestamp>,
    ) -> Result<(Token, FreshToken)> {
        let old = self.find(caller, id).await?;
        let now = self.0.now().to_millis();
        if old.revoked_at.is_some() || old.expires_at.is_some_and(|at| at <= now) {
            return Err(Error::conflict(Field::Id, "the token has expired or was revoked; create a new one"));
        }
        if !(0..=366 * 86_400).contains(&overlap_seconds) {
            return Err(Error::invalid(Field::Overlap, "expected a number of seconds from 0 to 31622400 (366 days)"));
        }
        let owner = self.0.accounts().find(caller, &old.account_id.to_string()).await?;
        check(&old.name, old.scopes, expires_at, old.rate_limit, now).map_err(|error| Error::of_field(&error))?;
        let token = Token {
            id: Id::new(now),
            created_at: now,
            expires_at: expires_at.map(Timestamp::to_millis),
            password_version: owner.password_version,
            last_used_at: None,
            last_used_address: None,
            ..old
        };
        self.store_new(caller, token, Some((id, now.plus_seconds(overlap_seconds)))).await
    }

    pub async fn revoke(&self, caller: &dyn ActsFor, id: TokenId) -> Result<Token> {
        self.find(caller, id).await?;
        self.0
            .write_and_publish_credentials(
                (caller.audit_actor(), caller.tenant(), id, self.0.now()),
                |tx, (actor, tenant, id, now)| {
                    Box::pin(async move {
                        let token = store::identity::tokens::find_in(tx, *tenant, *id)
                            .await?
                            .ok_or(Error::NotFound(Thing::Token))?;
                        if store::identity::tokens::revoke(tx, *tenant, *id, *now).await? {
                            let details = serde_json::json!({"name": token.name});
                            actor.record(tx, *tenant, *now, "token.revoke", &id.to_string(), details).await?;
                            store::base::epochs::bump_credentials(tx).await?;
                        }
                        Ok::<_, Error>(())
                    })
                },
            )
            .await?;
        self.find(caller, id).await
    }

    async fn store_new(
        &self,
        caller: &dyn ActsFor,
        token: Token,
        replaces: Option<(TokenId, Timestamp)>,
    ) -> Result<(Token, FreshToken)> {
        let tenant = caller.tenant();
        let fresh = FreshToken::generate(tenant, token.id);
        let key = self.0.keys().token_hash.first().ok_or(Error::Fault(Fault::NoKey))?;
        let (actor, hash, quotas) = (caller.audit_actor(), fresh.hash(key), self.0.quotas());
        let new = TokenToInsert { actor, tenant, token: token.clone(), hash, replaces, quotas };
        self.0.write_and_publish_credentials(new, |tx, new| Box::pin(insert(tx, new))).await?;
        Ok((token, fresh))
    }
}

/// Whether the caller manages the tokens of this account: an administrator or a command those of all accounts, a
/// developer its own.
fn manages(caller: &dyn ActsFor, owner: AccountId) -> bool {
    match caller.principal().map(Principal::role) {
        None | Some(Role::Administrator) => true,
        Some(Role::Developer) => caller.account().is_some_and(|own| own.id == owner),
        Some(Role::Operator | Role::ApiToken | Role::Trial) => false,
    }
}

#[derive(Debug)]
struct TokenToInsert {
    actor: Actor,
    tenant: TenantId,
    token: Token,
    hash: TokenHash,
    replaces: Option<(TokenId, Timestamp)>,
    quotas: Quotas,
}

async fn insert(tx: &mut Tx<'_>, new: &TokenToInsert) -> Result<()> {
    let token = &new.token;
    quotas::check(&new.quotas, Quota::Tokens, store::identity::tokens::count_active(tx, new.tenant).await?, 1)?;
    store::identity::tokens::insert(tx, new.tenant, token, &new.hash).await?;
    let action = match new.replaces {
        Some((old, until)) => {
            store::identity::tokens::shorten(tx, new.tenant, old, until).await?;
            "token.renew"
        }
        None => "token.create",
    };
    let replaces = new.replaces.map(|(old, _)| old);
    let details = serde_json::json!({"name": token.name, "scopes": token.scopes, "replaces": replaces});
    new.actor.record(tx, new.tenant, token.created_at, action, &token.id.to_string(), details).await?;
    Ok(store::base::epochs::bump_credentials(tx).await?)
}
