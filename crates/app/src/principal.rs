//! The authenticated caller. Only `App::authenticate`, `App::authenticate_session` and `App::local_administrator`
//! create one. The last of them is for requests over the control socket in the data folder, which only the server's
//! user can open.

use std::sync::Arc;

use domain::messages::MessageSource;
use domain::plans::Plan;
use domain::roles::Role;
use domain::scopes::ScopeSet;
use domain::{AccountId, JwtId, SessionId, TenantId, TokenId};

use crate::{Actor, App, Error, Result, Thing};

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

#[boxed::futures]
impl App {
    /// A principal with the role of an administrator of this tenant, for commands on the server's machine. Only for the
    /// control socket: a request over the network must not get one.
    pub async fn local_administrator(&self, tenant: TenantId) -> Result<Arc<Principal>> {
        let found = store::tenants::find(self.db(), tenant).await?.ok_or(Error::NotFound(Thing::Tenant))?;
        Ok(Arc::new(Principal {
            tenant,
            role: Role::Administrator,
            credential: Credential::Machine,
            account: None,
            granted: ScopeSet::EMPTY,
            reached: ScopeSet::EMPTY,
            plan: self.plan_named(&found.plan),
            rate_limit: None,
        }))
    }
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
