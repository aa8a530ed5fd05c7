//! Pages for browsers: `/`, the console, the documentation and the page of the OpenAPI document. Files and their
//! headers come from `web-console`; this module makes responses of them. `/console/api` and `/api/openapi.json` are not
//! here: the routes of `api` take precedence over these.

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::get;
use axum::{Json, Router};

const CONSOLE: &str = "/console/";
const DOCS: &str = "/docs";
const API_DOCS: &str = "/api/docs/";

pub(super) fn pages() -> Router {
    Router::new()
        .route("/", get(lead_on))
        .route("/console", get(console))
        .route(CONSOLE, get(console))
        .route("/console/{*path}", get(console))
        .route(DOCS, get(docs))
        .route("/docs/", get(docs))
        .route("/docs/{*path}", get(docs))
        .route("/api/docs", get(to_api_docs))
        .route(API_DOCS, get(api_docs))
        .route("/api/docs/{*path}", get(api_docs))
}

/// Redirects a browser to the console; answers other clients with the paths of console, API, documents and health.
async fn lead_on(headers: HeaderMap) -> Response {
    let mut response = if text(&headers, &header::ACCEPT).is_some_and(|accepted| accepted.contains("text/html")) {
        Redirect::temporary(CONSOLE).into_response()
    } else {
        Json(serde_json::json!({
            "name": "Switchboard",
            "console": CONSOLE,
            "api": "/api/ext/v3",
            "docs": "/api/docs",
            "guide": DOCS,
            "openapi": "/api/openapi.json",
            "health": "/healthz",
        }))
        .into_response()
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("Accept"));
    response
}

async fn console(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().strip_prefix(CONSOLE).unwrap_or_default();
    respond(path, &headers, web_console::answer)
}

async fn docs(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().strip_prefix(DOCS).unwrap_or_default().trim_start_matches('/');
    respond(path, &headers, web_console::docs::answer)
}

/// The page names its files relative to its own address, which therefore has to end in a slash.
async fn to_api_docs() -> Redirect {
    Redirect::to(API_DOCS)
}

async fn api_docs(uri: Uri, headers: HeaderMap) -> Response {
    let path = uri.path().strip_prefix(API_DOCS).unwrap_or_default();
    respond(path, &headers, web_console::api_docs::answer)
}

/// Makes a response of what the function answers for a path and the headers about coding and cache.
fn respond(
    path: &str,
    headers: &HeaderMap,
    find: fn(&str, Option<&str>, Option<&str>) -> web_console::Answer,
) -> Response {
    let accept_encoding = text(headers, &header::ACCEPT_ENCODING);
    let if_none_match = text(headers, &header::IF_NONE_MATCH);
    let answer = find(path, accept_encoding.as_deref(), if_none_match.as_deref());
    let mut response = Response::new(Body::from(answer.body));
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().append(HeaderName::from_static(name), value);
        }
    }
    response
}

/// All lines of a header, joined by commas; lines that are no text are left out.
fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    let lines: Vec<&str> = headers.get_all(name).iter().filter_map(|line| line.to_str().ok()).collect();
    (!lines.is_empty()).then(|| lines.join(", "))
}

#[cfg(test)]
mod tests {
    use axum::http::Request;
    use tower::ServiceExt as _;

    use super::*;

    async fn answer(path: &str, headers: &[(&str, &str)]) -> (Response<()>, Vec<u8>) {
        let mut request = Request::get(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let response = pages().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (parts, body) = response.into_parts();
        (Response::from_parts(parts, ()), axum::body::to_bytes(body, usize::MAX).await.unwrap().to_vec())
    }

    #[tokio::test]
    async fn a_browser_is_led_to_the_console_and_others_get_links() {
        let (browser, _) = answer("/", &[("accept", "text/html,application/xhtml+xml,*/*;q=0.8")]).await;
        assert_eq!(browser.status(), StatusCode::TEMPORARY_REDIRECT);
        assert_eq!(browser.headers()[header::LOCATION], CONSOLE);
        let (curl, body) = answer("/", &[("accept", "*/*")]).await;
        assert_eq!(
            (curl.status(), &curl.headers()[header::VARY]),
            (StatusCode::OK, &HeaderValue::from_static("Accept"))
        );
        let links: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((&links["console"], &links["docs"]), (&"/console/".into(), &"/api/docs".into()));
        assert_eq!(links["guide"], DOCS);
        assert_eq!(answer("/", &[]).await.1, body);
    }

    #[tokio::test]
    async fn every_path_of_the_console_is_the_page() {
        let page = web_console::index().content.plain();
        for path in ["/console", "/console/", "/console/calls?direction=in", "/console/phone/ada%20winter"] {
            let (response, body) = answer(path, &[]).await;
            assert_eq!(body, page, "{path}");
            assert_eq!(response.headers()[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
            assert!(response.headers().contains_key(header::CONTENT_SECURITY_POLICY));
        }
    }

    #[tokio::test]
    async fn the_documentation_has_an_overview_pages_and_a_page_for_wrong_addresses() {
        let (overview, body) = answer("/docs", &[]).await;
        assert_eq!((overview.status(), answer("/docs/", &[]).await.1), (StatusCode::OK, body));
        let (page, _) = answer("/docs/webhooks", &[("accept-encoding", "gzip")]).await;
        assert_eq!(page.status(), StatusCode::OK);
        assert_eq!(page.headers()[header::CONTENT_ENCODING], "gzip");
        let known = page.headers()[header::ETAG].to_str().unwrap();
        assert_eq!(answer("/docs/webhooks", &[("if-none-match", known)]).await.0.status(), StatusCode::NOT_MODIFIED);
        let (missing, body) = answer("/docs/nothing", &[]).await;
        assert_eq!(missing.status(), StatusCode::NOT_FOUND);
        assert!(String::from_utf8(body).unwrap().contains("There is no such page"));
    }

    #[tokio::test]
    async fn the_page_of_the_openapi_document_has_a_policy_of_its_own() {
        let (redirect, _) = answer("/api/docs", &[]).await;
        assert_eq!(redirect.status(), StatusCode::SEE_OTHER);
        assert_eq!(redirect.headers()[header::LOCATION], API_DOCS);
        let (page, body) = answer(API_DOCS, &[]).await;
        assert_eq!(page.status(), StatusCode::OK);
        let policy = page.headers()[header::CONTENT_SECURITY_POLICY].to_str().unwrap();
        assert!(policy.contains("style-src 'self' 'unsafe-inline'"), "{policy}");
        assert!(String::from_utf8(body).unwrap().contains("<title>Switchboard API</title>"));
        let (script, _) = answer("/api/docs/swagger-ui-bundle.js", &[("accept-encoding", "gzip")]).await;
        assert_eq!(script.status(), StatusCode::OK);
        assert_eq!(script.headers()[header::CONTENT_ENCODING], "gzip");
        assert_eq!(answer("/api/docs/swagger-ui.js", &[]).await.0.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn files_are_compressed_and_kept() {
        // Looks for a file that is stored compressed; small files are not.
        let is_compressed = |path: &&str| {
            web_console::find(path).is_some_and(|asset| matches!(asset.content, web_console::Stored::Gzip(_)))
        };
        let mut hashed = web_console::paths().filter(|path| web_console::is_hashed_name(path));
        let Some(path) = hashed.find(is_compressed) else { return };
        let path = format!("/console/{path}");
        let (first, _) = answer(&path, &[("accept-encoding", "br"), ("accept-encoding", "gzip")]).await;
        assert_eq!(first.headers()[header::CONTENT_ENCODING], "gzip");
        assert!(first.headers()[header::CACHE_CONTROL].to_str().unwrap().contains("immutable"));
        let known = first.headers()[header::ETAG].to_str().unwrap();
        assert_eq!(answer(&path, &[("if-none-match", known)]).await.0.status(), StatusCode::NOT_MODIFIED);
    }
}
