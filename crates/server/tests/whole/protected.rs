//! Surfaces that clients and operators rely on, each as a file of `tests/protected` that changes only on purpose:
//!
//! - `openapi.txt`: the OpenAPI document without descriptions and summaries. The whole document is
//!   `openapi/switchboard.json`, held by `crates/api/tests/api_tests/document.rs`.
//! - `settings.txt`: settings with their variables and flags, and the variables of commands.
//! - `commands.txt`: commands and their options. The form of `--json` answers is held by `commands`.
//! - `metrics.txt`: metrics and their labels.
//! - `webhook-payloads.txt`: a payload of every event type. The events of one story are snapshots of
//!   `crates/app/tests/app_tests/events` too.
//!
//! Answers are held by the snapshots of `crates/api/tests`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use testkit::generated::assert_generated;
use testkit::receiver::Receiver;

use crate::home::Home;
use crate::http;
use crate::server::Server;

/// Compares a file of `tests/protected` with the present surface.
#[track_caller]
fn assert_protected(file: &str, present: &str) {
    assert_generated(&format!("crates/server/tests/protected/{file}"), present);
}

/// Standard output of a command that must succeed.
fn printed(arguments: &str) -> String {
    let home = Home::sqlite();
    let output = home.binary().args(arguments.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Removes descriptions and summaries, which may change. A member of that name that is no string is a schema property.
fn without_texts(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|name, inner| !(matches!(name.as_str(), "description" | "summary") && inner.is_string()));
            object.values_mut().for_each(without_texts);
        }
        Value::Array(items) => items.iter_mut().for_each(without_texts),
        _ => {}
    }
}

/// Sorts parameters, required members and enum values, whose order is not part of the contract.
fn in_one_order(value: &mut Value) {
    match value {
        Value::Object(object) => {
            for (name, inner) in object.iter_mut() {
                in_one_order(inner);
                let order_has_no_meaning = matches!(name.as_str(), "parameters" | "required" | "enum");
                if let (true, Value::Array(items)) = (order_has_no_meaning, inner) {
                    items.sort_by_key(ToString::to_string);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(in_one_order),
        _ => {}
    }
}

#[test]
fn the_openapi_document_without_its_texts() {
    let mut document: Value = serde_json::from_str(&printed("openapi")).unwrap();
    without_texts(&mut document);
    in_one_order(&mut document);
    let mut lines = String::new();
    for (path, methods) in document["paths"].as_object().unwrap() {
        for (method, operation) in methods.as_object().unwrap() {
            for (member, value) in operation.as_object().unwrap() {
                writeln!(lines, "{} {path} {member} {value}", method.to_uppercase()).unwrap();
            }
        }
    }
    for (kind, components) in document["components"].as_object().unwrap() {
        for (name, component) in components.as_object().unwrap() {
            writeln!(lines, "{kind} {name} {component}").unwrap();
        }
    }
    assert_protected("openapi.txt", &lines);
}

/// Names of environment variables in a text.
fn variables(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c: char| !c.is_ascii_uppercase() && !c.is_ascii_digit() && c != '_');
    words.filter(|word| word.starts_with("SWITCHBOARD_") && word.len() > "SWITCHBOARD_".len())
}

#[test]
fn settings_with_their_variables_and_flags() {
    let sample = printed("config sample");
    let (mut lines, mut section, mut variable) = (String::new(), "", None);
    for line in sample.lines() {
        if let Some(named) = line.strip_prefix('[') {
            section = named.trim_end_matches(']');
        } else if let Some(named) = line.strip_prefix("# Variable: ") {
            variable = Some(named);
        } else if let Some((first, variable)) = line
            .strip_prefix('#')
            .filter(|rest| rest.starts_with('[') || rest.starts_with(|c: char| c.is_ascii_lowercase()))
            .and_then(|rest| Some((rest, variable.take()?)))
        {
            let table = first.strip_prefix('[').and_then(|table| table.split(['.', ']']).next());
            let key = table.unwrap_or_else(|| first.split(' ').next().unwrap_or_default());
            let dot = if section.is_empty() || table.is_some() { "" } else { "." };
            let section = if table.is_some() { "" } else { section };
            writeln!(lines, "{section}{dot}{key}  {variable}").unwrap();
        }
    }
    let add = printed("channel create --help");
    let all: BTreeSet<&str> = variables(&sample).chain(variables(&add)).collect();
    for variable in all {
        writeln!(lines, "{variable}").unwrap();
    }
    assert_protected("settings.txt", &lines);
}

#[test]
fn commands_and_their_options() {
    let completions = printed("completions bash");
    let (mut lines, mut command) = (String::new(), "");
    for line in completions.lines().map(str::trim) {
        if let Some(named) = line.strip_suffix(')').filter(|named| named.starts_with("switchboard")) {
            command = named;
        } else if let Some(options) = line.strip_prefix("opts=\"").and_then(|rest| rest.strip_suffix('"'))
            && !options.is_empty()
            && !command.contains("__help")
        {
            writeln!(lines, "{}: {options}", command.replace("__subcmd__", " ")).unwrap();
        }
    }
    assert_protected("commands.txt", &lines);
}

/// Source files below a folder.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            into.push(path);
        }
    }
}

fn quoted(text: &str) -> Option<&str> {
    text.trim_start().strip_prefix('"')?.split('"').next()
}

/// Adds name, kind and labels of each metric in a source file.
fn metrics(source: &str, into: &mut BTreeSet<String>) {
    for kind in ["counter", "gauge", "histogram"] {
        for call in source.split(&format!("metrics::{kind}!(")).skip(1) {
            let arguments = call.split(')').next().unwrap();
            let first = arguments.split(',').next().unwrap().trim();
            let constant = || source.split(&format!("const {first}: &str =")).nth(1).and_then(quoted);
            let name = quoted(first).or_else(constant).unwrap_or_else(|| panic!("no name of a metric in {arguments}"));
            let labels: Vec<&str> = arguments.split("=>").filter_map(|before| before.split('"').rev().nth(1)).collect();
            let count = arguments.matches("=>").count();
            into.insert(format!("{name} {kind} {}", labels[..count].join(" ")).trim_end().to_owned());
        }
    }
}

#[tokio::test]
async fn metrics_and_their_labels() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let (mut files, mut found) = (Vec::new(), BTreeSet::new());
    for room in std::fs::read_dir(crates).unwrap() {
        let source = room.unwrap().path().join("src");
        if source.is_dir() {
            sources(&source, &mut files);
        }
    }
    for file in files {
        metrics(&std::fs::read_to_string(file).unwrap(), &mut found);
    }
    assert_protected("metrics.txt", &(found.iter().cloned().collect::<Vec<_>>().join("\n") + "\n"));

    // Every metric that a server shows must be among those found in the sources.
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_METRICS_TOKEN", "scrape-me-scrape-me")]);
    http().get(server.url("/api/ext/v3/calls")).bearer_auth(server.token()).send().await.unwrap();
    let shown = http().get(server.url("/metrics")).bearer_auth("scrape-me-scrape-me").send().await.unwrap();
    let shown = shown.text().await.unwrap();
    let types: Vec<_> = shown.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
    assert!(types.len() >= 5, "{shown}");
    for line in types {
        let name = line.split(' ').next().unwrap();
        assert!(found.iter().any(|known| known.split(' ').next() == Some(name)), "{name} is in no source");
    }
}

/// Masks ids, times and the sandbox's account number of 15 digits, which differ in every run.
fn settled(text: &str) -> &str {
    let is_hex = |text: &str, length: usize| text.len() == length && text.chars().all(|c| c.is_ascii_hexdigit());
    let is_number = |length: usize| text.len() == length && text.chars().all(|c| c.is_ascii_digit());
    let is_time = text.len() >= 19 && text.as_bytes()[4] == b'-' && text.as_bytes()[10] == b'T';
    if is_hex(text, 24) || (text.len() == 36 && is_hex(&text.replace('-', ""), 32)) {
        "[id]"
    } else if is_time || is_number(10) {
        "[time]"
    } else if is_number(15) {
        "[account]"
    } else {
        text
    }
}

#[tokio::test]
async fn payloads_of_every_event_type() {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8")]);
    let receiver = Receiver::start().await;
    let webhooks = server.url("/api/ext/v3/webhooks");
    let ask = async |request: reqwest::RequestBuilder| -> Value {
        let answer = request.bearer_auth(server.token()).send().await.unwrap();
        assert!(answer.status().is_success(), "{}", answer.text().await.unwrap());
        answer.json().await.unwrap()
    };
    let types = ask(http().get(format!("{webhooks}/event-types"))).await;
    let types: Vec<&str> = types["eventTypes"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let made = ask(http().post(&webhooks).json(&json!({"url": receiver.url("/"), "eventTypes": types}))).await;
    let mut lines = String::new();
    for kind in types {
        let test = format!("{webhooks}/{}/test", made["id"].as_str().unwrap());
        let done = ask(http().post(test).json(&json!({"type": kind}))).await;
        assert_eq!(done["delivered"], true, "{done}");
        // The JSON text, because the order of members is part of the contract.
        let body = receiver.posts().last().unwrap().body.clone();
        let body: Vec<&str> = body.split('"').map(settled).collect();
        writeln!(lines, "{kind} {}", body.join("\"")).unwrap();
    }
    assert_protected("webhook-payloads.txt", &lines);
}
