//! The parameters, headers, tags and error responses that operations share.

use domain::identity::permission::{Access, Permission};
use utoipa::ToSchema as _;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::Response;
use utoipa::openapi::{ContentBuilder, HeaderBuilder, ObjectBuilder, Ref, RefOr, Required, ResponseBuilder, Type};

use crate::error::{
    ErrorBody, ErrorKind, HANDSHAKE_REFUSED, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED, LOG_IN_PAUSED,
    SIGNATURE_INVALID, SIGNATURE_MISSING, USAGE_EXHAUSTED, catalogue,
};

/// Errors that the shared error responses omit: the errors of hooks, which document them themselves, and of the
/// console's log-in, which is not in the document.
const NOT_OF_OPERATIONS: [ErrorKind; 4] = [SIGNATURE_MISSING, SIGNATURE_INVALID, HANDSHAKE_REFUSED, LOG_IN_PAUSED];

/// The beginning of the paths of V3.
const V3: &str = "/api/ext/v3/";

/// The security scheme of operations by session.
pub(super) const SESSION_SCHEME: &str = "session";

/// Tags an operation of V3 with its area, unless it names one itself.
pub(super) fn add_tag(operation: &mut Operation, path: &str) {
    let Some(resource) = path.strip_prefix(V3).and_then(|rest| rest.split('/').next()) else { return };
    let area = match resource {
        "activity" | "cannedReplies" | "labels" | "operators" => "conversations",
        "events" => "webhooks",
        "automation" | "openingHours" => "routing",
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
pub(super) fn add_not_found(operation: &mut Operation, path: &str) {
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
pub(super) fn add_default_response(operation: &mut Operation) {
    let failed = || RefOr::T(refusal("The operation failed; `reason` says why.".to_owned()));
    operation.responses.responses.entry("default".to_owned()).or_insert_with(failed);
}

/// Adds the shared error responses that apply to this operation. Responses that it declares itself are kept.
pub(super) fn add_error_responses(operation: &mut Operation, permission: &Permission, legacy: bool) {
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
pub(super) fn add_tenant(operation: &mut Operation) {
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
pub(super) fn add_idempotency(operation: &mut Operation) {
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
        .name(app::base::idempotency::HEADER)
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
