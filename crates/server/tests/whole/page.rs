//! `/api/docs` loads nothing from other hosts.

use reqwest::StatusCode;

use crate::home::Home;
use crate::http;
use crate::server::Server;

/// URLs that the page loads: values of `src` and `href`.
fn references(html: &str) -> Vec<&str> {
    let after = |mark| html.split(mark).skip(1).filter_map(|rest| rest.split('"').next());
    after("src=\"").chain(after("href=\"")).collect()
}

#[tokio::test]
async fn the_page_loads_nothing_from_other_hosts() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    let page = http().get(server.url("/api/docs")).send().await.unwrap();
    assert_eq!(page.status(), StatusCode::OK);
    assert!(page.headers()["content-type"].to_str().unwrap().starts_with("text/html"));
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'self'; ") && !policy.contains('*'), "{policy}");
    let base = page.url().clone();
    let html = page.text().await.unwrap();
    let references = references(&html);
    assert!(references.iter().any(|name| name.contains("bundle")), "{html}");
    for reference in references {
        let url = base.join(reference).unwrap();
        assert_eq!(url.origin(), base.origin(), "{reference}");
        let part = http().get(url).send().await.unwrap();
        assert_eq!(part.status(), StatusCode::OK, "{reference}");
        let text = part.text().await.unwrap();
        // Minified libraries contain hosts in comments; styles and our own settings must not.
        if reference.contains("css") || reference.contains("initializer") {
            assert!(!text.contains("url(http") && !text.contains("@import"), "{reference}");
        }
        if reference.contains("initializer") {
            assert!(text.contains("/api/openapi.json") && !text.contains("://"), "{text}");
        }
    }
    assert!(!html.contains("://"), "{html}");
}
