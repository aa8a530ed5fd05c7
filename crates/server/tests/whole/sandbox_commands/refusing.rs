//! Errors of commands, and of channels that do not work.

use serde_json::{Value, json};

use super::shop::{ADA, Shop, base_url, fails};
use crate::home::Home;
use crate::inbound::{ACCOUNT_ID, NUMBER, NUMBER_ID};
use crate::server::Server;

/// Commands about a person, without the option `--person`.
const OF_A_PERSON: [&str; 6] = ["inbox", "say Hello", "tap 0", "open", "call", "pay"];
const OTHERS: [&str; 8] = [
    "person list",
    "person create --name Zoe",
    "fault create reset",
    "fault list",
    "fault delete",
    "review spring --verdict APPROVED",
    "scenario lively",
    "inject --field account_update --value {}",
];

fn all() -> impl Iterator<Item = String> {
    let of_a_person = OF_A_PERSON.iter().map(|what| format!("sandbox {what} --person {ADA}"));
    of_a_person.chain(OTHERS.iter().map(|what| format!("sandbox {what}")))
}

#[test]
fn every_command_needs_a_server_and_says_which() {
    let home = Home::sqlite();
    for command in all() {
        let failure = fails(&home, 1, &command);
        assert_eq!(failure.kind, "unavailable", "{command}: {failure:?}");
        assert!(failure.message.contains("`switchboard serve`") && failure.message.contains("sandbox.sock"));
    }
    assert!(!home.file("data").exists(), "a command that was refused left something behind");
    Server::start(&home).kill_9();
    let failure = fails(&home, 1, &format!("sandbox call --person {ADA}"));
    assert_eq!(failure.kind, "unavailable", "the socket of a killed server: {failure:?}");
}

#[test]
fn every_command_needs_a_tenant_where_there_are_several_and_a_person_who_exists() {
    let shop = Shop::open();
    for what in OF_A_PERSON {
        let failure = shop.fails(1, &format!("sandbox {what} --person nobody"));
        assert_eq!(failure.kind, "not_found", "{what}: {failure:?}");
        assert!(failure.message.contains("person"), "{what}: {failure:?}");
    }
    shop.run("tenant create 100138 --name Acme --no-sandbox");
    for command in all() {
        let failure = shop.fails(1, &command);
        assert_eq!((failure.kind.as_str(), failure.parameter.as_deref()), ("invalid", Some("tenant")), "{command}");
        assert!(failure.message.contains("--tenant") && failure.message.contains("100138"), "{failure:?}");
    }
    assert_eq!(shop.fails(1, "sandbox person list --tenant 7").kind, "not_found");
}

#[test]
fn a_tenant_without_a_sandbox_channel_is_refused() {
    let shop = Shop::open();
    shop.run("tenant create 100138 --name Acme --no-sandbox");
    assert_eq!(shop.run("channel list --tenant 100138"), json!([]));
    for what in ["say Hello", "call"] {
        let failure = shop.fails(1, &format!("sandbox {what} --person {ADA} --tenant 100138"));
        assert_eq!(failure.kind, "not_found", "{failure:?}");
        assert!(failure.message.contains("sandbox channel"), "{failure:?}");
    }
    let others = shop.run("sandbox person list --tenant 100138")["people"].clone();
    assert_ne!(others[0]["bsuid"], shop.run("sandbox person list --tenant 100001")["people"][0]["bsuid"]);
}

#[test]
fn a_check_lists_what_works_and_what_fails() {
    let shop = Shop::open();
    for channel in ["Shop", "Sandbox"] {
        let text = shop.text(&format!("channel check {channel} --tenant 100001"));
        assert!(text.lines().count() >= 5 && text.lines().all(|line| line.starts_with("✓ ")), "{text}");
    }
    let findings = shop.run("channel check Shop --tenant 100001");
    assert!(findings.as_array().unwrap().iter().all(|finding| finding["ok"] == true), "{findings}");

    // The same number with a wrong token, over a network whose URL is the sandbox's.
    shop.run("tenant create 100138 --name Acme --no-sandbox");
    std::fs::write(shop.home.file("wrong"), "the-wrong-token").unwrap();
    let networks = json!({"lab": base_url(&shop.home)}).to_string();
    let run = |arguments: &str| {
        let mut command = shop.home.binary();
        command.env("SWITCHBOARD_NETWORKS", &networks).args(arguments.split_whitespace()).output().unwrap()
    };
    let added = run(&format!(
        "channel create --tenant 100138 --name Mine --phone-number +{NUMBER} --phone-number-id {NUMBER_ID} \
         --account-id {ACCOUNT_ID} --network lab --access-token-file wrong --app-secret-file secret"
    ));
    assert!(added.status.success(), "{}", String::from_utf8_lossy(&added.stderr));
    let checked = run("channel check Mine --tenant 100138");
    let text = String::from_utf8(checked.stdout).unwrap();
    assert_eq!(checked.status.code(), Some(1), "{text}");
    assert!(text.starts_with("✗ access token and phone number id: ") && text.contains("(code 190)"), "{text}");
    let checked = run("channel check Mine --tenant 100138 --json");
    let findings: Value = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!((checked.status.code(), &findings[0]["ok"]), (Some(1), &json!(false)), "{findings}");
    assert!(!text.contains("the-wrong-token") && !findings.to_string().contains("the-wrong-token"));
}
