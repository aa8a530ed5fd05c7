//! Tracked links with the real binary: a hit survives `kill -9`, and commands list and classify it again.

use serde_json::{Value, json};

use crate::home::Home;
use crate::inbound::TENANT;
use crate::server::Server;
use crate::{eventually, http};

pub const ADA: &str = "14155550132";
pub const PHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) \
                     Version/18.1 Mobile/15E148 Safari/604.1";

async fn asked(server: &Server, request: reqwest::RequestBuilder) -> Value {
    let answer = request.bearer_auth(server.token()).send().await.unwrap();
    let (status, text) = (answer.status(), answer.text().await.unwrap());
    assert!(status.is_success(), "{status}: {text}");
    serde_json::from_str(&text).unwrap()
}

/// Sends Ada a message with a tracked link; returns the link's code.
pub async fn sent(home: &Home, server: &Server) -> String {
    let template = json!({
        "name": "spring", "category": "MARKETING", "language": "en", "body": "Spring is here.",
        "is_url_btn_click_tracking_enabled": true,
        "buttons": [{"type": "url", "parameter": {"text": "Look", "url": "https://shop.example/spring"}}],
    });
    let templates = server.url("/api/ext/v3/messageTemplates");
    asked(server, http().post(&templates).json(&template)).await;
    eventually("the template is approved", async || {
        let page = asked(server, http().get(&templates)).await;
        (page["templates"][0]["status"] == "APPROVED").then_some(())
    })
    .await;
    let send = json!({"template_name": "spring", "broadcast_name": "Spring", "recipients": [{"phone_number": ADA, "custom_params": []}]});
    let answer = asked(server, http().post(format!("{templates}/send")).json(&send)).await;
    assert_eq!(answer["success"], true, "{answer}");
    let inbox = format!("sandbox inbox --person {ADA}");
    let url = eventually("the message is there", async || {
        home.run(&inbox)["messages"][0]["buttons"][0]["url"].as_str().map(str::to_owned)
    })
    .await;
    url.rsplit('/').next().unwrap().to_owned()
}

pub async fn open(server: &Server, code: &str, agent: &str) -> reqwest::Response {
    let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let request =
        client.get(server.url(&format!("/c/{code}"))).header("user-agent", agent).header("accept-language", "en");
    request.send().await.unwrap()
}

async fn story(home: Home) {
    let server = Server::start(&home);
    let code = sent(&home, &server).await;
    for agent in ["WhatsApp/2.24.20.89 A", PHONE, PHONE] {
        let answer = open(&server, &code, agent).await;
        assert_eq!(
            (answer.status().as_u16(), &answer.headers()["location"]),
            (302, &"https://shop.example/spring".parse().unwrap())
        );
    }
    assert_eq!(open(&server, &code[1..], PHONE).await.status(), 404);
    server.kill_9();
    let server = Server::start(&home);
    assert_eq!(open(&server, &code, PHONE).await.status(), 302);
    let listed = home.run(&format!("click list --tenant {TENANT}"));
    let classes: Vec<&str> = listed.as_array().unwrap().iter().map(|one| one["class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["repeat", "repeat", "human", "preview"]);
    assert_eq!((&listed[0]["button_text"], &listed[0]["address"]), (&json!("Look"), &json!("127.0.0.1")));
    let previews = home.run(&format!("click list --tenant {TENANT} --template spring --class preview --limit 5"));
    assert_eq!(previews.as_array().unwrap().len(), 1);
    for arguments in ["click rescore --dry-run", "click rescore", "click rescore --restart"] {
        let done = home.run(arguments);
        assert_eq!(
            (&done["hits"], &done["changed"], &done["told"]),
            (&json!(4), &json!(0), &json!(0)),
            "{arguments}: {done}"
        );
        assert_eq!(done["dry_run"], arguments.ends_with("--dry-run"));
    }
    let plain = home.binary().args(["click", "rescore"]).output().unwrap();
    assert!(String::from_utf8(plain.stdout).unwrap().starts_with("4 hits in "));
    assert!(!home.binary().args(["click", "rescore", "--tenant", "1"]).status().unwrap().success());
    server.terminate();
    home.remove().await;
}

#[tokio::test]
async fn a_hit_survives_a_kill_on_sqlite() {
    story(Home::sqlite()).await;
}

#[tokio::test]
async fn a_hit_survives_a_kill_on_postgres() {
    story(Home::postgres().await).await;
}
