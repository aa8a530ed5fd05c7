//! The OpenAPI document: its head, the error answers that all operations share, and the finished whole.

use domain::permission::{Access, Permission};
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::Response;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, HeaderBuilder, InfoBuilder, LicenseBuilder, ObjectBuilder, OpenApi,
    OpenApiBuilder, Ref, RefOr, ResponseBuilder, Type,
};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::error::{ErrorBody, HANDSHAKE_REFUSED, Kind, SIGNATURE_INVALID, SIGNATURE_MISSING, catalogue};

/// Hooks name them in their own answers; no other operation gives them.
const OF_HOOKS: [Kind; 3] = [SIGNATURE_MISSING, SIGNATURE_INVALID, HANDSHAKE_REFUSED];

/// The whole document.
pub fn openapi() -> OpenApi {
    crate::operations().into_openapi()
}

/// The document before any operation is in it.
pub(crate) fn head() -> OpenApi {
    let bearer = SecurityScheme::Http(Http::builder().scheme(HttpAuthScheme::Bearer).description(Some(BEARER)).build());
    let components = ComponentsBuilder::new()
        .schema(ErrorBody::name(), ErrorBody::schema())
        .security_scheme("bearer", bearer)
        .build();
    let info = InfoBuilder::new()
        .title("Switchboard")
        .version(env!("CARGO_PKG_VERSION"))
        .description(Some(description()))
        .license(Some(LicenseBuilder::new().name("Apache-2.0").identifier(Some("Apache-2.0")).build()))
        .build();
    let servers = [utoipa::openapi::Server::new("/")];
    OpenApiBuilder::new().info(info).components(Some(components)).servers(Some(servers)).build()
}

const BEARER: &str =
    "An API access token (`swb_...`), a JWT of a configured OIDC issuer, or a legacy JWT of this server.";

fn description() -> String {
    let rows = catalogue().iter().fold(String::new(), |rows, kind| {
        rows + &format!("| {} | `{}` | {} |\n", kind.code, kind.reason, kind.meaning)
    });
    format!(
        "Business messaging on your own machine. Every call carries `Authorization: Bearer <API_TOKEN>`.\n\n\
         Permissions are not OAuth scopes: each operation states them in its **Permissions** section and in \
         `x-service-permissions`.\n\n## Errors\n\n| code | reason | meaning |\n|---|---|---|\n{rows}"
    )
}

/// Every status that any operation can answer with, besides its own.
pub(crate) fn add_error_responses(operation: &mut Operation, permission: &Permission, legacy: bool) {
    let mut statuses = vec![400, 408, 421, 431, 500, 503];
    if permission.access != Access::Public {
        statuses.extend([401, 403, 429]);
    }
    if operation.request_body.is_some() || legacy {
        statuses.extend([413, 415]);
    }
    for status in statuses {
        let known = &mut operation.responses.responses;
        known.entry(status.to_string()).or_insert_with(|| RefOr::T(error_response(status)));
    }
    for answer in operation.responses.responses.values_mut() {
        if let RefOr::T(answer) = answer {
            answer.headers.entry("X-Request-Id".to_owned()).or_insert_with(request_id_header);
        }
    }
}

fn request_id_header() -> RefOr<utoipa::openapi::Header> {
    let text = ObjectBuilder::new().schema_type(Type::String).build();
    RefOr::T(HeaderBuilder::new().schema(Some(text)).description(Some("Names this request in the log.")).build())
}

/// The answer of one error status, with the reasons that it can have.
pub(crate) fn error_response(status: u32) -> Response {
    let common = |kind: &&Kind| kind.code / 100 == status && OF_HOOKS.iter().all(|other| other.code != kind.code);
    let reasons: Vec<_> = catalogue().iter().filter(common).map(|kind| format!("`{}`", kind.reason)).collect();
    let content = ContentBuilder::new().schema(Some(RefOr::Ref(Ref::from_schema_name(ErrorBody::name())))).build();
    let mut response = ResponseBuilder::new()
        .description(format!("Reasons: {}.", reasons.join(", ")))
        .content("application/json", content);
    if status == 429 {
        response = response.header("Retry-After", seconds_header());
    }
    response.build()
}

fn seconds_header() -> utoipa::openapi::Header {
    let number = ObjectBuilder::new().schema_type(Type::Integer).build();
    HeaderBuilder::new().schema(Some(number)).description(Some("Seconds to wait.")).build()
}
