//! Builds answers in the network's format.

use channels::transport::{Body, full};
use http::{HeaderValue, Method, Response, StatusCode, header};
use serde_json::{Map, Value, json};

use super::error::{GraphError, Refusal};
use crate::Reply;

pub fn ok(value: &Value) -> Reply {
    Reply::Answer(response(StatusCode::OK, value))
}

pub fn success() -> Reply {
    ok(&json!({ "success": true }))
}

pub fn refused(error: &GraphError, trace: &str) -> Reply {
    let mut response = response(error.status, &error.to_json(trace));
    if error.status == StatusCode::UNAUTHORIZED {
        let challenge = HeaderValue::from_static("OAuth \"Facebook Platform\" \"invalid_token\"");
        response.headers_mut().insert(header::WWW_AUTHENTICATE, challenge);
    }
    Reply::Answer(response)
}

/// An answer with this status and an HTML body instead of a Graph error, as a failing proxy sends it.
pub fn broken(status: u16) -> Reply {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    let mut response = Response::new(full("<html><body>Sorry, something went wrong.</body></html>"));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html"));
    Reply::Answer(response)
}

fn response(status: StatusCode, value: &Value) -> Response<Body> {
    let mut response = Response::new(full(value.to_string()));
    *response.status_mut() = status;
    let json = HeaderValue::from_static("application/json; charset=UTF-8");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    response
}

/// Keeps `id` and the members that `fields` lists, separated by commas; all members without `fields`.
pub fn only(value: Value, fields: Option<&String>) -> Value {
    let Some(fields) = fields.filter(|fields| !fields.is_empty()) else { return value };
    // Of `b{c,d}` only `b` counts: nested selections are ignored.
    let names: Vec<&str> =
        fields.split(',').map(|field| field.split(['{', '.']).next().unwrap_or_default().trim()).collect();
    match value {
        Value::Object(members) => {
            let wanted = |name: &String| name == "id" || names.contains(&name.as_str());
            Value::Object(members.into_iter().filter(|(name, _)| wanted(name)).collect::<Map<_, _>>())
        }
        other => other,
    }
}

pub fn unsupported(method: &Method, id: &str) -> Refusal {
    let error = GraphError::no_object(method, id);
    let status = if id.is_empty() { StatusCode::NOT_FOUND } else { error.status };
    GraphError { status, ..error }.into()
}
