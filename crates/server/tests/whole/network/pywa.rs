//! Requests of pywa, a Python client library of WhatsApp's Cloud API: the sandbox accepts each, and people see the
//! expected message.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use testkit::tools;

use super::world::{ACCOUNT_ID, ADA, DEEPA, NUMBER_ID, Network};

#[derive(Debug, Deserialize)]
struct Run {
    results: BTreeMap<String, Value>,
    failed: BTreeMap<String, String>,
}

impl Run {
    fn id(&self, name: &str) -> &str {
        self.results[name].as_str().unwrap()
    }
}

async fn run(network: &Network, theirs: &str) -> Run {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/third_party/pywa_send.py");
    let bsuid = network.bsuid(DEEPA).await;
    let arguments = [&network.base_url, NUMBER_ID, ACCOUNT_ID, network.token, ADA, &bsuid, theirs];
    let mut command = tokio::process::Command::new(tools::python_program("python"));
    let output = command.arg(script).args(arguments).output().await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

fn buttons(shown: &[(&str, &str, Option<&str>)]) -> Value {
    shown.iter().map(|(kind, text, url)| json!({"type": kind, "text": text, "url": url})).collect()
}

/// For each call of the script: the text and the buttons of the message in the person's inbox.
fn expected() -> Vec<(&'static str, &'static str, Value)> {
    let none = || json!([]);
    let replies = || buttons(&[("reply", "Yes", None), ("reply", "No", None)]);
    let template = buttons(&[
        ("quick_reply", "Stop", None),
        ("url", "Shop now", Some("https://shop.example/c/abc-123")),
        ("copy_code", "Copy offer code", None),
    ]);
    vec![
        ("text", "Plain text", none()),
        ("reply", "An answer", none()),
        ("buttons", "Tea\nShall we?\nThe shop", replies()),
        ("list", "Which?", buttons(&[("row", "Green", None), ("row", "Black", None)])),
        ("url", "Look", buttons(&[("url", "Open", Some("https://shop.example/?a=b"))])),
        ("flow", "Join us", buttons(&[("flow", "Sign up", None)])),
        ("call_permission", "May we call?", none()),
        ("image_link", "By link", none()),
        ("image_id", "By id", none()),
        ("image_bytes", "Bytes", replies()),
        ("document", "A bill", none()),
        ("video", "A film", none()),
        ("audio", "", none()),
        ("sticker", "", none()),
        ("reaction", "👍", none()),
        ("no_reaction", "", none()),
        ("location", "Here, Berlin", none()),
        ("location_request", "Where are you?", none()),
        ("contact", "Ada Lovelace", none()),
        ("catalog", "All we have", none()),
        ("product", "This one", none()),
        ("products", "News\nThese", none()),
        ("template", "For Ada\nTake 20 % off, Ada!\nThe shop", template),
    ]
}

#[tokio::test]
async fn requests_of_pywa_are_accepted_and_shown() {
    let network = Network::over_http().await;
    network.says(DEEPA).await;
    let theirs = network.says(ADA).await;
    let run = run(&network, &theirs).await;
    assert_eq!(run.failed, BTreeMap::new());
    for (name, text, buttons) in expected() {
        let shown = network.arrived(ADA, run.id(name)).await;
        assert_eq!(shown, (text.to_owned(), buttons), "{name}");
    }
    assert_eq!(network.arrived(DEEPA, run.id("by_bsuid")).await.0, "By BSUID");
    for name in ["mark_read", "typing", "delete_media", "delete_template"] {
        assert_eq!(run.results[name], true, "{name}");
    }
    assert_eq!(run.results["download"], json!({"same": true, "size": 16_392, "mime": "image/png"}));
    assert_eq!(run.results["create_template"], json!({"status": "PENDING", "category": "MARKETING"}));
    let listed = json!({"status": "APPROVED", "category": "MARKETING", "format": "NAMED",
        "components": ["HeaderText", "BodyText", "FooterText", "Buttons"]});
    assert_eq!(run.results["templates"], listed);
    assert!(run.id("call").starts_with("wacid."));
    assert_eq!((&run.results["account"], &run.results["number"]), (&json!(ACCOUNT_ID), &json!("Shop")));
}
