//! One operation's declaration, as the layers of the gate need it.

use domain::identity::permission::Permission;

#[derive(Debug)]
pub(super) struct GuardedOperation {
    pub permission: Permission,
    /// Whether the path begins with the tenant, as in V1 and V2.
    pub legacy: bool,
    pub id: &'static str,
    pub key_policy: KeyPolicy,
}

/// What an operation does with an `Idempotency-Key`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeyPolicy {
    /// The header has no effect: GET, PATCH and DELETE, the sandbox's operations, and paths outside V1, V2 and V3.
    Ignored,
    Accepted,
    /// Requests with the header are refused: the answer holds a secret, and secrets are not stored.
    Refused,
}

impl GuardedOperation {
    pub fn new(permission: Permission) -> Self {
        Self { permission, legacy: false, id: "", key_policy: KeyPolicy::Ignored }
    }
}
