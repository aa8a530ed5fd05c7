//! Opens every V3 operation to console sessions: `/console/api/calls` is `/api/ext/v3/calls`, and so on for all of
//! them.
//!
//! The routes are those of the V3 table itself, so no operation can be missing here. The guard checks the session and,
//! unless the method is GET or HEAD, `Origin` and CSRF token; the gate before each operation then checks role and
//! feature, and counts the request towards the plan's limits. A session has no scopes.

use std::convert::Infallible;

use app::identity::sessions::SessionReach;
use axum::Router;
use axum::extract::Request;
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderValue, Uri, header};
use domain::identity::permission::Permission;
use tower::{Service, ServiceExt as _, service_fn};

use super::guard::{admit, without_caching};
use super::roles::ALL_ROLES;
use crate::edge::paths::V3;
use crate::error::MALFORMED_REQUEST;
use crate::gate::ConsoleSession;
use crate::prelude::*;

/// Serves requests under `/console/api` with the routes of V3.
pub(crate) fn by_session(
    v3: Router,
) -> impl Service<Request, Response = Response, Error = Infallible, Future: Send> + Clone + Send + Sync + 'static {
    service_fn(move |request| {
        let v3 = v3.clone();
        async move { Ok(without_caching(as_attachment(forward(v3, request).await))) }
    })
}

async fn forward(v3: Router, request: Request) -> Response {
    let (mut parts, body) = request.into_parts();
    let session = match admit(&Permission::of(ALL_ROLES, &[]), SessionReach::Everything, &mut parts).await {
        Ok(session) => session,
        Err(error) => return error.into_response(),
    };
    parts.uri = match v3_uri(&parts.uri) {
        Ok(uri) => uri,
        Err(error) => return error.into_response(),
    };
    parts.extensions.insert::<ConsoleSession>(session);
    match v3.oneshot(Request::from_parts(parts, body)).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Turns `Content-Disposition: inline` into `attachment`: a file that a person sent must not open as a page on the
/// console's host, where the browser has a session.
fn as_attachment(mut response: Response) -> Response {
    let disposition = response.headers().get(header::CONTENT_DISPOSITION).and_then(|value| value.to_str().ok());
    let rest = disposition.and_then(|value| value.strip_prefix("inline"));
    if let Some(value) = rest.and_then(|rest| HeaderValue::try_from(format!("attachment{rest}")).ok()) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    }
    response
}

/// Puts the prefix of V3 in front of the path, from which `nest_service` has removed `/console/api`.
fn v3_uri(uri: &Uri) -> ApiResult<Uri> {
    let rest = uri.path_and_query().map_or("/", PathAndQuery::as_str);
    Uri::try_from(format!("{V3}{rest}")).map_err(|_| ApiError::new(MALFORMED_REQUEST, "The path is not valid"))
}
