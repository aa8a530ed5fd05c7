use serde_json::{Value, json};

use crate::run::{Folder, members};

const ADD: &str = "channel create --tenant 100138 --name Support --phone-number +14155552671 \
    --phone-number-id 106540352242922 --account-id 102290129340398 --access-token-file token --app-secret-file secret";
const SECRETS: [&str; 3] = ["the-access-token", "the-app-secret", "the-verify-token"];

/// A folder with a tenant and the files of `ADD`.
fn folder() -> Folder {
    let folder = Folder::with_tenant();
    for (name, secret) in ["token", "secret", "verify"].iter().zip(SECRETS) {
        std::fs::write(folder.0.join(name), format!("{secret}\n")).unwrap();
    }
    folder
}

#[test]
fn a_new_tenant_has_a_sandbox_channel_unless_disabled() {
    let folder = Folder::with_tenant();
    let listed = folder.json("channel list --tenant 100138");
    assert_eq!((&listed[0]["network"], &listed[0]["is_default"]), (&json!("sandbox"), &json!(true)));
    folder.run("tenant create 100139 --name Beta --no-sandbox").ok();
    assert_eq!(folder.json("channel list --tenant 100139"), json!([]));
    assert_eq!(folder.fails(1, "channel list --tenant 7").0, "not_found");
}

#[test]
fn a_new_channel_says_what_to_enter_at_the_network_and_shows_no_secret_again() {
    let folder = folder();
    let made = folder.json(ADD);
    let expected = [
        "account_id",
        "created_at",
        "enabled",
        "hook_url",
        "id",
        "is_default",
        "name",
        "network",
        "phone_number",
        "phone_number_id",
        "problem",
        "quality",
        "updated_at",
        "verify_token",
    ];
    assert_eq!(members(&made), expected);
    assert_eq!((&made["network"], &made["phone_number"]), (&json!("whatsapp"), &json!("14155552671")));
    let id = made["id"].as_str().unwrap();
    assert_eq!(made["hook_url"], format!("http://127.0.0.1:8080/hooks/whatsapp/{id}"));
    assert!(made["verify_token"].as_str().unwrap().len() >= 20);

    let other = ADD.replace("Support", "Sales").replace("2671", "2672").replace("922", "923");
    let text = folder.run(&format!("{other} --verify-token-file verify")).ok();
    assert!(text.contains("/hooks/whatsapp/") && text.contains("the one you provided"), "{text}");
    assert!(text.contains("public_url") && text.contains(" --tenant 100138\n"), "{text}");
    let said = [text, folder.run("channel list --tenant 100138").ok(), folder.run("audit list --tenant 100138").ok()];
    assert!(said.iter().all(|said| SECRETS.iter().all(|secret| !said.contains(secret))), "{said:?}");

    let default = folder.json("channel update sales --default --tenant 100138");
    assert_eq!(default["is_default"], json!(true));
    let listed = folder.json("channel list --tenant 100138");
    let defaults: Vec<&Value> = listed.as_array().unwrap().iter().filter(|one| one["is_default"] == true).collect();
    assert_eq!((defaults.len(), &defaults[0]["name"]), (1, &json!("Sales")));
    assert_eq!(members(&listed[0]), expected[..13]);

    assert_eq!(
        folder.json("channel show sales"),
        listed.as_array().unwrap().iter().find(|one| one["name"] == "Sales").unwrap().clone()
    );
    assert!(folder.fails(1, "channel delete sales").1.ends_with("add --yes to delete channel Sales (14155552672)"));
    assert_eq!(folder.fails(1, "channel delete sales --yes").0, "conflict", "it is the default");
    folder.json("channel update support --default");
    assert_eq!(folder.json("channel delete sales --yes")["name"], "Sales");
    assert_eq!(folder.fails(1, "channel show sales").0, "not_found");
}

#[test]
fn secrets_come_from_files_or_variables_and_never_from_arguments() {
    let folder = folder();
    let bare = ADD.split(" --access-token-file").next().unwrap();
    let (kind, message) = folder.fails(1, bare);
    assert_eq!(kind, "invalid");
    assert!(message.contains("--access-token-file FILE") && message.contains("SWITCHBOARD_CHANNEL_ACCESS_TOKEN"));
    assert_eq!(folder.fails(2, &format!("{bare} --access-token abc")).0, "usage");
    assert!(folder.fails(1, &ADD.replace("-file token", "-file nowhere")).1.starts_with("access_token: nowhere: "));

    let variables = [("SWITCHBOARD_CHANNEL_ACCESS_TOKEN", SECRETS[0]), ("SWITCHBOARD_CHANNEL_APP_SECRET", SECRETS[1])];
    let ran = folder.run_in(&variables, bare, "");
    assert!(ran.ok().contains("created"));
    assert_eq!(ran.stderr, "", "a variable of the command is no unknown setting");
    assert!(
        folder
            .run("channel update support --tenant 100138 --access-token-file verify")
            .ok()
            .contains("has new secrets")
    );
    let (kind, message) = folder.fails(1, "channel update support --tenant 100138");
    assert!(kind == "invalid" && message.starts_with("access_token: "), "{message}");
    std::fs::write(folder.0.join("token"), "two words\n").unwrap();
    let (kind, message) = folder.fails(1, "channel update support --tenant 100138 --app-secret-file token");
    assert!(kind == "invalid" && message.starts_with("app_secret: ") && !message.contains("two words"), "{message}");
}

#[test]
fn invalid_channels_are_refused() {
    let folder = folder();
    let (kind, message) = folder.fails(1, &format!("{ADD} --network pigeon"));
    assert_eq!(kind, "invalid");
    assert!(message.contains("network: ") && message.contains("expected one of whatsapp, sandbox"), "{message}");
    assert!(folder.fails(1, &ADD.replace("+14155552671", "12")).1.starts_with("phone_number: "));
    assert!(folder.fails(1, &ADD.replace("106540352242922", "x")).1.starts_with("phone_number_id: "));
    folder.run(ADD).ok();
    assert_eq!(folder.fails(1, ADD).0, "conflict");
    let (kind, message) = folder.fails(1, "channel check nowhere --tenant 100138");
    assert!(kind == "not_found" && message.contains("`switchboard channel list`"), "{message}");
}

#[test]
fn a_sandbox_channel_needs_no_secrets_and_a_server_to_be_checked() {
    let folder = folder();
    let bare = ADD.split(" --access-token-file").next().unwrap();
    let made = folder.json(&format!("{bare} --network sandbox"));
    assert_eq!((&made["network"], made.get("verify_token")), (&json!("sandbox"), None));
    let (kind, message) = folder.fails(1, "channel check support --tenant 100138");
    assert_eq!(kind, "unavailable");
    assert!(message.contains("sandbox.sock") && message.contains("`switchboard serve`"), "{message}");
}

#[test]
fn nothing_is_parked_at_first() {
    let folder = Folder::with_tenant();
    assert_eq!(folder.json("channel parked list --tenant 100138"), json!([]));
    assert!(folder.run("channel parked list --tenant 100138").ok().starts_with("ID  CHANNEL  RECEIVED"));
    let (kind, message) = folder.fails(1, "channel parked retry 507f1f77bcf86cd799439011 --tenant 100138");
    assert!(kind == "not_found" && message.contains("`switchboard channel parked list`"), "{message}");
}

#[test]
fn a_channel_that_does_not_work_is_reported_with_exit_code_1() {
    let folder = folder();
    // Connections to the port of the discard protocol are refused.
    let networks = [("SWITCHBOARD_NETWORKS", r#"{"lab": "http://127.0.0.1:9/v23.0"}"#)];
    folder.run_in(&networks, &format!("{ADD} --network lab"), "").ok();
    let check = "channel check --tenant 100138 --channel Support";
    let plain = folder.run_in(&networks, check, "");
    assert_eq!(plain.code, Some(1));
    assert!(plain.stdout.starts_with("✗ access token and phone number id: "), "{}", plain.stdout);
    assert!(plain.stderr.starts_with("error: channel Support does not work: 1 of 1 "), "{}", plain.stderr);
    let ran = folder.run_in(&networks, &format!("{check} --json"), "");
    let findings: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((ran.code, &findings[0]["ok"]), (Some(1), &json!(false)));
    assert_eq!(members(&findings[0]), ["detail", "ok", "what"]);
    let said = format!("{}{}{}{}", plain.stdout, plain.stderr, ran.stdout, ran.stderr);
    assert!(SECRETS.iter().all(|secret| !said.contains(secret)), "{said}");
}
