//! An administrator who wants to write to strangers over the installation's mail server.

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::json;
use testkit::mail::ReceivedMail;

use super::probes::{assert_calm, beside};
use super::session::Session;
use super::world::Siege;
use crate::eventually;

const ALERTS: &str = "/console/api/alerts";
const VICTIM: &str = "victim@elsewhere.example";
const STRANGERS: usize = 20;

/// Alerts, tests, invitations and links to addresses of others. Each address gets few mails, and none of them has a
/// text of the attacker that leads anywhere.
pub async fn mails_to_strangers(world: &Siege, session: &Session<'_>) {
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
