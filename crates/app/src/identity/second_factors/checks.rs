//! What enrolment and log-in share: the name of this installation, the binding of sealed secrets, and the refusal.

use domain::identity::second_factors::FactorKind;
use domain::{AccountId, Field, TenantId};

use crate::{Cause, Error};

/// The name of this installation in authenticator apps and passkey managers begins with it.
pub(super) const ISSUER: &str = "Switchboard";

/// What a sealed secret or state belongs to.
pub(super) fn bound_to_account(kind: FactorKind, step: &str, tenant: TenantId, account: AccountId) -> String {
    format!("second-factor:{}:{step}:{tenant}:{account}", kind.name())
}

pub(super) fn failed(field: Field, message: &str) -> Error {
    Error::refused(Cause::SecondFactorFailed, field, message)
}
