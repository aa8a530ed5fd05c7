//! `/docs` of the real binary: every page answers with its policy, and every link and anchor leads somewhere.

use std::collections::{BTreeMap, BTreeSet};

use reqwest::{StatusCode, Url};
use serde_json::Value;

use crate::home::Home;
use crate::http;
use crate::server::Server;

/// Values of an attribute in a page.
fn values<'a>(html: &'a str, attribute: &str) -> Vec<&'a str> {
    let mark = format!(" {attribute}=\"");
    html.split(&mark).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// Paths with the anchors of each page.
type Anchors = BTreeMap<String, BTreeSet<String>>;

/// Everything below `/docs` that can be reached by links, and every link with the page that it is on.
async fn crawl(server: &Server) -> (Anchors, Vec<(String, String)>) {
    let start = Url::parse(&server.url("/docs")).unwrap();
    let (mut waiting, mut seen, mut links) = (vec![start.clone()], BTreeMap::new(), Vec::new());
    while let Some(url) = waiting.pop() {
        if seen.contains_key(url.path()) {
            continue;
        }
        let answer = http().get(url.clone()).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{url}");
        let policies: Vec<_> = answer.headers().get_all("content-security-policy").iter().collect();
        assert!(policies[0].to_str().unwrap().starts_with("default-src 'none'; script-src 'self'; "), "{url}");
        assert!(
            answer.headers().contains_key("etag") && answer.headers()["x-content-type-options"] == "nosniff",
            "{url}"
        );
        let is_page = answer.headers()["content-type"].to_str().unwrap().starts_with("text/html");
        let text = if is_page { answer.text().await.unwrap() } else { String::new() };
        let anchors = values(&text, "id").into_iter().map(str::to_owned).collect();
        seen.insert(url.path().to_owned(), anchors);
        for reference in values(&text, "href").into_iter().chain(values(&text, "src")) {
            let target = url.join(reference).unwrap();
            if target.origin() == start.origin() && target.path().starts_with("/docs") {
                links.push((url.path().to_owned(), target.as_str().to_owned()));
                waiting.push(target);
            }
        }
    }
    (seen, links)
}

#[tokio::test]
async fn every_page_link_and_anchor_of_the_documentation_works() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    let (seen, links) = crawl(&server).await;
    for name in web_console::docs::pages() {
        assert!(seen.contains_key(&format!("/docs/{name}")), "nothing links to {name}");
    }
    assert!(links.len() > 500, "{}", links.len());
    for (page, link) in links {
        let url = Url::parse(&link).unwrap();
        if let Some(anchor) = url.fragment() {
            assert!(seen[url.path()].contains(anchor), "{page} links to {link}");
        }
    }
    let missing = http().get(server.url("/docs/nothing")).send().await.unwrap();
    assert_eq!(missing.status(), StatusCode::NOT_FOUND);
    assert!(missing.headers().contains_key("content-security-policy"));
}

#[tokio::test]
async fn the_search_index_leads_to_headings() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    let page = http().get(server.url("/docs/webhooks")).send().await.unwrap().text().await.unwrap();
    let [index] = values(&page, "data-index")[..] else { panic!("{page}") };
    let sections: Value = http().get(server.url(index)).send().await.unwrap().json().await.unwrap();
    let sections = sections.as_array().unwrap();
    let verify = sections.iter().find(|section| section["heading"] == "Receive and verify").unwrap();
    assert_eq!((&verify["page"], &verify["anchor"]), (&"webhooks".into(), &"receive-and-verify".into()));
    assert!(page.contains("<h2 id=\"receive-and-verify\">"), "{page}");
}
