//! Declares what an operation demands once, both for the gate, which enforces it, and for the OpenAPI document.

use axum::http::Method;
use axum::middleware::from_fn_with_state;
use domain::identity::permission::Permission;

use super::operation::{GuardedOperation, KeyPolicy};
use super::pass::pass;
use crate::routing::PathOperations;

/// Puts the gate before an operation and documents its permission. A POST or PUT of V1, V2 or V3 (but for the
/// sandbox's) accepts an `Idempotency-Key`.
pub(crate) fn guarded(permission: Permission, operations: PathOperations) -> PathOperations {
    behind(permission, operations, KeyPolicy::Accepted)
}

/// Puts the gate before an operation whose answer holds a secret, and documents its permission. The operation refuses
/// an `Idempotency-Key`, because answers under a key are stored.
pub(crate) fn guarded_secret(permission: Permission, operations: PathOperations) -> PathOperations {
    behind(permission, operations, KeyPolicy::Refused)
}

fn behind(permission: Permission, mut operations: PathOperations, keys: KeyPolicy) -> PathOperations {
    let mut guarded = GuardedOperation::new(permission);
    guarded.legacy = operations.path.starts_with("/{tenantId}/");
    for (method, id) in &operations.ids {
        let keyed = is_of_the_api(operations.path) && [Method::POST, Method::PUT].contains(method);
        guarded.key_policy = if keyed { keys } else { KeyPolicy::Ignored };
        guarded.id = id;
    }
    #[cfg(feature = "document")]
    crate::document::declare(&permission, guarded.key_policy, &mut operations);
    operations.router = operations.router.route_layer(from_fn_with_state(std::sync::Arc::new(guarded), pass));
    operations
}

/// Whether the path belongs to V1, V2 or V3, without the operations of the sandbox: these play the network's side and
/// ignore an `Idempotency-Key`.
fn is_of_the_api(path: &str) -> bool {
    let v3 = path.strip_prefix("/api/ext/v3/").is_some_and(|rest| !rest.starts_with("sandbox/"));
    v3 || path.starts_with("/{tenantId}/api/")
}
