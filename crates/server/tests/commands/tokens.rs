use serde_json::{Value, json};

use crate::run::{Folder, members};

const CREATE: &str = "token create --tenant 100138 --account admin@example.com --name ci";

#[test]
fn a_new_token_is_shown_once_and_lives_through_renewal_and_revocation() {
    let folder = Folder::with_tenant();
    let made = folder.json(&format!("{CREATE} --scope callsv3:read,contacts:* --scope api --expires 2100-05-01"));
    assert_eq!(members(&made), ["expires_at", "id", "scopes", "token"]);
    assert_eq!(made["expires_at"], "2100-05-01T23:59:59.999Z");
    assert_eq!(made["scopes"], json!(["api", "contacts:read", "contacts:write", "callsv3:read"]));
    assert!(made["token"].as_str().unwrap().starts_with("swb_"));

    let id = made["id"].as_str().unwrap();
    let renewed = folder.json(&format!("token renew {id} --tenant 100138 --overlap 2h --expires never"));
    assert_eq!(members(&renewed), ["expires_at", "id", "replaces", "scopes", "token"]);
    assert_eq!((&renewed["expires_at"], &renewed["replaces"]["id"]), (&Value::Null, &made["id"]));
    assert_ne!(renewed["token"], made["token"]);

    let shown = folder.json(&format!("token show {id}"));
    assert_eq!((&shown["id"], &shown["state"], shown.get("token")), (&made["id"], &json!("active"), None));
    let revoked = folder.json(&format!("token revoke {id} --tenant 100138"));
    assert_eq!(members(&revoked), ["id", "name", "revoked_at"]);
    let table = folder.run("token list --tenant 100138").ok();
    assert!(table.contains("revoked") && table.contains("active") && !table.contains("swb_"), "{table}");
}

#[test]
fn the_list_has_all_members_but_the_value() {
    let folder = Folder::with_tenant();
    let shown = folder.run(&format!("{CREATE} --scope api --network 10.0.0.0/8,192.0.2.7 --rate-limit 5")).ok();
    assert!(shown.contains("token:   swb_") && shown.contains("shown only once"), "{shown}");
    let listed = folder.json("token list --tenant 100138");
    let expected = [
        "account",
        "account_id",
        "created_at",
        "expires_at",
        "id",
        "last_used_address",
        "last_used_at",
        "name",
        "networks",
        "rate_limit",
        "revoked_at",
        "rotation_due",
        "scopes",
        "state",
    ];
    assert_eq!(members(&listed[0]), expected);
    assert_eq!(listed[0]["networks"], json!(["10.0.0.0/8", "192.0.2.7/32"]));
    assert_eq!((&listed[0]["state"], &listed[0]["rotation_due"]), (&json!("active"), &json!(false)));
    let legacy = folder.run("token legacy create --tenant 100138 --account admin@example.com").ok();
    assert_eq!((legacy.lines().count(), legacy.trim().split('.').count()), (1, 3));
}

#[test]
fn invalid_tokens_are_refused() {
    let folder = Folder::with_tenant();
    let usage = |arguments: &str, says: &str| {
        let (kind, message) = folder.fails(2, &format!("{CREATE} {arguments}"));
        assert!(kind == "usage" && message.contains(says), "{message}");
    };
    usage("--scope nope", "unknown scope \"nope\"; expected one of api, ");
    usage("--scope api,callv3:read", "unknown scope \"callv3:read\"; did you mean callsv3:read?");
    usage("--scope api --expires 2027-02-30", "expected a date (2026-04-24)");
    usage("--scope api --network example.com", "is not a network");
    usage("--name ci", "cannot be used multiple times");
    let (kind, message) = folder.fails(1, &format!("{CREATE} --scope api --expires 2020-01-01"));
    assert_eq!((kind.as_str(), message.as_str()), ("invalid", "expires_at: is in the past"));
    let unknown = "507f1f77bcf86cd799439011";
    let (kind, message) = folder.fails(1, &format!("token revoke {unknown} --tenant 100138"));
    assert!(kind == "not_found" && message.starts_with("token not found: "), "{message}");
}
