//! Declares what an operation demands once, both for the gate, which enforces it, and for the OpenAPI document.

use axum::middleware::from_fn_with_state;
use domain::permission::{Access, Permission};
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::{Operation, Paths};
use utoipa::openapi::security::SecurityRequirement;
use utoipa_axum::router::UtoipaMethodRouter;

use super::operation::{GuardedOperation, KeyPolicy};
use super::pass::pass;
use crate::{ApiState, document};

/// Puts the gate before an operation and documents its permission. A POST or PUT of V1, V2 or V3 (but for the
/// sandbox's) accepts an `Idempotency-Key`.
pub(crate) fn guarded(permission: Permission, routes: UtoipaMethodRouter<ApiState>) -> UtoipaMethodRouter<ApiState> {
    behind(permission, routes, KeyPolicy::Accepted)
}

/// Puts the gate before an operation whose answer holds a secret, and documents its permission. The operation refuses
/// an `Idempotency-Key`, because answers under a key are stored.
pub(crate) fn guarded_secret(
    permission: Permission,
    routes: UtoipaMethodRouter<ApiState>,
) -> UtoipaMethodRouter<ApiState> {
    behind(permission, routes, KeyPolicy::Refused)
}

fn behind(
    permission: Permission,
    mut routes: UtoipaMethodRouter<ApiState>,
    keys: KeyPolicy,
) -> UtoipaMethodRouter<ApiState> {
    let mut guarded = GuardedOperation::new(permission);
    for (path, item) in &mut routes.1.paths {
        guarded.legacy = path.starts_with("/{tenantId}/");
        let keyed = if is_of_the_api(path) { keys } else { KeyPolicy::Ignored };
        let operations = [
            (&mut item.get, KeyPolicy::Ignored),
            (&mut item.post, keyed),
            (&mut item.put, keyed),
            (&mut item.patch, KeyPolicy::Ignored),
            (&mut item.delete, KeyPolicy::Ignored),
        ];
        for (operation, keys) in operations {
            let Some(operation) = operation else { continue };
            guarded.key_policy = keys;
            // Leaked on purpose: one short text for each operation, once in the life of the process.
            guarded.id = operation.operation_id.clone().unwrap_or_default().leak();
            document::add_tag(operation, path);
            document::add_not_found(operation, path);
            declare(&permission, operation, guarded.legacy);
            if guarded.legacy {
                document::add_tenant(operation);
            }
            if keys == KeyPolicy::Accepted {
                document::add_idempotency(operation);
            }
        }
    }
    let layer = from_fn_with_state(std::sync::Arc::new(guarded), pass);
    (routes.0, routes.1, routes.2.route_layer(layer))
}

/// Whether the path belongs to V1, V2 or V3, without the operations of the sandbox: these play the network's side and
/// ignore an `Idempotency-Key`.
fn is_of_the_api(path: &str) -> bool {
    let v3 = path.strip_prefix("/api/ext/v3/").is_some_and(|rest| !rest.starts_with("sandbox/"));
    v3 || path.starts_with("/{tenantId}/api/")
}

/// Documents what operations of the console demand; the console's guard enforces it.
pub(crate) fn declare_for_sessions(permission: &Permission, paths: &mut Paths) {
    for operation in paths.paths.values_mut().flat_map(document::operations) {
        add_permission(permission, operation);
        document::add_default_response(operation);
        operation.security = Some(vec![match permission.access {
            Access::Public => SecurityRequirement::default(),
            _ => SecurityRequirement::new::<_, _, &str>(document::SESSION_SCHEME, []),
        }]);
    }
}

fn add_permission(permission: &Permission, operation: &mut Operation) {
    let extension = ExtensionsBuilder::new().add("x-service-permissions", as_json(permission)).build();
    operation.extensions.get_or_insert_default().merge(extension);
}

fn declare(permission: &Permission, operation: &mut Operation, legacy: bool) {
    add_permission(permission, operation);
    let text = operation.description.take().unwrap_or_default();
    operation.description = Some(format!("{text}\n\n**Permissions**\n\n{}", in_words(permission)).trim().to_owned());
    let none: [&str; 0] = [];
    let security = match permission.access {
        Access::Public => SecurityRequirement::default(),
        Access::AnyCredential | Access::LegacyJwtOnly => SecurityRequirement::new("bearer", none),
    };
    operation.security = Some(vec![security]);
    document::add_error_responses(operation, permission, legacy);
}

fn as_json(permission: &Permission) -> serde_json::Value {
    if permission.access == Access::Public {
        return serde_json::json!({"public": true, "any_of": []});
    }
    let mut json = serde_json::json!({
        "any_of": permission.any_of,
        "roles": permission.roles,
        "feature": permission.feature.map(domain::plans::Feature::name),
    });
    if permission.access == Access::LegacyJwtOnly {
        json["credential"] = "legacy_jwt".into();
    }
    if !permission.counted {
        json["monthly_usage"] = "exempt".into();
    }
    json
}

fn in_words(permission: &Permission) -> String {
    if permission.access == Access::Public {
        return "None: the operation is public.".to_owned();
    }
    let scopes = match (permission.access, permission.any_of) {
        (Access::LegacyJwtOnly, _) => "Only a legacy JWT is accepted; it has no scopes.".to_owned(),
        (_, []) => "No scope of its own; an OIDC token needs `api`.".to_owned(),
        (_, scopes) => {
            let names: Vec<_> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
            format!("At least one of: {}.", names.join(", "))
        }
    };
    let roles: Vec<_> = permission.roles.iter().map(|role| format!("`{role}`")).collect();
    let feature = permission.feature.map(|feature| format!(" Feature: `{}`.", feature.name())).unwrap_or_default();
    let exempt = if permission.counted { "" } else { " Calls do not count towards the month." };
    format!("{scopes} Roles: {}.{feature}{exempt}", roles.join(", "))
}
