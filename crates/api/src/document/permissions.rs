//! Documents the permissions that operations require.

use domain::identity::permission::{Access, Permission};
use utoipa::openapi::extensions::ExtensionsBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::security::SecurityRequirement;

use super::describe::{
    SESSION_SCHEME, add_default_response, add_error_responses, add_idempotency, add_not_found, add_tag, add_tenant,
};
use super::inline;
use crate::gate::KeyPolicy;
use crate::routing::PathOperations;

/// Documents the permissions of console operations; the console's guard enforces them.
pub(crate) fn declare_for_sessions(permission: &Permission, operations: &mut PathOperations) {
    for operation in operations.described.paths.values_mut().flat_map(inline::operations) {
        add_permission(permission, operation);
        add_default_response(operation);
        operation.security = Some(vec![match permission.access {
            Access::Public => SecurityRequirement::default(),
            _ => SecurityRequirement::new::<_, _, &str>(SESSION_SCHEME, []),
        }]);
    }
}

fn add_permission(permission: &Permission, operation: &mut Operation) {
    let extension = ExtensionsBuilder::new().add("x-service-permissions", as_json(permission)).build();
    operation.extensions.get_or_insert_default().merge(extension);
}

/// Documents the permissions of API operations; the gate enforces them.
pub(crate) fn declare(permission: &Permission, key_policy: KeyPolicy, operations: &mut PathOperations) {
    let legacy = operations.path.starts_with("/{tenantId}/");
    for operation in operations.described.paths.values_mut().flat_map(inline::operations) {
        add_tag(operation, operations.path);
        add_not_found(operation, operations.path);
        declare_operation(permission, operation, legacy);
        if legacy {
            add_tenant(operation);
        }
        if key_policy == KeyPolicy::Accepted {
            add_idempotency(operation);
        }
    }
}

fn declare_operation(permission: &Permission, operation: &mut Operation, legacy: bool) {
    add_permission(permission, operation);
    let text = operation.description.take().unwrap_or_default();
    operation.description = Some(format!("{text}\n\n**Permissions**\n\n{}", in_words(permission)).trim().to_owned());
    let none: [&str; 0] = [];
    let security = match permission.access {
        Access::Public => SecurityRequirement::default(),
        Access::AnyCredential | Access::LegacyJwtOnly => SecurityRequirement::new("bearer", none),
    };
    operation.security = Some(vec![security]);
    add_error_responses(operation, permission, legacy);
}

fn as_json(permission: &Permission) -> serde_json::Value {
    if permission.access == Access::Public {
        return serde_json::json!({"public": true, "any_of": []});
    }
    let mut json = serde_json::json!({
        "any_of": permission.any_of,
        "roles": permission.roles,
        "feature": permission.feature.map(domain::identity::plans::Feature::name),
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
        return "None. This operation is public.".to_owned();
    }
    let scopes = match (permission.access, permission.any_of) {
        (Access::LegacyJwtOnly, _) => "Only a legacy JWT is accepted; it has no scopes.".to_owned(),
        (_, []) => "No specific scope is required, but an OIDC token needs `api`.".to_owned(),
        (_, scopes) => {
            let names: Vec<_> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
            format!("Scopes (at least one): {}.", names.join(", "))
        }
    };
    let roles: Vec<_> = permission.roles.iter().map(|role| format!("`{role}`")).collect();
    let feature = permission.feature.map(|feature| format!(" Feature: `{}`.", feature.name())).unwrap_or_default();
    let exempt = if permission.counted { "" } else { " Calls do not count towards the monthly limit." };
    format!("{scopes} Roles: {}.{feature}{exempt}", roles.join(", "))
}
