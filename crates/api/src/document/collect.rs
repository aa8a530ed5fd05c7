//! The OpenAPI documents, collected from the routes of all operations: introduction, security schemes, operations.

use std::borrow::Cow;

use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, LicenseBuilder, OpenApi, OpenApiBuilder};
use utoipa::{PartialSchema as _, ToSchema as _};

use super::describe::SESSION_SCHEME;
use super::inline;
use crate::error::{ErrorBody, catalogue};
use crate::routing::Operations;

/// The OpenAPI document as JSON.
pub fn openapi() -> Cow<'static, str> {
    finished(head(), crate::routes::operations_with(crate::v3::operations()))
}

/// The document of the console's own operations, for its user interface.
pub fn console_openapi() -> Cow<'static, str> {
    finished(console_head(), crate::console::session_operations())
}

fn finished(mut document: OpenApi, operations: Operations) -> Cow<'static, str> {
    document.merge(operations.document);
    inline::inline_scalars(&mut document);
    let mut text = document.to_pretty_json().unwrap_or_default();
    text.push('\n');
    text.into()
}

/// The document before any operation is in it.
fn head() -> OpenApi {
    let bearer = SecurityScheme::Http(Http::builder().scheme(HttpAuthScheme::Bearer).description(Some(BEARER)).build());
    head_of("Switchboard", &description(), ("bearer", bearer))
}

/// The document of the console's own operations, before any is in it.
fn console_head() -> OpenApi {
    let session = SecurityScheme::ApiKey(ApiKey::Cookie(ApiKeyValue::new("switchboard_session")));
    head_of("Switchboard console", CONSOLE, (SESSION_SCHEME, session))
}

fn head_of(title: &str, description: &str, (scheme, security): (&str, SecurityScheme)) -> OpenApi {
    let mut errors = Vec::new();
    ErrorBody::schemas(&mut errors);
    let components = ComponentsBuilder::new()
        .schema(ErrorBody::name(), ErrorBody::schema())
        .schemas_from_iter(errors)
        .security_scheme(scheme, security)
        .build();
    let info = InfoBuilder::new()
        .title(title)
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(description))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
        .build();
    let servers = [utoipa::openapi::Server::new("/")];
    OpenApiBuilder::new().info(info).components(Some(components)).servers(Some(servers)).build()
}

const CONSOLE: &str = "Operations for the console's user interface, authenticated by the session cookie. Every V3 API \
                       operation is available in the same way under `/console/api/...`. Requests other than GET must \
                       send the session's `csrf_token` in the `X-CSRF-Token` header.";

const BEARER: &str =
    "An API access token (`swb_...`), a JWT from a configured OIDC issuer, or a legacy JWT from this server.";

fn description() -> String {
    let rows = catalogue().iter().fold(String::new(), |rows, kind| {
        rows + &format!("| {} | `{}` | {} |\n", kind.code, kind.reason, kind.meaning)
    });
    format!(
        "Self-hosted business messaging. Send `Authorization: Bearer <API_TOKEN>` with every call.\n\n\
         You can refer to a person by phone number, contact id or BSUID. The BSUID (Business Solution User ID, which \
         Meta calls business-scoped user ID) is the network's stable id for a person.\n\n\
         Permissions are not OAuth scopes. Each operation lists them in its **Permissions** section and in \
         `x-service-permissions`.\n\n## Errors\n\n| code | reason | meaning |\n|---|---|---|\n{rows}"
    )
}
