//! `switchboard tour` with the real binary: every step happens, its signature is verified by other code, a step that
//! fails is named, and nothing is left behind. The tour by hand, in the README and in `docs/start.md`, is run too.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};

use serde_json::{Value, json};

use crate::home::Home;
use crate::shell::{Shell, blocks, free_port};
use crate::{eventually, http};

const README: &str = include_str!("../../../../README.md");
const START: &str = include_str!("../../../../docs/start.md");

const TITLES: [&str; 5] = [
    "Create an API token",
    "Create a template and a webhook",
    "Send the template",
    "The person clicks",
    "Receive the event and verify it",
];
/// What a session presents, and what a log-in sends: nothing of it is shown.
const OF_SESSIONS: [&str; 5] = ["Cookie", "X-CSRF-Token", "csrf_token", "switchboard_session", "/console/api/"];

/// A folder for temporary files, which must be empty after each tour.
struct Trip {
    home: Home,
}

impl Trip {
    fn new() -> Self {
        let home = Home::sqlite();
        std::fs::create_dir(home.file("tmp")).unwrap();
        Self { home }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.home.binary();
        command.arg("tour").args(arguments).env("TMPDIR", self.home.file("tmp"));
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output().unwrap();
        self.assert_nothing_is_left();
        output
    }

    #[track_caller]
    fn assert_nothing_is_left(&self) {
        let left: Vec<_> = std::fs::read_dir(self.home.file("tmp")).unwrap().collect();
        assert!(left.is_empty(), "{left:?}");
        assert!(!self.home.file("data").exists(), "the usual folder is not used");
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// The objects that a tour with `--json` has printed.
fn lines(printed: &str) -> Vec<Value> {
    printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn each_step_is_explained_and_shown_with_its_request_and_its_answer() {
    let trip = Trip::new();
    let output = trip.run(&[]);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && said.is_empty(), "{shown}\n{said}");
    let mut rest = shown.as_str();
    for (index, title) in TITLES.into_iter().enumerate() {
        let heading = format!("{} of 5: {title}\n", index + 1);
        let at = rest.find(&heading).unwrap_or_else(|| panic!("{heading} in {rest}"));
        rest = &rest[at..];
    }
    for part in [
        "$ switchboard token create --account tour@example.com --name tour --scope api\n",
        "/api/ext/v3/messageTemplates' \\\n",
        "-H 'Authorization: Bearer swb_",
        r#""eventTypes": ["ctaUrlClicked_bsuid"]"#,
        "$ switchboard sandbox inbox --person 14155550132\n",
        "$ switchboard sandbox open 'Track it' --person 14155550132\n",
        "received POST http://127.0.0.1:",
        r#""eventType":"ctaUrlClicked_bsuid""#,
        "webhook-signature: v1,",
        "the signature is valid",
        "All steps succeeded.",
    ] {
        assert!(shown.contains(part), "{part} in {shown}");
    }
    assert!(!shown.contains('\u{1b}'), "colours are for terminals: {shown}");
    assert!(!shown.contains("Press Enter"), "without a terminal, nothing waits: {shown}");
    for part in OF_SESSIONS {
        assert!(!shown.contains(part), "{part} in {shown}");
    }
    let longest = shown.split(" of 5: ").map(|step| step.lines().count()).max();
    assert!(longest.is_some_and(|lines| lines <= 25), "a step fits a terminal: {shown}");
}

/// Whether the Standard Webhooks library for Python, which shares no code with Switchboard, accepts the delivery.
fn is_accepted_elsewhere(secret: &str, headers: &Value, body: &str) -> bool {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/third_party/standard_webhooks.py");
    let mut command = Command::new(testkit::tools::python_program("python"));
    let mut child = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let deliveries = json!([{"secret": secret, "headers": headers, "body": body}]);
    child.stdin.take().unwrap().write_all(deliveries.to_string().as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let reasons: Vec<Option<String>> = serde_json::from_slice(&output.stdout).unwrap();
    reasons == [None]
}

#[test]
fn programs_get_an_object_for_each_step_with_a_signature_that_others_verify() {
    let trip = Trip::new();
    let output = trip.run(&["--json"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let steps = lines(&text(&output.stdout));
    let titles: Vec<&str> = steps.iter().map(|step| step["title"].as_str().unwrap()).collect();
    assert_eq!(titles, TITLES);
    for (index, step) in steps.iter().enumerate() {
        assert_eq!((&step["step"], &step["done"]), (&json!(index + 1), &json!(true)), "{step}");
        for request in step["requests"].as_array().unwrap() {
            assert_eq!(request["status"], 200, "{request}");
            if let Some(command) = request["command"].as_str() {
                assert!(command.starts_with("switchboard ") && request.get("headers").is_none(), "{request}");
                continue;
            }
            assert!(request["url"].as_str().unwrap().starts_with("http://127.0.0.1:"), "{request}");
            assert!(request["curl"].as_str().unwrap().starts_with("curl 'http://127.0.0.1:"), "{request}");
        }
    }
    assert!(OF_SESSIONS.iter().all(|part| !text(&output.stdout).contains(part)), "{steps:?}");
    let hops = &steps[3]["requests"][0]["answer"]["hops"];
    assert_eq!((&hops[0]["status"], &hops[1]["status"]), (&json!(302), &json!(200)), "{hops}");
    let (received, verification) = (&steps[4]["received"], &steps[4]["verification"]);
    let (secret, body) = (verification["secret"].as_str().unwrap(), received["body"].as_str().unwrap());
    assert_eq!(steps[1]["requests"][1]["answer"]["secret"], secret);
    assert_eq!(verification["received"], received["headers"]["webhook-signature"]);
    assert_eq!((&verification["verified"], &verification["computed"]), (&json!(true), &verification["received"]));
    assert!(is_accepted_elsewhere(secret, &received["headers"], body));
    assert!(!is_accepted_elsewhere(secret, &received["headers"], &body.replace("Track it", "Track me")));
    let event: Value = serde_json::from_str(body).unwrap();
    let address = event["buttonUrl"].as_str().unwrap();
    assert!(address.starts_with("http://127.0.0.1:") && address.ends_with("/orders/17"), "{event}");
}

#[test]
fn a_step_that_fails_is_named_with_what_was_seen() {
    let trip = Trip::new();
    // The receiver has a private address, which this setting refuses.
    std::fs::write(trip.home.file("closed.toml"), "[webhooks]\nallow_private = ['10.0.0.0/8']\n").unwrap();
    let output = trip.run(&["--config", "closed.toml"]);
    let (shown, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{shown}\n{said}");
    let begins = "error: step 2 (Create a template and a webhook) failed: POST http://127.0.0.1:";
    assert!(
        said.starts_with(begins) && said.contains("returned 400: {") && said.contains("webhooks.allow_private"),
        "{said}"
    );
    assert!(shown.contains("2 of 5: Create a template") && !shown.contains("3 of 5"), "{shown}");

    std::fs::write(trip.home.file("alone.toml"), "[sandbox]\nenabled = false\n").unwrap();
    let output = trip.run(&["--config", "alone.toml", "--json"]);
    let error: Value = serde_json::from_slice(&output.stderr).unwrap();
    let message = error["error"]["message"].as_str().unwrap();
    assert!(message.starts_with("step 2 (Create a template and a webhook) failed: "), "{message}");
    let done: Vec<Value> = lines(&text(&output.stdout)).iter().map(|step| step["done"].clone()).collect();
    assert_eq!((output.status.code(), done), (Some(1), vec![json!(true), json!(false)]));
}

#[test]
fn settings_of_another_server_have_no_effect_and_flags_that_contradict_are_refused() {
    let trip = Trip::new();
    std::fs::write(trip.home.file("switchboard.toml"), "listen = '127.0.0.1:1'\n[sandbox]\nenabled = false\n").unwrap();
    let mut command = trip.command(&[]);
    let output = command.env("SWITCHBOARD_DATABASE", "postgres://u:p@127.0.0.1:9/x").output().unwrap();
    assert!(output.status.success(), "{}", text(&output.stderr));
    trip.assert_nothing_is_left();
    for (arguments, named) in [
        (&["--data", "x"][..], "data (from flag --data)"),
        (&["--database", "postgres://u:p@127.0.0.1:9/x"], "`switchboard tour` keeps no data"),
        (&["--listen", "0.0.0.0:0"], "not a loopback address"),
        (&["--config", "missing.toml"], "missing.toml"),
    ] {
        let output = trip.run(arguments);
        let said = text(&output.stderr);
        assert!(!output.status.success() && output.stdout.is_empty() && said.contains(named), "{said}");
    }
    let output = trip.home.binary().args(["--listen", "127.0.0.1:0", "tour"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_tour_that_cannot_be_written_has_not_happened() {
    let trip = Trip::new();
    let output = trip.command(&[]).stdout(File::options().write(true).open("/dev/full").unwrap()).output().unwrap();
    trip.assert_nothing_is_left();
    let said = text(&output.stderr);
    assert!(!output.status.success() && said.contains("cannot write the output"), "{said}");
}

/// A tour that is ended with the test, if it runs on.
struct RunningTour(Child);

impl RunningTour {
    /// Sends SIGINT, as Ctrl-C does; returns how the tour ended, and its standard error.
    fn interrupt(mut self) -> (ExitStatus, String) {
        let sent = Command::new("sh").args(["-c", &format!("kill -INT {}", self.0.id())]).status().unwrap();
        assert!(sent.success());
        let status = self.0.wait().unwrap();
        let mut said = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (status, said)
    }
}

impl Drop for RunningTour {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
async fn an_open_tour_shows_the_same_in_the_console_until_it_is_interrupted() {
    let trip = Trip::new();
    let printed = trip.home.file("printed");
    let mut command = trip.command(&["--open", "--json"]);
    let tour = RunningTour(command.stdout(File::create(&printed).unwrap()).spawn().unwrap());
    let steps = eventually("the tour prints its links", async || {
        let printed = std::fs::read_to_string(&printed).unwrap();
        printed.ends_with('\n').then(|| lines(&printed)).filter(|steps| steps.len() == 6)
    })
    .await;
    let links = &steps[5];
    let (url, link) = (links["url"].as_str().unwrap(), links["log_in"].as_str().unwrap());
    let code = link.split_once("/console/set-up#").unwrap().1;
    let client = http();
    let redeem = json!({"code": code, "password": "a quite long password"});
    let session = client.post(format!("{url}/console/api/set-up")).header("origin", url).json(&redeem);
    let session = session.send().await.unwrap();
    assert_eq!(session.status(), 200);
    let cookie = session.headers()["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_owned();
    let seen = async |path: String| -> Value {
        let answer = client.get(format!("{url}/console/api/{path}")).header("cookie", &cookie).send().await.unwrap();
        assert_eq!(answer.status(), 200, "{path}");
        answer.json().await.unwrap()
    };
    let last = |link: &str| links[link].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let webhook = steps[1]["requests"][1]["answer"]["id"].as_str().unwrap();
    let delivery = seen(format!("webhooks/{webhook}/deliveries/{}", last("delivery"))).await;
    assert_eq!((&delivery["state"], &delivery["type"]), (&json!("delivered"), &json!("ctaUrlClicked_bsuid")));
    let conversation = last("conversation");
    assert_eq!(seen(format!("conversations/{conversation}")).await["id"], conversation.as_str());
    let inbox = seen(format!("sandbox/people/{}/inbox", last("phone"))).await;
    assert_eq!(inbox["messages"][0]["buttons"][0]["text"], "Track it");
    assert_eq!(seen("clicks?class=human".to_owned()).await["clicks"].as_array().unwrap().len(), 1);

    let (status, said) = tour.interrupt();
    assert!(status.success() && said.is_empty(), "{said}");
    trip.assert_nothing_is_left();
    assert!(http().get(url).send().await.is_err(), "the server has ended");
}

#[tokio::test]
async fn an_interrupted_tour_fails_and_leaves_nothing() {
    let trip = Trip::new();
    let printed = trip.home.file("printed");
    let tour = RunningTour(trip.command(&["--json"]).stdout(File::create(&printed).unwrap()).spawn().unwrap());
    // Four steps are left, and the review of the template alone takes half a second at least.
    eventually("the first step is done", async || {
        std::fs::read_to_string(&printed).unwrap().ends_with('\n').then_some(())
    })
    .await;
    let (status, said) = tour.interrupt();
    assert_eq!(status.code(), Some(1));
    assert!(said.contains("stopped by SIGINT"), "{said}");
    trip.assert_nothing_is_left();
}

/// Runs a tour on a pseudoterminal, and presses Enter at every prompt. Returns what it showed.
const ON_A_TERMINAL: &str = r#"
import os, pty, sys
child, terminal = pty.fork()
if child == 0:
    os.execv(sys.argv[1], sys.argv[1:])
shown, answered = b"", 0
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        break
    if not piece:
        break
    shown += piece
    if shown.count(b"Press Enter") > answered:
        answered += 1
        os.write(terminal, b"\n")
sys.stdout.buffer.write(shown)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"#;

#[test]
fn on_a_terminal_the_tour_waits_after_each_step_unless_told_not_to() {
    for (options, prompts) in [(&["--no-pause"][..], 0), (&[], TITLES.len() - 1)] {
        let trip = Trip::new();
        let tour = trip.command(options);
        let mut command = Command::new("python3");
        command.args(["-c", ON_A_TERMINAL]).arg(tour.get_program()).args(tour.get_args());
        for (name, value) in tour.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let output = command.current_dir(tour.get_current_dir().unwrap()).output().unwrap();
        let shown = text(&output.stdout);
        assert!(output.status.success() && shown.contains("All steps succeeded."), "{shown}");
        assert_eq!(shown.matches("Press Enter for the next step").count(), prompts, "{shown}");
        trip.assert_nothing_is_left();
    }
}

#[test]
fn the_tour_by_hand_works_and_leaves_nothing() {
    let (server, receiver) = (free_port(), free_port());
    let commands = blocks(README, "sh");
    assert_eq!(commands, blocks(START, "sh"), "both documents have the same commands");
    let script = commands.concat().replace("8080", &server).replace("9000", &receiver);
    let mut shell = Shell::new();
    shell.run(&format!("export SWITCHBOARD_LISTEN=127.0.0.1:{server}\n{script}"));
    let said = shell.first_output();
    for part in [
        "Ada Winter",
        r#"{"calls":["#,
        r#""name":"order_shipped""#,
        r#""status":"APPROVED""#,
        r#"{"success":true"#,
        "status 302",
        &format!("verified: http://127.0.0.1:{receiver}/orders/17\n"),
        r#""class":"human""#,
        &format!("http://127.0.0.1:{server}/console/set-up#"),
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!shell.home.file("tour").exists());
}
