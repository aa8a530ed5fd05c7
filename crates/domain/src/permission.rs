//! What an operation asks of its caller: declared once, enforced by the gate and printed in the OpenAPI document.

use crate::plans::{Family, Feature};
use crate::roles::Role;
use crate::scopes::{Scope, ScopeSet};

/// The declaration of one operation.
#[derive(Debug, Clone, Copy)]
pub struct Permission {
    pub access: Access,
    /// Any of these suffices. Empty: the operation has no scope of its own (an OIDC token then needs `api`).
    pub any_of: &'static [Scope],
    pub roles: &'static [Role],
    pub feature: Option<Feature>,
    pub family: Family,
    /// Does a call count towards the tenant's month?
    pub counted: bool,
}

/// Which credentials an operation accepts at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Public,
    AnyCredential,
    LegacyJwtOnly,
}

const EVERY_ROLE: &[Role] = &Role::ALL;

impl Permission {
    pub const fn public() -> Self {
        Self { access: Access::Public, ..Self::any_of(&[]) }
    }

    /// Any one of the scopes, every role, no feature.
    pub const fn any_of(scopes: &'static [Scope]) -> Self {
        Self {
            access: Access::AnyCredential,
            any_of: scopes,
            roles: EVERY_ROLE,
            feature: None,
            family: Family::Other,
            counted: true,
        }
    }

    /// Only a legacy JWT may call it, and such a credential has no scopes.
    pub const fn legacy_jwt_only() -> Self {
        Self { access: Access::LegacyJwtOnly, ..Self::any_of(&[]) }
    }

    #[must_use]
    pub const fn feature(self, feature: Feature) -> Self {
        Self { feature: Some(feature), ..self }
    }

    #[must_use]
    pub const fn family(self, family: Family) -> Self {
        Self { family, ..self }
    }

    #[must_use]
    pub const fn roles(self, roles: &'static [Role]) -> Self {
        Self { roles, ..self }
    }

    #[must_use]
    pub const fn uncounted(self) -> Self {
        Self { counted: false, ..self }
    }

    pub const fn scopes(&self) -> ScopeSet {
        ScopeSet::of(self.any_of)
    }
}
