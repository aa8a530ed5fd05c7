//! What enrolment and log-in share: the name of this installation, the binding of sealed secrets, and the refusal.

use domain::identity::memberships::Holder;
use domain::identity::second_factors::FactorKind;
use domain::{Field, TenantId};

use crate::{Cause, Error};

/// The name of this installation in authenticator apps and passkey managers begins with it.
pub(super) const ISSUER: &str = "Switchboard";

/// What a sealed secret or state belongs to.
pub(super) fn bound_to_holder(kind: FactorKind, step: &str, holder: Holder) -> String {
    bound_in_tenant(kind, step, holder, holder.tenant)
}

/// What a secret belongs to that was sealed while the account was one of this tenant.
pub(super) fn bound_in_tenant(kind: FactorKind, step: &str, holder: Holder, tenant: TenantId) -> String {
    format!("second-factor:{}:{step}:{tenant}:{}", kind.name(), holder.id)
}

pub(super) fn failed(field: Field, message: &str) -> Error {
    Error::refused(Cause::SecondFactorFailed, field, message)
}
