//! The permission that an operation requires: declared once, enforced by the gate, and shown in the OpenAPI document.

use crate::identity::plans::{Family, Feature};
use crate::identity::roles::Role;
use crate::identity::scopes::{Scope, ScopeSet};

/// Which credentials, roles and plans may call one operation, and how its calls are counted.
#[derive(Debug, Clone, Copy)]
pub struct Permission {
    pub access: Access,
    /// Any of these suffices. Empty: the operation has no scope of its own (an OIDC token then needs `api`).
    pub any_of: &'static [Scope],
    pub roles: &'static [Role],
    pub feature: Option<Feature>,
    pub family: Family,
    /// True if calls count towards the tenant's monthly quota.
    pub counted: bool,
}

/// The kinds of credentials that an operation accepts.
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

    /// A permission for legacy JWTs only; such a credential has no scopes.
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
        ScopeSet::from_scopes(self.any_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_starts_with_any_credential_every_role_and_a_counted_call() {
        let any = Permission::any_of(&[Scope::CallsV3Read, Scope::Api]);
        assert_eq!(
            (any.access, any.feature, any.family, any.counted),
            (Access::AnyCredential, None, Family::Other, true)
        );
        assert_eq!((any.roles, any.any_of), (&Role::ALL[..], &[Scope::CallsV3Read, Scope::Api][..]));
        assert_eq!(any.scopes().names(), ["api", "callsv3:read"]);
    }

    #[test]
    fn public_and_legacy_operations_have_no_scopes() {
        assert_eq!(Permission::public().access, Access::Public);
        assert_eq!(Permission::legacy_jwt_only().access, Access::LegacyJwtOnly);
        assert!(Permission::public().scopes().is_empty() && Permission::legacy_jwt_only().scopes().is_empty());
    }

    #[test]
    fn each_builder_changes_its_own_member_and_keeps_the_others() {
        let one = Permission::any_of(&[Scope::ContactsRead])
            .feature(Feature::Contacts)
            .family(Family::Contacts)
            .roles(&[Role::Administrator])
            .uncounted();
        assert_eq!((one.feature, one.family, one.counted), (Some(Feature::Contacts), Family::Contacts, false));
        assert_eq!((one.roles, one.access), (&[Role::Administrator][..], Access::AnyCredential));
        assert_eq!(one.scopes().names(), ["contacts:read"]);
    }
}
