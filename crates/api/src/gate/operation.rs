//! One operation's declaration, as the layers of the gate need it.

use domain::permission::Permission;

#[derive(Debug)]
pub(super) struct GuardedOperation {
    pub permission: Permission,
    /// Whether the path begins with the tenant.
    pub legacy: bool,
    pub id: &'static str,
    pub key_policy: KeyPolicy,
}

/// What an operation does with an `Idempotency-Key`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyPolicy {
    /// The operation changes nothing, or needs no credential.
    Ignored,
    Accepted,
    /// The answer is a secret, and secrets are not stored.
    Refused,
}

impl GuardedOperation {
    pub fn new(permission: Permission) -> Self {
        Self { permission, legacy: false, id: "", key_policy: KeyPolicy::Ignored }
    }
}
