//! `GET /c/{code}`: somebody opens a tracked link, and is led to where the button really leads.

use app::clicks::{Refused, Visit};
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use crate::ApiState;
use crate::error::{ApiError, ApiResult, ErrorBody, INTERNAL, NOT_FOUND};
use crate::gate::ClientAddress;

const X_ROBOTS_TAG: HeaderName = HeaderName::from_static("x-robots-tag");

/// What every answer has: it counts each time, tells nobody where somebody came from, and is in no search engine.
const ALWAYS: [(HeaderName, HeaderValue); 4] = [
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (X_ROBOTS_TAG, HeaderValue::from_static("noindex, nofollow")),
];

/// Open a tracked link
///
/// A URL button of a template with `is_url_btn_click_tracking_enabled` leads here. The hit is stored before this is
/// answered, with who opened it (`human`, `repeat`, `preview`, `prefetch`, `scanner`); the first of a person is told as
/// `ctaUrlClicked` and `ctaUrlClicked_bsuid`. A code that is not ours, was changed or cut, or whose message is gone leads
/// nowhere. `HEAD` is answered alike.
#[utoipa::path(
    get,
    path = "/c/{code}",
    tag = "clicks",
    params(("code" = String, Path, description = "What the message's link ends in.",
        example = "AQAAAAAAAYcqaetOmh8MLT5KW2x9AP8QIC4nEfdcRbK0mYs")),
    responses(
        (status = 302, description = "To the button's address, its variables filled in.", headers(
            ("Location" = String, description = "The address."),
            ("Cache-Control" = String, description = "`no-store`."),
        )),
        (status = 404, description = "Reasons: `not_found`. A browser gets a page.",
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
    // As it was written: a code has one spelling.
    let code = request.uri.path().rsplit('/').next().unwrap_or_default();
    let url = state.app.clicks().open(code, &visit).await.map_err(refusal)?;
    let location = HeaderValue::try_from(url).map_err(|_| OpenFailure::Nowhere(GONE))?;
    Ok((StatusCode::FOUND, [(header::LOCATION, location)]).into_response())
}

fn visit(request: &Parts) -> ApiResult<Visit> {
    let address = request.extensions.get::<ClientAddress>();
    let ClientAddress(address) = address.ok_or_else(|| ApiError::new(INTERNAL, "The caller has no address"))?;
    let header = |name: &str| request.headers.get(name).map(HeaderValue::as_bytes);
    let kept = domain::clicks::Request::new(request.method.as_str(), header);
    Ok(Visit { address: *address, request: kept })
}

const FORGED: &str = "This link is not valid. Perhaps a part of it is missing.";
const GONE: &str = "What this link belongs to is no longer there.";

fn refusal(refused: Refused) -> OpenFailure {
    match refused {
        Refused::Forged => {
            metrics::counter!("switchboard_link_codes_refused_total").increment(1);
            OpenFailure::Nowhere(FORGED)
        }
        Refused::Gone => OpenFailure::Nowhere(GONE),
        Refused::Failed(error) => OpenFailure::Failed(ApiError::from(error)),
    }
}

/// People see a page, machines the usual error.
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
