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
    /// True if open pages of the console call the operation by themselves. Such calls of a session do not count towards
    /// the monthly quota.
    pub automatic: bool,
}

/// The kinds of credentials that an operation accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    Public,
    AnyCredential,
    LegacyJwtOnly,
}

impl Permission {
    /// No credential, so no role.
    pub const fn public() -> Self {
        Self { access: Access::Public, ..Self::of(&[], &[]) }
    }

    /// One of the roles and any one of the scopes, no feature. Which roles have an operation is a decision, so there is
    /// no default; the table in `docs/accounts.md` lists them all.
    pub const fn of(roles: &'static [Role], scopes: &'static [Scope]) -> Self {
        Self {
            access: Access::AnyCredential,
            any_of: scopes,
            roles,
            feature: None,
            family: Family::Other,
            counted: true,
            automatic: false,
        }
    }

    /// A permission for legacy JWTs only; such a credential has no scopes.
    pub const fn legacy_jwt_only(roles: &'static [Role]) -> Self {
        Self { access: Access::LegacyJwtOnly, ..Self::of(roles, &[]) }
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

    #[must_use]
    pub const fn automatic(self) -> Self {
        Self { automatic: true, ..self }
    }

    pub const fn scopes(&self) -> ScopeSet {
        ScopeSet::from_scopes(self.any_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::identity::roles::TEAM;

    #[test]
    fn a_declaration_starts_with_any_credential_its_roles_and_a_counted_call() {
        let any = Permission::of(TEAM, &[Scope::CallsV3Read, Scope::Api]);
        assert_eq!(
            (any.access, any.feature, any.family, any.counted, any.automatic),
            (Access::AnyCredential, None, Family::Other, true, false)
        );
        assert_eq!((any.roles, any.any_of), (&Role::ALL[..], &[Scope::CallsV3Read, Scope::Api][..]));
        assert_eq!(any.scopes().names(), ["api", "callsv3:read"]);
    }

    #[test]
    fn public_and_legacy_operations_have_no_scopes() {
        let legacy = Permission::legacy_jwt_only(TEAM);
        assert_eq!(Permission::public().access, Access::Public);
        assert_eq!((legacy.access, legacy.roles), (Access::LegacyJwtOnly, TEAM));
        assert!(Permission::public().scopes().is_empty() && legacy.scopes().is_empty());
        assert!(Permission::public().roles.is_empty());
    }

    #[test]
    fn each_builder_changes_its_own_member_and_keeps_the_others() {
        let one = Permission::of(TEAM, &[Scope::ContactsRead])
            .feature(Feature::Contacts)
            .family(Family::Contacts)
            .roles(&[Role::Administrator])
            .uncounted()
            .automatic();
        assert_eq!((one.feature, one.family), (Some(Feature::Contacts), Family::Contacts));
        assert_eq!((one.counted, one.automatic), (false, true));
        assert_eq!((one.roles, one.access), (&[Role::Administrator][..], Access::AnyCredential));
        assert_eq!(one.scopes().names(), ["contacts:read"]);
    }
}
