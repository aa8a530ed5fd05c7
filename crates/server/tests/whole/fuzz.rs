//! An OpenAPI-driven fuzzer (schemathesis) against the running server: no 5xx, and no answer outside the document.

use std::process::Command;

use domain::ChannelId;
use serde_json::{Value, json};

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

/// In the test command each engine gets one of the two, so that no test here takes more than a minute on an idle
/// machine; PostgreSQL the random values, because it refuses texts that SQLite takes, such as those with NUL. The long
/// form tries everything on both.
const BOUNDARY_VALUES: Effort = Effort { phases: "examples,coverage", examples: 1 };
const RANDOM_VALUES: Effort = Effort { phases: "examples,fuzzing", examples: 6 };
const LONG: Effort = Effort { phases: "examples,coverage,fuzzing", examples: 1_000 };
/// The fuzzer sends wrong credentials, for which it must not be delayed.
const NO_SLOWING: &[(&str, &str)] = &[("SWITCHBOARD_LIMITS_FAILED_ATTEMPTS_PER_MINUTE", "1000000")];

/// The fuzzer's configuration. Path parameters name objects that exist, because random ones would only test 403 and
/// 404.
fn config(call: &str, channel: ChannelId) -> String {
    format!(
        "[parameters]\n\"path.tenantId\" = \"100001\"\n\
         \"path.target\" = \"14155552671\"\n\"path.whatsappNumber\" = \"14155552671\"\n\
         \"path.channel_id\" = \"{channel}\"\n\"path.person\" = \"{ADA}\"\n\"path.name\" = \"{TEMPLATE}\"\n\n\
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
        std::fs::write(home.file("schemathesis.toml"), config(&call, channel)).unwrap();
        Self { home, server, effort: if is_long() { LONG } else { effort } }
    }

    async fn stop(self) {
        let (status, log) = self.server.terminate();
        assert!(status.success() && !log.contains("\"level\":\"ERROR\""), "{log}");
        self.home.remove().await;
    }
}

/// Fuzzes every operation that takes an API token.
async fn finds_nothing(home: Home, effort: Effort) {
    let fuzzed = Fuzzed::start(home, effort).await;
    run(&fuzzed.home, &fuzzed.server, &fuzzed.server.token(), fuzzed.effort, &["--exclude-path-regex", NOT_FUZZED]);
    fuzzed.stop().await;
}

/// Fuzzes the operations that take a legacy JWT and no API token; last the one that ends the JWT.
async fn finds_nothing_behind_the_legacy_token(home: Home, effort: Effort) {
    let fuzzed = Fuzzed::start(home, effort).await;
    let legacy = fuzzed.home.run("token legacy --tenant 100001 --account admin@localhost");
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
