//! The OpenAPI document, with the feature `document`: its introduction, and the parameters, headers and error
//! responses that operations share.

mod answers;
mod inline;
mod permissions;

use std::borrow::Cow;

use domain::permission::{Access, Permission};
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::Response;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{
    ComponentsBuilder, ContentBuilder, HeaderBuilder, InfoBuilder, LicenseBuilder, ObjectBuilder, OpenApi,
    OpenApiBuilder, Ref, RefOr, Required, ResponseBuilder, Type,
};
use utoipa::{PartialSchema as _, ToSchema as _};

use crate::error::{
    ErrorBody, ErrorKind, HANDSHAKE_REFUSED, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, LOG_IN_PAUSED,
    SIGNATURE_INVALID, SIGNATURE_MISSING, USAGE_EXHAUSTED, catalogue,
};
use crate::routing::Operations;

/// Errors that the shared error responses omit: the errors of hooks, which document them themselves, and of the
/// console's log-in, which is not in the document.
const NOT_OF_OPERATIONS: [ErrorKind; 4] = [SIGNATURE_MISSING, SIGNATURE_INVALID, HANDSHAKE_REFUSED, LOG_IN_PAUSED];

use inline::operations;
pub(crate) use permissions::{declare, declare_for_sessions};

/// The beginning of the paths of V3.
const V3: &str = "/api/ext/v3/";

/// The OpenAPI document as JSON.
pub fn openapi() -> Cow<'static, str> {
    finished(head(), crate::operations_with(crate::v3::operations()))
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

/// The security scheme of operations by session.
const SESSION_SCHEME: &str = "session";

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

/// Tags an operation of V3 with its area, unless it names one itself.
fn add_tag(operation: &mut Operation, path: &str) {
    let Some(resource) = path.strip_prefix(V3).and_then(|rest| rest.split('/').next()) else { return };
    let area = match resource {
        "activity" | "cannedReplies" | "labels" | "operators" => "conversations",
        "events" => "webhooks",
        "messageTemplates" => "templates",
        "payments" => "orders",
        "segments" => "contacts",
        other => other,
    };
    let tags = operation.tags.get_or_insert_default();
    if tags.is_empty() {
        tags.push(area.to_owned());
    }
}

/// Adds 404 to a V3 operation that names something in its path or belongs to the sandbox, unless it declares the
/// response itself.
fn add_not_found(operation: &mut Operation, path: &str) {
    let Some(rest) = path.strip_prefix(V3) else { return };
    let reasons = match (rest.starts_with("sandbox/"), rest.contains('{')) {
        (false, false) => return,
        (false, true) => "Reasons: `not_found`.",
        (true, false) => "Reasons: `sandbox_off`.",
        (true, true) => "Reasons: `sandbox_off`, `not_found`.",
    };
    let known = &mut operation.responses.responses;
    known.entry("404".to_owned()).or_insert_with(|| RefOr::T(refusal(reasons.to_owned())));
}

/// Adds the response for any failure of an operation that is authenticated by session.
fn add_default_response(operation: &mut Operation) {
    let failed = || RefOr::T(refusal("The operation failed; `reason` says why.".to_owned()));
    operation.responses.responses.entry("default".to_owned()).or_insert_with(failed);
}

/// Adds the shared error responses that apply to this operation. Responses that it declares itself are kept.
fn add_error_responses(operation: &mut Operation, permission: &Permission, legacy: bool) {
    let mut statuses = vec![400, 408, 421, 431, 500, 503];
    if permission.access != Access::Public {
        statuses.extend([401, 403, 429]);
    }
    if operation.request_body.is_some() || legacy {
        statuses.extend([413, 415]);
    }
    for status in statuses {
        let known = &mut operation.responses.responses;
        known.entry(status.to_string()).or_insert_with(|| RefOr::T(error_response(status, permission.counted)));
    }
    for answer in operation.responses.responses.values_mut() {
        if let RefOr::T(answer) = answer {
            answer.headers.entry("X-Request-Id".to_owned()).or_insert_with(request_id_header);
        }
    }
}

/// Adds the parameter `tenantId`, the first segment of every V1 and V2 path. The gate parses it, so operations do not
/// declare it.
fn add_tenant(operation: &mut Operation) {
    let text = ObjectBuilder::new().schema_type(Type::String).build();
    let tenant = ParameterBuilder::new()
        .name("tenantId")
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some("The tenant's id."))
        .schema(Some(text))
        .example(Some("100001".into()))
        .build();
    operation.parameters.get_or_insert_default().insert(0, RefOr::T(tenant));
}

/// Documents support for `Idempotency-Key`: the header, its two reasons for 409, and the header that marks a replayed
/// response.
fn add_idempotency(operation: &mut Operation) {
    operation.parameters.get_or_insert_default().push(RefOr::T(key_header()));
    let refusals = format!("`{}`, `{}`", IDEMPOTENCY_KEY_REUSED.reason, IDEMPOTENCY_IN_PROGRESS.reason);
    let answers = &mut operation.responses.responses;
    let conflict = answers.entry("409".to_owned()).or_insert_with(|| RefOr::T(refusal("Reasons".to_owned())));
    if let RefOr::T(conflict) = conflict {
        let others = conflict.description.trim_end_matches('.');
        let joint = if others == "Reasons" { ":" } else { "," };
        conflict.description = format!("{others}{joint} {refusals}.");
        conflict.headers.insert("Retry-After".to_owned(), RefOr::T(seconds_header()));
    }
    for (_, answer) in answers.iter_mut().filter(|(status, _)| status.starts_with('2')) {
        if let RefOr::T(answer) = answer {
            answer.headers.insert("Idempotent-Replayed".to_owned(), RefOr::T(replayed_header()));
        }
    }
}

fn key_header() -> Parameter {
    let text = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(255))
        .pattern(Some("^[A-Za-z0-9._-]+$"));
    ParameterBuilder::new()
        .name(app::idempotency::HEADER)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(KEY))
        .schema(Some(text))
        .build()
}

const KEY: &str = "Makes the call safe to retry: for 24 hours, repeating the request with the same key returns the \
                   first response and has no further effect.";

fn replayed_header() -> utoipa::openapi::Header {
    let text = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(["true"])).build();
    let meaning = "Present if this is the stored response to an earlier call with the same `Idempotency-Key`.";
    HeaderBuilder::new().schema(Some(text)).description(Some(meaning)).build()
}

fn request_id_header() -> RefOr<utoipa::openapi::Header> {
    let text = ObjectBuilder::new().schema_type(Type::String).build();
    RefOr::T(HeaderBuilder::new().schema(Some(text)).description(Some("The request's id in the log.")).build())
}

/// The response for one error status, with its reasons. `counted`: whether calls count towards the monthly limit.
fn error_response(status: u32, counted: bool) -> Response {
    let others = |kind: &ErrorKind| {
        NOT_OF_OPERATIONS.iter().any(|other| other.code == kind.code) || (kind.code == USAGE_EXHAUSTED.code && !counted)
    };
    let common = |kind: &&ErrorKind| kind.code / 100 == status && !others(kind);
    let reasons: Vec<_> = catalogue().iter().filter(common).map(|kind| format!("`{}`", kind.reason)).collect();
    let mut response = refusal(format!("Reasons: {}.", reasons.join(", ")));
    if status == 429 {
        response.headers.insert("Retry-After".to_owned(), RefOr::T(seconds_header()));
    }
    response
}

fn refusal(description: String) -> Response {
    let content = ContentBuilder::new().schema(Some(RefOr::Ref(Ref::from_schema_name(ErrorBody::name())))).build();
    ResponseBuilder::new().description(description).content("application/json", content).build()
}

fn seconds_header() -> utoipa::openapi::Header {
    let number = ObjectBuilder::new().schema_type(Type::Integer).build();
    HeaderBuilder::new().schema(Some(number)).description(Some("Seconds to wait before retrying.")).build()
}
