//! An OpenAPI-driven fuzzer (schemathesis) against the running server: no 5xx, and no answer outside the document.

use std::process::Command;

use domain::ChannelId;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::home::Home;
use crate::sandbox_commands::shop::{ADA, Shop};
use crate::server::Server;
use crate::{http, is_long};

/// The two checks that are left out: the schema cannot express, for example, that one date is after another or that the
/// operator exists.
const NOT_CHECKED: &str = "positive_data_acceptance,negative_data_rejection";
const SANDBOX: &str = "^/api/ext/v3/sandbox/";
/// Excluded paths: the sandbox takes no API token, and the event stream never ends.
const NOT_FUZZED: &str = "^/api/ext/v3/(sandbox/|events/stream$)";
const TEMPLATE: &str = "spring";
/// What the fuzzer tries beside the document's own examples: the boundary values of the schemas, some thirty for each
/// operation, or random values.
#[derive(Clone, Copy)]
struct Effort {
    phases: &'static str,
    /// Random examples for each operation.
    examples: u32,
}

/// In the test command each engine gets one of the two, for a sample of the operations; PostgreSQL the random values,
/// because it refuses texts that SQLite takes, such as those with NUL. The long form tries everything on both.
const BOUNDARY_VALUES: Effort = Effort { phases: "examples,coverage", examples: 1 };
const RANDOM_VALUES: Effort = Effort { phases: "examples,fuzzing", examples: 6 };
/// One of so many operations is in the sample. Another one is drawn whenever the document changes.
const SAMPLED: u8 = 4;
const LONG: Effort = Effort { phases: "examples,coverage,fuzzing", examples: 1_000 };
/// The fuzzer sends wrong credentials, for which it must not be delayed.
const NO_SLOWING: &[(&str, &str)] = &[("SWITCHBOARD_LIMITS_FAILED_ATTEMPTS_PER_MINUTE", "1000000")];

/// The fuzzer's configuration. Path parameters name objects that exist, because random ones would only test 403 and
/// 404.
fn config(call: &str, channel: ChannelId) -> String {
    format!(
        "[parameters]\n\"path.tenantId\" = \"100001\"\n\
         \"path.target\" = \"14155552671\"\n\"path.whatsappNumber\" = \"14155552671\"\n\
         \"path.channel_id\" = \"{channel}\"\n\"path.person\" = \"{ADA}\"\n\"path.name\" = \"{TEMPLATE}\"\n\
         \"path.operator\" = \"me\"\n\n\
         [[operations]]\ninclude-path = \"/api/ext/v3/calls/{{id}}\"\nparameters = {{ \"path.id\" = \"{call}\" }}\n"
    )
}

async fn a_call(server: &Server, token: &str) -> String {
    let call = json!({
        "call_id": "fuzzed", "direction": "inbound", "from_number": "14155552671", "to_number": "14155550100",
        "started_at": "2026-04-24T10:00:00Z",
    });
    let request = http().post(server.url("/api/ext/v3/calls")).bearer_auth(token).json(&call);
    let call: Value = request.send().await.unwrap().json().await.unwrap();
    call["id"].as_str().unwrap().to_owned()
}

fn run(home: &Home, server: &Server, token: &str, effort: Effort, further: &[&str]) {
    let mut fuzzer = Command::new(testkit::tools::python_program("schemathesis"));
    fuzzer.current_dir(home.file("")).env("NO_PROXY", "*").args(["run", &server.url("/api/openapi.json")]);
    fuzzer.args(["--url", &server.url(""), "--header", &format!("Authorization: Bearer {token}")]);
    fuzzer.args(["--seed", "42", "--max-examples", &effort.examples.to_string(), "--generation-database", "none"]);
    fuzzer.args(["--phases", effort.phases, "--checks", "all", "--exclude-checks", NOT_CHECKED]);
    let output = fuzzer.args(["--continue-on-failure", "--no-color"]).args(further).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{said}");
    assert!(said.contains("passed") && !said.contains("Tested: 0"), "nothing was tested:\n{said}");
}

struct Fuzzed {
    home: Home,
    server: Server,
    effort: Effort,
}

impl Fuzzed {
    async fn start(home: Home, effort: Effort) -> Self {
        let shop = Shop::at(home, NO_SLOWING).greeted();
        shop.make_template(TEMPLATE, "https://shop.example/spring").await;
        let Shop { server, channel, home, .. } = shop;
        let call = a_call(&server, &server.token()).await;
        // A test build collects the document at the first request: on a busy machine, longer than the fuzzer waits.
        let document = http().get(server.url("/api/openapi.json")).send().await.unwrap();
        assert!(document.status().is_success());
        std::fs::write(home.file("schemathesis.toml"), config(&call, channel)).unwrap();
        Self { home, server, effort: if is_long() { LONG } else { effort } }
    }

    async fn stop(self) {
        let (status, log) = self.server.terminate();
        assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
        self.home.remove().await;
    }
}

/// The operations of the sample, seeded with the document.
async fn sample(server: &Server) -> Vec<String> {
    let text = http().get(server.url("/api/openapi.json")).send().await.unwrap().text().await.unwrap();
    let document: Value = serde_json::from_str(&text).unwrap();
    let methods = document["paths"].as_object().unwrap().values().flat_map(|path| path.as_object().unwrap().values());
    let ids = methods.filter_map(|operation| operation["operationId"].as_str());
    let is_drawn = |id: &&str| Sha256::new_with_prefix([id, text.as_str()].concat()).finalize()[0] % SAMPLED == 0;
    ids.filter(is_drawn).map(str::to_owned).collect()
}

/// Fuzzes the operations that take an API token.
async fn finds_nothing(home: Home, effort: Effort) {
    let fuzzed = Fuzzed::start(home, effort).await;
    let mut further = vec!["--exclude-path-regex", NOT_FUZZED];
    let sample = if is_long() { Vec::new() } else { sample(&fuzzed.server).await };
    further.extend(sample.iter().flat_map(|id| ["--include-operation-id", id]));
    run(&fuzzed.home, &fuzzed.server, &fuzzed.server.token(), fuzzed.effort, &further);
    fuzzed.stop().await;
}

/// Fuzzes the operations that take a legacy JWT and no API token; last the one that ends the JWT.
async fn finds_nothing_behind_the_legacy_token(home: Home, effort: Effort) {
    let fuzzed = Fuzzed::start(home, effort).await;
    let legacy = fuzzed.home.run("token legacy create --tenant 100001 --account admin@localhost");
    let legacy = legacy["token"].as_str().unwrap();
    for path in [SANDBOX, "rotateToken$"] {
        run(&fuzzed.home, &fuzzed.server, legacy, fuzzed.effort, &["--include-path-regex", path]);
    }
    fuzzed.stop().await;
}

#[tokio::test]
async fn a_fuzzer_finds_nothing_on_sqlite() {
    finds_nothing(Home::sqlite(), BOUNDARY_VALUES).await;
}

#[tokio::test]
async fn a_fuzzer_finds_nothing_on_postgres() {
    finds_nothing(Home::postgres().await, RANDOM_VALUES).await;
}

#[tokio::test]
async fn a_fuzzer_finds_nothing_behind_the_legacy_token_on_sqlite() {
    finds_nothing_behind_the_legacy_token(Home::sqlite(), BOUNDARY_VALUES).await;
}

#[tokio::test]
async fn a_fuzzer_finds_nothing_behind_the_legacy_token_on_postgres() {
    finds_nothing_behind_the_legacy_token(Home::postgres().await, RANDOM_VALUES).await;
}
