//! The commands and requests on the pages of `docs/`: each is run against a fresh server, in the order of its page, and
//! what it prints is compared with what the page shows.
//!
//! - `page.rs` finds the commands of a page, each with the answer that the page shows.
//! - `answer.rs` compares an answer with the one on the page; ids, times and secrets may differ.
//! - `run.rs` runs them. Ids of the page stand for those that the server really gave.
//! - `receivers.rs` runs the programs of `webhooks.md`.
//! - `servers.rs` runs the pages whose commands start servers.
//!
//! `docs/testing-your-integration.md` is run by `ephemeral.rs`, `docs/start.md` by the test of the tour.

mod answer;
mod page;
mod receivers;
mod run;
mod servers;
mod verify;

use std::collections::BTreeSet;

use page::{Page, all_pages};
use run::run_page;

/// Pages that another module runs.
const ELSEWHERE: [&str; 4] = ["https", "operations", "start", "testing-your-integration"];

/// Pages whose commands are not run, each with the reason. The list may only become shorter.
const NOT_RUN: [(&str, &str); 3] = [
    ("benchmarks", "the benchmarks take minutes and need a release build"),
    ("install", "needs Docker, systemd, dpkg and a Kubernetes cluster; scripts/check-packaging checks the files"),
    ("long-runs", "the long runs take hours"),
];

/// Blocks of pages that are run, which are not run themselves: page, beginning of the block, reason.
const BLOCKS_NOT_RUN: [(&str, &str, &str); 6] = [
    ("accounts", "$ switchboard account reset-second-factor", "needs an account with a second factor"),
    ("https", "SWITCHBOARD_HTTPS_LISTEN=0.0.0.0:443", "whole/https/pebble.rs orders from an authority on this machine"),
    ("https", "SWITCHBOARD_HTTPS_ACME_DIRECTORY=", "whole/https/pebble.rs has these settings"),
    ("webhooks", "$ switchboard listen --forward-to", "whole/listening.rs runs the command with a receiver"),
    ("webhooks", "$ switchboard trigger message", "whole/listening.rs runs the commands with a receiver"),
    ("network", "SWITCHBOARD_CHANNEL_ACCESS_TOKEN=…", "has no real credentials; tests/commands adds channels"),
];

macro_rules! pages {
    ($($test:ident: $page:literal, [$($preparation:expr),* $(,)?];)*) => {
        /// Pages whose commands are run.
        const RUN: &[&str] = &[$($page),*];
        $(
            #[test]
            fn $test() {
                run_page($page, &[$($preparation),*]);
            }
        )*
    };
}

const ADA_WRITES: &str = "switchboard sandbox say Hello --person ada.winter
    until curl $B/api/ext/v3/contacts/14155550132 -H \"Authorization: Bearer $T\"; do sleep 0.1; done";
const SPRING_OFFER: &str = r#"curl $B/api/ext/v3/messageTemplates -H "Authorization: Bearer $T" -H 'Content-Type: application/json' -d '{
    "name": "spring_offer", "category": "MARKETING", "language": "en", "body": "Hello {{name}}, 20 % off until Sunday.", "footer": "Acme",
    "custom_params": [{"name": "name", "value": "Ada"}, {"name": "1", "value": "x"}], "buttons": [
      {"type": "url", "parameter": {"text": "Shop", "url": "https://example.com/s/{{1}}", "urlType": "dynamic"}},
      {"type": "quick_reply", "parameter": {"text": "Stop"}}]}'
    until curl "$B/api/ext/v3/messageTemplates?name=spring_offer" -H "Authorization: Bearer $T" | grep APPROVED; do sleep 0.1; done"#;
const CALL: &str = r#"curl $B/api/ext/v3/calls -H "Authorization: Bearer $T" -H 'Content-Type: application/json' -d '{
    "call_id": "wacid.1", "direction": "inbound", "status": "completed", "from_number": "14155552671", "to_number": "14155550100",
    "started_at": "2026-04-24T10:00:00Z", "answered_at": "2026-04-24T10:00:05Z", "ended_at": "2026-04-24T10:03:10Z"}'"#;
const RINGING: &str = r#"curl $B/api/ext/v3/calls -H "Authorization: Bearer $T" -H 'Content-Type: application/json' -d '{
    "call_id": "pbx-1", "direction": "inbound", "status": "ringing", "from_number": "14155552671", "to_number": "14155550100",
    "started_at": "2026-04-24T10:00:00Z"}'"#;
/// A PNG of one pixel.
const PICTURE: &str = "base64 -d > summer.png <<< iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const TRACKED: &str = r#"curl $B/api/ext/v3/messageTemplates -H "Authorization: Bearer $T" -H 'Content-Type: application/json' -d '{
    "name": "spring_offer", "category": "UTILITY", "language": "en", "body": "Your order {{order}} is on its way.",
    "is_url_btn_click_tracking_enabled": true, "custom_params": [{"name": "order", "value": "17"}],
    "buttons": [{"type": "url", "parameter": {"text": "Track it", "url": "https://shop.example/orders/17"}}]}'
    until curl "$B/api/ext/v3/messageTemplates?name=spring_offer" -H "Authorization: Bearer $T" | grep APPROVED; do sleep 0.1; done
    curl $B/api/ext/v3/messageTemplates/send -H "Authorization: Bearer $T" -H 'Content-Type: application/json' -d '{
      "template_name": "spring_offer", "broadcast_name": "Spring", "recipients": [{"phone_number": "14155550132", "custom_params": [{"name": "order", "value": "17"}]}]}'
    until switchboard sandbox inbox --person ada.winter | grep "Track it"; do sleep 0.1; done"#;

pages! {
    accounts: "accounts", [
        "switchboard account create --tenant 100001 --email grace@example.com --name Grace --role OPERATOR --password-stdin \\
            <<< 'correct horse battery staple'",
    ];
    api_conventions: "api-conventions", [];
    calls: "calls", [CALL];
    clicks: "clicks", [TRACKED];
    contacts: "contacts", [ADA_WRITES];
    conversations: "conversations", [
        "switchboard sandbox say 'Where can I follow it?' --person ada.winter",
        r#"until curl "$B/api/ext/v3/conversations?status=open" -H "Authorization: Bearer $T" | grep follow; do sleep 0.1; done
            set -- -H "Authorization: Bearer $T" -H 'Content-Type: application/json'
            curl "$@" $B/api/ext/v3/labels -d '{"name": "vip", "color": "amber"}'
            curl "$@" -X PUT $B/api/ext/v3/conversations/14155550132/labels -d '{"labels": ["vip"]}'
            curl "$@" -X PUT $B/api/ext/v3/conversations/14155550132/operator -d '{"assignee_email": "admin@localhost"}'"#,
    ];
    errors: "errors", [];
    idempotency: "idempotency", [];
    limits: "limits", [];
    media: "media", [];
    network: "network", [];
    orders: "orders", [ADA_WRITES];
    routing: "routing", [
        "switchboard account create --tenant 100001 --email grace@example.com --name Grace --role OPERATOR --password-stdin \\
            <<< 'correct horse battery staple'",
    ];
    sending: "sending", [SPRING_OFFER];
    settings: "settings", [];
    teams: "teams", [
        "switchboard account create --tenant 100001 --email grace@example.com --name Grace --role OPERATOR --password-stdin \\
            <<< 'correct horse battery staple'",
        r#"curl $B/api/ext/v3/labels -H "Authorization: Bearer $T" -H 'Content-Type: application/json' -d '{
            "name": "vip", "color": "amber"}'"#,
    ];
    templates: "templates", [PICTURE];
    webhooks: "webhooks", [RINGING];
}

#[test]
fn every_page_with_commands_is_run_or_named_with_a_reason() {
    let (busy, idle): (Vec<Page>, Vec<Page>) = all_pages().into_iter().partition(Page::has_commands);
    let with_commands: BTreeSet<String> = busy.into_iter().map(|page| page.name).collect();
    let lists = NOT_RUN.iter().map(|(page, _)| *page).chain(ELSEWHERE).chain(RUN.iter().copied());
    let listed: Vec<String> = lists.map(str::to_owned).collect();
    let distinct: BTreeSet<String> = listed.iter().cloned().collect();
    assert_eq!(distinct.len(), listed.len(), "a page is in one of the lists");
    let forgotten: Vec<&String> = with_commands.difference(&distinct).collect();
    assert!(forgotten.is_empty(), "add them to `pages!`: {forgotten:?}");
    assert!(idle.iter().all(|page| !distinct.contains(&page.name)), "a page without commands is in no list");
}

#[test]
fn every_block_that_is_not_run_exists() {
    for (name, beginning, _) in BLOCKS_NOT_RUN {
        assert!(RUN.contains(&name) || ELSEWHERE.contains(&name), "{name} is not run at all");
        let page = Page::read(name);
        assert!(page.blocks.iter().any(|block| block.text.starts_with(beginning)), "{name}: {beginning}");
    }
}
