//! The gate's decision about an authenticated caller. Checks tenant, kind of credential, role, feature of the plan, and
//! scope in this order; each has its own reason for a denial.

use domain::TenantId;
use domain::identity::permission::{Access, Permission};
use domain::identity::plans::Feature;
use domain::identity::roles::Role;
use domain::identity::scopes::{Scope, ScopeSet};

use crate::Principal;
use crate::base::error::TENANT_SUSPENDED;
use crate::identity::principal::Credential;

/// Why a caller is refused: 401 on the wire, 403, or a failure of the database.
#[derive(Debug, thiserror::Error)]
pub enum Denial {
    #[error("{message}")]
    Unauthenticated { reason: Unauthenticated, message: String },
    #[error("{}", .0.message())]
    Forbidden(Forbidden),
    #[error(transparent)]
    Store(#[from] store::Error),
}

/// What is wrong with a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unauthenticated {
    TokenMalformed,
    TokenUnknown,
    TokenExpired,
    TokenRevoked,
    PasswordChanged,
    SessionRequired,
    OidcUnknownIssuer,
    OidcAlgorithm,
    OidcKeyUnknown,
    OidcSignature,
    OidcAudience,
    OidcExpired,
    OidcNotYetValid,
    OidcClaims,
    OidcUnavailable,
}

#[derive(Debug)]
pub enum Forbidden {
    /// The token may not be used from the client's IP address.
    Ip,
    /// The tenant's console may not be used from the client's IP address.
    ConsoleNetwork,
    Tenant,
    TenantSuspended,
    Credential,
    /// The tenant requires a second factor, and the account has none.
    SecondFactor,
    Role {
        role: Role,
        allowed: &'static [Role],
    },
    Feature {
        feature: Feature,
        plan: String,
    },
    Scope {
        required: &'static [Scope],
        granted: ScopeSet,
    },
}

impl Denial {
    pub fn unauthenticated(reason: Unauthenticated, message: impl Into<String>) -> Self {
        Self::Unauthenticated { reason, message: message.into() }
    }
}

impl Forbidden {
    pub fn message(&self) -> String {
        match self {
            Self::Ip => "this token may not be used from this IP address".to_owned(),
            Self::ConsoleNetwork => "this tenant's console may not be used from this IP address".to_owned(),
            Self::Tenant => "this credential does not belong to the requested tenant".to_owned(),
            Self::TenantSuspended => TENANT_SUSPENDED.to_owned(),
            Self::SecondFactor => "your tenant requires a second factor: add one to your account first".to_owned(),
            Self::Credential => "this operation does not accept this kind of credential".to_owned(),
            Self::Role { role, .. } => format!("the role {role} does not allow this"),
            Self::Feature { feature, plan } if feature.is_privilege() => {
                format!("this needs a higher plan than {plan}: one that includes {}", feature.name())
            }
            Self::Feature { feature, plan } => {
                format!("the feature {} is not part of the plan {plan}", feature.name())
            }
            Self::Scope { required, .. } => {
                let names: Vec<_> = required.iter().map(|scope| scope.name()).collect();
                format!("the credential needs one of these scopes: {}", names.join(", "))
            }
        }
    }
}

/// Decides whether the caller has the permission. `path_tenant` is the tenant in a legacy path: none for other paths,
/// `Some(None)` if it is no tenant number.
pub fn judge(
    permission: &Permission,
    principal: &Principal,
    path_tenant: Option<Option<TenantId>>,
) -> Result<(), Forbidden> {
    if path_tenant.is_some_and(|named| named != Some(principal.tenant)) {
        return Err(Forbidden::Tenant);
    }
    let legacy = matches!(principal.credential, Credential::LegacyJwt { .. });
    if permission.access == Access::LegacyJwtOnly && !legacy {
        return Err(Forbidden::Credential);
    }
    if !permission.roles.contains(&principal.role) {
        return Err(Forbidden::Role { role: principal.role, allowed: permission.roles });
    }
    if let Some(feature) = permission.feature.filter(|feature| !principal.plan.features.contains(feature)) {
        return Err(Forbidden::Feature { feature, plan: principal.plan.name.clone() });
    }
    if has_scope(permission, principal) {
        return Ok(());
    }
    let required = if permission.any_of.is_empty() { &[Scope::Api] } else { permission.any_of };
    Err(Forbidden::Scope { required, granted: principal.granted })
}

fn has_scope(permission: &Permission, principal: &Principal) -> bool {
    match &principal.credential {
        // Legacy JWTs, console sessions and local commands have no scopes: their role decides.
        Credential::LegacyJwt { .. } | Credential::Session { .. } | Credential::Machine => true,
        Credential::Oidc { .. } if permission.any_of.is_empty() => principal.reached.contains(Scope::Api),
        Credential::ApiToken { .. } if permission.any_of.is_empty() => true,
        Credential::ApiToken { .. } | Credential::Oidc { .. } => principal.reached.intersects(permission.scopes()),
    }
}
