//! An administrator who wants to write to strangers over the installation's mail server.

use std::collections::BTreeMap;

use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use testkit::mail::ReceivedMail;

use super::probes::{assert_calm, beside};
use super::world::Siege;
use crate::{eventually, http};

const ALERTS: &str = "/console/api/alerts";
const VICTIM: &str = "victim@elsewhere.example";
const STRANGERS: usize = 20;

/// The attacker's session.
struct Session<'w> {
    world: &'w Siege,
    cookie: String,
    csrf: String,
}

/// Alerts, tests, invitations and links to addresses of others. Each address gets few mails, and none of them has a
/// text of the attacker that leads anywhere.
pub async fn mails_to_strangers(world: &Siege) {
    let session = Session::log_in(world).await;
    let strangers: Vec<String> = (0..STRANGERS).map(|n| format!("stranger-{n}@elsewhere.example")).collect();
    let attack = async {
        let settings = json!({"emails": strangers, "webhook_url": null, "kinds": {"queue_stuck": true}});
        let saved = session.call(Method::PUT, ALERTS, &settings).await;
        assert_eq!(saved["unconfirmed"].as_array().map(Vec::len), Some(STRANGERS), "{saved}");
        for _ in 0..5 {
            let tested = session.call(Method::POST, &format!("{ALERTS}/test"), &json!({})).await;
            assert_eq!(tested["emails"], 0, "{tested}");
            let again = json!({"email": strangers[0]});
            session.call(Method::POST, &format!("{ALERTS}/confirmations"), &again).await;
        }
        let name = format!("Win at https://evil.example/prize {}", "now ".repeat(40));
        let invitation = json!({"email": VICTIM, "name": name, "role": "OPERATOR"});
        let invited = session.call(Method::POST, "/console/api/invitations", &invitation).await;
        let link = format!("/console/api/accounts/{}/link", invited["account"]["id"].as_str().unwrap());
        for _ in 0..20 {
            session.call(Method::POST, &link, &json!({})).await;
        }
    };
    let ((), seen) = beside(world, "mails to strangers", attack).await;
    assert_calm(world, "mails to strangers", &seen);
    let mut arrived: Vec<ReceivedMail> = Vec::new();
    let counts = eventually("every stranger is asked", async || {
        arrived.extend(world.arrived_mails());
        let mut counts = BTreeMap::<String, usize>::new();
        for mail in &arrived {
            *counts.entry(mail.to.clone()).or_default() += 1;
        }
        (counts.len() > STRANGERS).then_some(counts)
    })
    .await;
    assert_eq!(counts[VICTIM], 10);
    assert!(counts[&strangers[0]] <= 3, "{counts:?}");
    assert!(strangers[1..].iter().all(|stranger| counts[stranger] == 1), "{counts:?}");
    for mail in arrived {
        assert!(!mail.data.contains("evil.example"), "{}", mail.data);
        assert_eq!(mail.text().matches("://").count(), 1, "{}", mail.data);
    }
}

impl<'w> Session<'w> {
    /// Of the first administrator, whose tenant attacks.
    async fn log_in(world: &'w Siege) -> Self {
        let link = world.server.given_after("set up ");
        let (_, code) = link.split_once('#').unwrap();
        let body = json!({"code": code, "password": "the attacker's own password"});
        let set_up = http().post(world.server.url("/console/api/set-up")).header("origin", world.server.url(""));
        let answer = set_up.json(&body).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        let cookie = answer.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
        let csrf = answer.json::<Value>().await.unwrap()["csrf_token"].as_str().unwrap().to_owned();
        Self { world, cookie, csrf }
    }

    async fn call(&self, method: Method, path: &str, body: &Value) -> Value {
        let server = &self.world.server;
        let request = http().request(method, server.url(path)).header("origin", server.url(""));
        let request = request.header("cookie", &self.cookie).header("x-csrf-token", &self.csrf);
        let answer = request.json(body).send().await.unwrap();
        let status = answer.status();
        let answer: Value = answer.json().await.unwrap();
        assert_eq!(status, StatusCode::OK, "{path}: {answer}");
        answer
    }
}
