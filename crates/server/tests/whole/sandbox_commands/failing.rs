//! Faults on demand: each kind and its effect.

use channels::graph::{Class, Content};
use domain::messaging::messages::{Message, MessageState};
use serde_json::json;

use super::shop::{ADA, Shop};

const NOT_DELIVERED: i64 = 131_026;

fn text() -> Content {
    Content::text("Hello Ada")
}

async fn says(shop: &Shop, texts: &[&str]) -> Vec<Message> {
    let mut ids = Vec::new();
    for text in texts {
        let said = shop.run(&format!("sandbox say --person {ADA} {text}"));
        ids.push(said["id"].as_str().unwrap().to_owned());
    }
    let mut known = Vec::new();
    for id in ids {
        known.push(shop.known(&id, |_| true).await);
    }
    known
}

#[track_caller]
fn assert_used_up(shop: &Shop) {
    assert_eq!(shop.run("sandbox fault list"), json!({"faults": []}));
}

#[tokio::test]
async fn faults_on_answers() {
    let shop = Shop::open().greeted();
    for (order, class, code, status) in [
        ("refuse --code 131026", Class::Refuse, Some(131_026), Some(400)),
        ("refuse --code 130429", Class::RetryLater, Some(130_429), None),
        ("server_error --status 503", Class::Unknown, None, Some(503)),
        ("reset", Class::Unknown, None, None),
    ] {
        shop.run(&format!("sandbox fault create {order}"));
        let error = shop.send(text()).await.unwrap_err();
        assert_eq!((error.class, error.code), (class, code), "{order}: {error}");
        assert!(status.is_none() || error.status == status, "{order}: {error}");
        assert_used_up(&shop);
    }
    assert_eq!(shop.run(&format!("sandbox inbox --person {ADA}"))["messages"], json!([]), "nothing was taken");
    shop.reach(text()).await;
}

#[tokio::test]
async fn a_number_out_of_order_refuses_until_it_is_repaired() {
    let shop = Shop::open().greeted();
    for (broken, repaired, code) in [
        ("--registered false", "--registered true", 133_010),
        ("--token expired", "--token valid", 190),
        ("--token no_permission", "--token valid", 10),
    ] {
        let state = shop.run(&format!("sandbox number --channel Shop {broken}"));
        assert_eq!(u8::from(state["registered"] == false) + u8::from(state["token"] != "valid"), 1, "{state}");
        let error = shop.send(text()).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(code)), "{broken}: {error}");
        shop.run(&format!("sandbox number --channel Shop {repaired}"));
        shop.reach(text()).await;
    }
    let shown = shop.text("sandbox number --channel Shop");
    assert!(shown.contains("registered: true\n") && shown.contains("token: valid\n"), "{shown}");
    assert_eq!(shop.run("sandbox forget-media"), json!({"forgotten": 0}));
}

#[tokio::test]
async fn a_message_is_accepted_with_an_unknown_outcome() {
    let shop = Shop::open().greeted();
    shop.run("sandbox fault create accept_then_reset");
    let error = shop.send(text()).await.unwrap_err();
    assert_eq!((error.class, error.code), (Class::Unknown, None), "{error}");
    let inbox = format!("sandbox inbox --person {ADA}");
    let id = crate::eventually("it arrived after all", async || {
        shop.run(&inbox)["messages"][0]["id"].as_str().map(str::to_owned)
    })
    .await;
    // Only the network's reports show that the message was accepted.
    shop.known(&id, |message| message.delivered_at.is_some()).await;
}

#[tokio::test]
async fn a_message_fails_later_for_the_given_person_only() {
    let shop = Shop::open().greeted();
    let fault = shop.run(&format!("sandbox fault create fail --code {NOT_DELIVERED} --person @deepa_rao"));
    assert!(fault["person"].as_str().unwrap().starts_with("IN."), "{fault}");
    shop.reach(text()).await;
    let listed = shop.text("sandbox fault list");
    assert!(listed.starts_with("ID ") && listed.contains("  fail  IN."), "{listed}");
    assert_eq!(shop.run("sandbox fault delete"), json!({"cleared": 1}));
    assert_eq!(shop.text("sandbox fault delete"), "cleared: 0\n");

    let added = shop.text(&format!("sandbox fault create fail --code {NOT_DELIVERED} --count 2"));
    assert!(added.contains("kind: fail\n") && added.contains("left: 2\n"), "{added}");
    let id = shop.send(text()).await.unwrap();
    let failed = shop.known(&id, |message| message.state == MessageState::Failed).await;
    assert!(failed.error.unwrap().to_json().contains(&NOT_DELIVERED.to_string()));
    assert_eq!(shop.run("sandbox fault list")["faults"][0]["left"], 1);
}

#[tokio::test]
async fn webhooks_come_more_than_once_late_together_or_in_another_order() {
    let shop = Shop::open_with(&[("SWITCHBOARD_METRICS_TOKEN", "scrape-me-scrape-me")]);
    says(&shop, &["plain"]).await;
    hooks_reach(&shop, 1).await;
    shop.run("sandbox fault create duplicate --copies 3");
    says(&shop, &["thrice"]).await;
    hooks_reach(&shop, 4).await;

    shop.run("sandbox fault create delay --seconds 3");
    let late = &says(&shop, &["late"]).await[0];
    assert!(late.created_at.seconds() - late.at.seconds() >= 3, "{late:?}");

    shop.run("sandbox fault create batch --size 3");
    let together = says(&shop, &["a", "b", "c"]).await;
    assert!(together.iter().all(|one| one.created_at == together[0].created_at), "{together:?}");

    shop.run("sandbox fault create reorder");
    let swapped = says(&shop, &["first", "second"]).await;
    assert!(swapped[0].created_at >= swapped[1].created_at, "{swapped:?}");
    assert_used_up(&shop);
    let all =
        store::messaging::messages::of_channel(&shop.db, crate::inbound::TENANT, shop.channel, "", 100).await.unwrap();
    assert_eq!(all.len(), 8, "each once");
    // 1 plain, 3 copies, 1 late, 1 of three messages, 2 in another order.
    hooks_reach(&shop, 8).await;
}

/// Waits for the given number of accepted webhooks: a message is known before its last copy is accepted.
async fn hooks_reach(shop: &Shop, count: u64) {
    let what = format!("{count} webhooks are accepted");
    crate::eventually(&what, async || (hooks(shop).await == count).then_some(())).await;
}

/// Number of webhooks of the sandbox that the hook has accepted so far.
async fn hooks(shop: &Shop) -> u64 {
    let request = crate::http().get(shop.server.url("/metrics")).bearer_auth("scrape-me-scrape-me");
    let text = request.send().await.unwrap().text().await.unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("switchboard_sandbox_hooks_total{outcome=\"taken\"} "));
    line.map_or(0, |count| count.parse().unwrap())
}

#[test]
fn unknown_faults_are_refused() {
    let shop = Shop::open();
    for (order, parameter) in [
        ("explode", "kind"),
        ("reset --count 0", "count"),
        ("server_error --status 404", "status"),
        ("refuse --copies 2", "copies"),
        ("batch --size 1", "size"),
        ("delay --person @ada.winter", "person"),
    ] {
        let failure = shop.fails(1, &format!("sandbox fault create {order}"));
        assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), ("invalid", Some(parameter)), "{failure:?}");
    }
    assert_eq!(shop.fails(1, "sandbox fault create reset --person nobody").kind, "not_found");
    assert_used_up(&shop);
}
