//! The authenticated caller. Only `Identity::authenticate`, `Identity::authenticate_session` and `Identity::local_administrator`
//! create one. The last of them is for requests over the control socket in the data folder, which only the server's
//! user can open.

use std::sync::Arc;

use domain::base::hex;
use domain::identity::plans::Plan;
use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;
use domain::messaging::messages::MessageSource;
use domain::{AccountId, JwtId, SessionId, TenantId, TokenId};
use sha2::{Digest as _, Sha256};

use crate::base::idempotency::{IdempotencyScope, check_key};
use crate::{Actor, Result};

#[derive(Debug, Clone)]
pub struct Principal {
    pub(crate) tenant: TenantId,
    pub(crate) role: Role,
    pub(crate) credential: Credential,
    /// The account behind the credential; tokens of OIDC issuers and commands have none.
    pub(crate) account: Option<AccountRef>,
    /// The granted scopes, as answers and errors show them.
    pub(crate) granted: ScopeSet,
    /// All scopes that the granted ones reach; a token of an OIDC issuer reaches only the granted ones.
    pub(crate) reached: ScopeSet,
    pub(crate) plan: Arc<Plan>,
    /// The token's own limit of requests in a rate window.
    pub(crate) rate_limit: Option<i64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    ApiToken {
        id: TokenId,
    },
    Oidc {
        issuer: String,
        subject: String,
    },
    LegacyJwt {
        jti: JwtId,
    },
    Session {
        id: SessionId,
    },
    /// No credential: the request came over the control socket in the data folder, which only the server's user can
    /// open.
    Machine,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountRef {
    pub id: AccountId,
    pub email: String,
}

impl Principal {
    pub fn tenant(&self) -> TenantId {
        self.tenant
    }

    pub fn role(&self) -> Role {
        self.role
    }

    /// Messages that are sent in a session count as sent from the console; with every other credential, as sent over
    /// the API.
    pub fn message_source(&self) -> MessageSource {
        match self.credential {
            Credential::Session { .. } => MessageSource::Web,
            Credential::ApiToken { .. }
            | Credential::Oidc { .. }
            | Credential::LegacyJwt { .. }
            | Credential::Machine => MessageSource::Api,
        }
    }

    pub fn credential(&self) -> &Credential {
        &self.credential
    }

    pub fn account(&self) -> Option<&AccountRef> {
        self.account.as_ref()
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The token and its own limit of requests in a rate window; none if it has no limit of its own.
    pub fn own_limit(&self) -> Option<(TokenId, i64)> {
        match self.credential {
            Credential::ApiToken { id } => self.rate_limit.map(|limit| (id, limit)),
            _ => None,
        }
    }

    /// Checks an idempotency key of this caller and builds the scope of its operation.
    pub fn idempotency_scope(&self, operation: &str, key: &str) -> Result<IdempotencyScope> {
        check_key(key)?;
        Ok(IdempotencyScope::new(self.tenant, key_owner(self), operation, key.to_owned()))
    }

    /// The actor of this principal for the audit log.
    pub fn actor(&self, address: Option<String>, request_id: Option<String>) -> Actor {
        let who = match (&self.credential, &self.account) {
            (Credential::Machine, _) => "command".to_owned(),
            (Credential::ApiToken { id }, _) => format!("token:{id}"),
            (_, Some(account)) => format!("account:{}", account.id),
            (Credential::Oidc { issuer, subject }, None) => format!("oidc:{issuer}:{subject}"),
            (Credential::LegacyJwt { jti }, None) => format!("jwt:{jti}"),
            (Credential::Session { id }, None) => format!("session:{id}"),
        };
        Actor::new(who, address, request_id)
    }
}

/// Names the credential that owns an idempotency key. Issuer and subject of an OIDC token are hashed, since they may
/// have any length; the zero byte between them keeps two pairs with the same concatenation apart.
fn key_owner(principal: &Principal) -> String {
    match (&principal.credential, &principal.account) {
        (Credential::ApiToken { id }, _) => format!("token:{id}"),
        (Credential::Oidc { issuer, subject }, _) => {
            let hash = Sha256::new().chain_update(issuer).chain_update([0]).chain_update(subject).finalize();
            format!("oidc:{}", hex::encode(hash))
        }
        (_, Some(account)) => format!("account:{}", account.id),
        (Credential::LegacyJwt { jti }, None) => format!("jwt:{jti}"),
        (Credential::Session { id }, None) => format!("session:{id}"),
        (Credential::Machine, None) => "command".to_owned(),
    }
}
