//! The OpenAPI document in third-party tools: a validator and a linter.

use std::process::Command;

use serde_json::Value;
use testkit::tools::{node_folder, python_program};

use crate::home::Home;
use crate::http;
use crate::server::Server;

/// Runs a tool that must succeed without a warning.
#[track_caller]
fn accepts(mut command: Command) {
    let output = command.output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && !said.contains("You have "), "{said}");
}

#[tokio::test]
async fn the_served_document_is_the_printed_one() {
    let home = Home::sqlite();
    let server = Server::start(&home);
    let document: Value = http().get(server.url("/api/openapi.json")).send().await.unwrap().json().await.unwrap();
    assert_eq!(document["openapi"].as_str().map(|version| &version[..4]), Some("3.1."));
    home.run("openapi --output printed.json");
    assert_eq!(document, serde_json::from_slice::<Value>(&std::fs::read(home.file("printed.json")).unwrap()).unwrap());
}

#[test]
fn a_validator_accepts_the_document() {
    let home = Home::sqlite();
    home.run("openapi --output printed.json");
    let mut validator = Command::new(python_program("openapi-spec-validator"));
    validator.args(["--schema", "3.1"]).arg(home.file("printed.json"));
    accepts(validator);
}

/// Rules that the document breaks on purpose: a tracked link answers with a redirect or an error.
const ONLY_REDIRECTS: &str = "printed.json:\n  operation-2xx-response:\n    - '#/paths/~1c~1{code}/get/responses'\n";

#[test]
fn a_linter_accepts_the_document() {
    let home = Home::sqlite();
    home.run("openapi --output printed.json");
    std::fs::write(home.file(".redocly.lint-ignore.yaml"), ONLY_REDIRECTS).unwrap();
    let mut linter = Command::new("node");
    linter.arg(node_folder().join("node_modules/@redocly/cli/bin/cli.js"));
    // `contacts/imports/{id}` and `contacts/{target}/history`: a literal segment wins, and no target equals one.
    linter
        .args(["lint", "--extends=recommended", "--skip-rule=no-ambiguous-paths"])
        .arg(home.file("printed.json"))
        .current_dir(home.file(""));
    linter.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    accepts(linter);
}
