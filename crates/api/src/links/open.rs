//! `GET /c/{code}`: redirects a person from a tracked link to the button's address.

use app::messaging::clicks::{LinkRefused, Visit};
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::error::INTERNAL;
use crate::gate::ClientAddress;
use crate::prelude::*;

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// Headers of every answer. They keep caches from answering in place of the server (each hit must be counted), browsers
/// from sending a referrer to the target and from guessing a content type, and search engines from listing the link.
const ALWAYS: [(HeaderName, HeaderValue); 4] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_ROBOTS_TAG, HeaderValue::from_static("noindex, nofollow")),
];

/// Open a tracked link
///
/// URL buttons of templates with `is_url_btn_click_tracking_enabled` lead here. Switchboard stores the hit with its
/// class (`human`, `repeat`, `preview`, `prefetch` or `scanner`) before it responds. A person's first `human` hit on a
/// button appends the events `ctaUrlClicked` and `ctaUrlClicked_bsuid`. A code that is unknown, altered or incomplete,
/// or whose message no longer exists, returns `404`. `HEAD` works like `GET`.
#[described::path(
    get,
    path = "/c/{code}",
    tag = "clicks",
    params(("code" = String, Path, description = "The code at the end of the message's link.",
        example = "AQAAAAAAAYcqaetOmh8MLT5KW2x9AP8QIC4nEfdcRbK0mYs")),
    responses(
        (status = 302, description = "The button's address, with its variables filled in.", headers(
            ("Location" = String, description = "The address."),
            ("Cache-Control" = String, description = "`no-store`."),
        )),
        (status = 404, description = "Reasons: `not_found`. Browsers get a page.",
            content((ErrorBody = "application/json"), (String = "text/html"))),
    ),
)]
pub(crate) async fn open_link(State(state): State<ApiState>, request: Request) -> Response {
    let (request, _) = request.into_parts();
    let mut answer = match open(&state, &request).await {
        Ok(answer) => answer,
        Err(OpenFailure::Nowhere(text)) => nowhere(&request.headers, text),
        Err(OpenFailure::Failed(error)) => error.into_response(),
    };
    answer.headers_mut().extend(ALWAYS);
    answer
}

enum OpenFailure {
    Nowhere(&'static str),
    Failed(ApiError),
}

async fn open(state: &ApiState, request: &Parts) -> Result<Response, OpenFailure> {
    let visit = visit(request).map_err(OpenFailure::Failed)?;
    // Taken from the raw path without percent-decoding: a code has exactly one valid spelling.
    let code = request.uri.path().rsplit('/').next().unwrap_or_default();
    let url = state.app.messaging().clicks().open(code, &visit).await.map_err(refusal)?;
    let location = HeaderValue::try_from(url).map_err(|_| OpenFailure::Nowhere(GONE))?;
    Ok((StatusCode::FOUND, [(header::LOCATION, location)]).into_response())
}

fn visit(request: &Parts) -> ApiResult<Visit> {
    let address = request.extensions.get::<ClientAddress>();
    let ClientAddress(address) = address.ok_or_else(|| ApiError::new(INTERNAL, "The caller has no address"))?;
    let header = |name: &str| request.headers.get(name).map(HeaderValue::as_bytes);
    let kept = domain::messaging::clicks::Request::new(request.method.as_str(), header);
    Ok(Visit { address: *address, request: kept })
}

const FORGED: &str = "This link is not valid. Part of it may be missing.";
const GONE: &str = "The message this link belongs to no longer exists.";

fn refusal(refused: LinkRefused) -> OpenFailure {
    match refused {
        LinkRefused::Forged => {
            metrics::counter!("switchboard_link_codes_refused_total").increment(1);
            OpenFailure::Nowhere(FORGED)
        }
        LinkRefused::Gone => OpenFailure::Nowhere(GONE),
        LinkRefused::Failed(error) => OpenFailure::Failed(ApiError::from(error)),
    }
}

/// Answers 404: with an HTML page if the client accepts HTML, otherwise with the usual JSON error.
fn nowhere(headers: &HeaderMap, text: &'static str) -> Response {
    let accept = headers.get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    if !accept.contains("text/html") {
        return ApiError::new(NOT_FOUND, text).into_response();
    }
    let page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
         <title>Link not found</title><body style=\"font-family:sans-serif;margin:3em auto;max-width:30em\"><p>{text}</p>"
    );
    (StatusCode::NOT_FOUND, [(header::CONTENT_TYPE, "text/html; charset=utf-8")], page).into_response()
}
