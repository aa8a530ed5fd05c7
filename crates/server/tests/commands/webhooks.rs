//! `switchboard webhook`.

use serde_json::json;

use crate::run::{Folder, members};

const ADD: &str = "webhook create https://example.com/hook --tenant 100138";
const UNKNOWN_ID: &str = "507f1f77bcf86cd799439011";

#[test]
fn a_webhook_is_added_shown_switched_and_deleted() {
    let folder = Folder::with_tenant();
    assert_eq!(folder.json("webhook list --tenant 100138"), json!([]));
    let made =
        folder.json(&format!("{ADD} --type message,call.status --ordered --header X-Team:support --max-in-flight 4"));
    assert!(made["secret"].as_str().unwrap().starts_with("whsec_"));
    assert_eq!((&made["event_types"], &made["headers"]), (&json!(["message", "call.status"]), &json!(["X-Team"])));
    let id = made["id"].as_str().unwrap();
    let on = |what: &str| folder.json(&format!("webhook {what} {id} --tenant 100138"));
    let shown = on("show");
    let mut expected = members(&made);
    expected.retain(|member| *member != "secret");
    assert_eq!(members(&shown), expected);
    assert_eq!(on("disable")["status"], "Disabled");
    assert_eq!(on("enable")["status"], "Enabled");
    let changed = on("update --ordered false --type message --max-in-flight default --url https://example.com/new");
    assert_eq!((&changed["ordered"], &changed["event_types"]), (&json!(false), &json!(["message"])));
    assert_eq!((&changed["max_in_flight"], &changed["headers"]), (&json!(null), &json!(["X-Team"])));
    on("update --url https://example.com/hook");
    assert_eq!(folder.fails(2, &format!("webhook update {id}")).0, "usage");
    let rotated = on("rotate-secret");
    assert!(rotated["secret"] != made["secret"] && rotated["previous_secret_until"].is_string());
    assert_eq!(on("deliveries"), json!([]));
    let table = folder.run("webhook list --tenant 100138").ok();
    assert!(table.contains("https://example.com/hook") && !table.contains("whsec_"), "{table}");
    assert_eq!(on("delete --yes"), json!({"id": id, "deleted": true}));
    assert_eq!(folder.json("webhook list --tenant 100138"), json!([]));
    let all = folder.json(ADD);
    assert_eq!(
        all["event_types"].as_array().unwrap().len(),
        domain::delivery::events::EventType::for_webhooks().count()
    );
}

#[test]
fn a_test_is_posted_by_the_command_itself() {
    let folder = Folder::with_tenant();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let allowed = [("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8")];
    let add = format!("webhook create http://127.0.0.1:{port}/ --tenant 100138 --type message --json");
    let made: serde_json::Value = serde_json::from_str(&folder.run_in(&allowed, &add, "").ok()).unwrap();
    let test = format!("webhook test {} --tenant 100138 --json", made["id"].as_str().unwrap());
    let tested: serde_json::Value = serde_json::from_str(&folder.run_in(&allowed, &test, "").ok()).unwrap();
    assert_eq!((&tested["type"], &tested["delivered"]), (&json!("message"), &json!(false)));
    let listed =
        folder.json(&format!("webhook deliveries {} --tenant 100138 --state failed", made["id"].as_str().unwrap()));
    assert_eq!((&listed[0]["id"], &listed[0]["number"]), (&tested["delivery_id"], &json!(0)));
}

#[test]
fn invalid_requests_are_refused() {
    let folder = Folder::with_tenant();
    let (kind, message) = folder.fails(1, "webhook create http://127.0.0.1:9/ --tenant 100138");
    assert!(kind == "invalid" && message.contains("webhooks.allow_private"), "{message}");
    let (kind, message) = folder.fails(1, &format!("{ADD} --type mesage"));
    assert!(kind == "invalid" && message.contains("did you mean message?"), "{message}");
    assert_eq!(folder.fails(1, &format!("{ADD} --channel Nowhere")).0, "not_found");
    assert_eq!(folder.fails(1, "webhook list --tenant 7").0, "not_found");
    assert_eq!(folder.fails(2, &format!("{ADD} --header nonsense")).0, "usage");
    let (kind, message) = folder.fails(1, &format!("webhook show {UNKNOWN_ID} --tenant 100138"));
    assert!(kind == "not_found" && message.contains("switchboard webhook list"), "{message}");
    folder.json(ADD);
    assert_eq!(folder.fails(1, ADD).0, "conflict");
}
