//! Links that people open: redirects are followed, and private networks are refused.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};

use channels::graph::{Content, CtaUrl, Interaction, Template};
use serde_json::{Value, json};

use super::shop::{ADA, Shop, interactive};

const LOOPBACK: &[(&str, &str)] = &[("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8")];

/// A web server that redirects `/go` to `/there`; ends with the tests.
fn website() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap_or(0);
            let head =
                if request[..read].starts_with(b"GET /go ") { "302 Found\r\nlocation: /there" } else { "200 OK" };
            let _ = write!(stream, "HTTP/1.1 {head}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
        }
    });
    address
}

fn link(url: &str) -> Content {
    let button = CtaUrl { display_text: "Open".to_owned(), url: url.to_owned() };
    interactive("Look here", Interaction::CtaUrl(button))
}

fn hops(address: SocketAddr) -> Value {
    json!([
        {"url": format!("http://{address}/go"), "status": 302},
        {"url": format!("http://{address}/there"), "status": 200},
    ])
}

#[tokio::test]
async fn a_link_into_the_machine_is_not_opened() {
    let shop = Shop::open().greeted();
    let url = format!("http://{}/go", website());
    let id = shop.reach(link(&url)).await;
    let opened = shop.run(&format!("sandbox open --person {ADA}"));
    assert_eq!((&opened["message"], &opened["button"]), (&json!(id), &json!("Open")));
    let hop = &opened["hops"][0];
    assert_eq!((opened["hops"].as_array().unwrap().len(), &hop["url"]), (1, &json!(url)), "{opened}");
    assert!(hop.get("status").is_none() && hop["error"].as_str().unwrap().starts_with("not allowed: "), "{hop}");
    let text = shop.text(&format!("sandbox open --person {ADA}"));
    assert!(text.contains("hops:\n  error not allowed: ") && text.contains(&format!("url {url}\n")), "{text}");
}

#[tokio::test]
async fn an_allowed_network_can_be_looked_at_and_the_click_is_reported() {
    let (shop, address) = (Shop::open_with(LOOPBACK).greeted(), website());
    let url = format!("http://{address}/go");
    let id = shop.reach(link(&url)).await;
    let shown = shop.received(&id).await;
    assert_eq!(shown["buttons"], json!([{"text": "Open", "type": "url", "url": url}]));
    let opened = shop.run(&format!("sandbox open --person {ADA} open --message {id} --report"));
    assert_eq!(opened["hops"], hops(address));
    assert!(shop.report("link_click", &id).await.doc.contains(&id));
    let tapped = shop.run(&format!("sandbox tap --person {ADA} Open"));
    assert_eq!(tapped, json!({"hops": hops(address)}));
    let text = shop.text(&format!("sandbox open --person {ADA} 0"));
    assert!(text.contains(&format!("  status 302  url {url}\n  status 200  url http://{address}/there\n")), "{text}");
}

#[tokio::test]
async fn a_template_has_both_kinds_of_buttons() {
    let (shop, address) = (Shop::open_with(LOOPBACK), website());
    shop.make_template("spring", &format!("http://{address}/go")).await;
    shop.run("sandbox review spring --verdict APPROVED");
    let template = Template { name: "spring".to_owned(), language: "en".to_owned(), components: Vec::new() };
    // A template needs no message of the person before.
    let id = shop.reach(Content::Template(Box::new(template))).await;
    let opened = shop.run(&format!("sandbox open --person {ADA}"));
    assert_eq!((&opened["button"], &opened["hops"]), (&json!("Look"), &hops(address)));
    let tapped = shop.run(&format!("sandbox tap --person {ADA} Stop"));
    let answer = shop.known(tapped["said"]["id"].as_str().unwrap(), |_| true).await;
    assert_eq!((answer.kind.as_str(), answer.text.as_deref()), ("button", Some("Stop")));
    assert_eq!(answer.context_id, Some(id));
}
