//! New people, messages, taps and calls.

use serde_json::{Value, json};

use super::shop::{ADA, Shop, question};
use crate::{eventually, http};

#[test]
fn a_person_is_added_and_known_by_all_names() {
    let shop = Shop::open();
    let before = shop.run("sandbox person list")["people"].as_array().unwrap().len();
    let added = shop.run("sandbox person create --name Zoe --phone +14155550177 --username @Zoe.Zed");
    assert_eq!((&added["phone"], &added["username"]), (&json!("14155550177"), &json!("zoe.zed")));
    let text = shop.text("sandbox person create --name Yann");
    let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(lines.next().unwrap(), ["NAME", "PHONE", "USERNAME", "BSUID"]);
    assert_eq!(lines.next().unwrap()[..3], ["Yann", "-", "-"]);
    let people = shop.run("sandbox person list")["people"].clone();
    assert_eq!(people.as_array().unwrap().len(), before + 2);
    assert_eq!(people[before], added);
    for called in ["+14155550177", "@zoe.zed", "zoe.zed", "Zoe", added["bsuid"].as_str().unwrap()] {
        let inbox = shop.run(&format!("sandbox inbox --person {called}"));
        assert_eq!(inbox, json!({"messages": [], "said": []}), "{called}");
    }
    assert_eq!(shop.text("sandbox inbox --person Zoe"), "nothing has arrived yet\n");

    for (arguments, kind, parameter) in [
        ("--name Z2 --phone +14155550177", "conflict", "phone"),
        ("--name Z2 --username zoe.zed", "conflict", "username"),
        ("--name Z2 --username é", "invalid", "username"),
        ("--name Z2 --phone 12", "invalid", "phone"),
        ("--name Z2 --phone +14155552671", "conflict", "phone"),
    ] {
        let failure = shop.fails(1, &format!("sandbox person create {arguments}"));
        assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), (kind, Some(parameter)), "{failure:?}");
    }
    assert_eq!(shop.fails(2, "sandbox person create --phone +14155550178").kind, "usage");
}

#[tokio::test]
async fn a_tap_reaches_the_business() {
    let shop = Shop::open().greeted();
    let asked = shop.reach(question()).await;
    let shown = shop.text(&format!("sandbox inbox --person {ADA}"));
    assert!(shown.contains("  Shall we?\n  [0] Yes (reply)\n  [1] No (reply)\n  id "), "{shown}");
    let tapped = shop.run(&format!("sandbox tap --person {ADA} yes"));
    let answer = shop.known(tapped["said"]["id"].as_str().unwrap(), |_| true).await;
    assert_eq!((answer.kind.as_str(), answer.text.as_deref()), ("interactive", Some("Yes")));
    assert_eq!(answer.context_id.as_deref(), Some(asked.as_str()));
    let content: Value = serde_json::from_str(&answer.content.unwrap()).unwrap();
    assert_eq!(content["interactive"]["button_reply"], json!({"id": "yes", "title": "Yes"}));

    let text = shop.text(&format!("sandbox tap --person {ADA} 1 --message {asked}"));
    let id = text.lines().find_map(|line| line.trim().strip_prefix("id: ")).unwrap();
    assert_eq!(shop.known(id, |_| true).await.text.as_deref(), Some("No"));
    let failure = shop.fails(1, &format!("sandbox tap --person {ADA} Perhaps"));
    assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), ("invalid", Some("button")));
    assert!(failure.message.contains("0: Yes, 1: No"), "{failure:?}");
    let failure = shop.fails(1, &format!("sandbox tap --person {ADA} Yes --message wamid.none"));
    assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), ("not_found", Some("message")));
}

#[tokio::test]
async fn every_kind_of_message_arrives() {
    let shop = Shop::open();
    let said = |arguments: &str| {
        let said = shop.run(&format!("sandbox say --person {ADA} {arguments}"));
        said["id"].as_str().unwrap().to_owned()
    };
    let first = said("Hello");
    for (arguments, kind, text, answers) in [
        ("Look --image", "image", Some("Look"), false),
        ("--location 52.52,13.405", "location", None, false),
        (&format!("--reaction 👍 --reply-to {first}"), "reaction", Some("👍"), true),
        (&format!("More --reply-to {first} --channel Shop"), "text", Some("More"), true),
    ] {
        let known = shop.known(&said(arguments), |_| true).await;
        assert_eq!((known.kind.as_str(), known.text.as_deref()), (kind, text), "{arguments}");
        assert_eq!(known.context_id.is_some_and(|id| id == first), answers, "{arguments}");
    }
    let text = shop.text(&format!("sandbox say --person {ADA} Bye"));
    assert!(text.contains("id: wamid.") && text.contains(&format!("channel_id: {}\n", shop.channel)), "{text}");
    let failure = shop.fails(1, &format!("sandbox say --person {ADA} Hello --channel nowhere"));
    assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), ("invalid", Some("channel")));
}

/// Waits until the call log has this call in a state that satisfies the condition.
async fn logged(shop: &Shop, id: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let (url, token) = (shop.server.url("/api/ext/v3/calls"), shop.server.token());
    eventually("the call is in the log", async || {
        let page: Value = http().get(&url).bearer_auth(&token).send().await.unwrap().json().await.unwrap();
        page["calls"].as_array()?.iter().find(|call| call["call_id"] == id && fits(call)).cloned()
    })
    .await
}

#[tokio::test]
async fn a_call_is_in_the_call_log() {
    let shop = Shop::open();
    let called = shop.run(&format!("sandbox call --person {ADA} --seconds 1"));
    let missed = shop.text(&format!("sandbox call --person {ADA} --missed"));
    let missed = missed.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    let call = logged(&shop, called["id"].as_str().unwrap(), |call| call["status"] == "completed").await;
    assert_eq!((&call["duration_seconds"], &call["direction"]), (&json!(1), &json!("inbound")), "{call}");
    assert_eq!((&call["from_number"], &call["to_number"]), (&json!(ADA), &json!("14155552671")), "{call}");
    // A missed call rings for half a minute.
    let call = logged(&shop, missed, |_| true).await;
    assert_eq!((&call["status"], call.get("answered_at")), (&json!("ringing"), None), "{call}");
    let failure = shop.fails(1, &format!("sandbox call --person {ADA} --seconds 0"));
    assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), ("invalid", Some("seconds")));
    assert_eq!(shop.fails(2, &format!("sandbox call --person {ADA} --seconds 5 --missed")).kind, "usage");
}
