//! `serve --ephemeral`, and the page about testing other programs against the sandbox: everything on it is run.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command};

use serde_json::Value;

use crate::home::Home;
use crate::server::refused;
use crate::shell::{Shell, blocks, free_port};
use crate::{eventually, http};

const PAGE: &str = include_str!("../../../../docs/testing-your-integration.md");

/// The commands of each step of the job that has a `run: |` block.
fn steps(job: &str) -> Vec<String> {
    let (mut steps, mut current) = (Vec::new(), None::<String>);
    for line in job.lines() {
        if let (Some(step), Some(command)) = (&mut current, line.strip_prefix("          ")) {
            step.extend([command, "\n"]);
            continue;
        }
        steps.extend(current.take());
        current = (line.trim() == "run: |").then(String::new);
    }
    steps.extend(current);
    steps
}

#[test]
fn the_requests_of_the_page_work_and_leave_nothing() {
    let mut shell = Shell::new();
    shell.run(&blocks(PAGE, "sh").concat());
    assert_eq!(shell.temporary_files(), 0);
    let printed: Value = serde_json::from_slice(&std::fs::read(shell.home.file("switchboard.json")).unwrap()).unwrap();
    let mut members: Vec<&String> = printed.as_object().unwrap().keys().collect();
    members.sort();
    assert_eq!(members, ["data", "graph", "tenant", "token", "url"]);
    let said = shell.first_output();
    for part in [
        r#""messaging_product":"whatsapp""#,
        r#"{"success":true}"#,
        r#""about":"Plants for everyone""#,
        r#""call_icon_visibility":"hidden""#,
        r#""action_name":"start_call","can_perform_action":true"#,
    ] {
        assert!(said.contains(part), "{part} in {said}");
    }
}

#[test]
fn the_job_of_the_page_works() {
    let mut shell = Shell::new();
    let [program]: [String; 1] = blocks(PAGE, "python").try_into().unwrap();
    std::fs::write(shell.home.file("bot.py"), program).unwrap();
    let [job]: [String; 1] = blocks(PAGE, "yaml").try_into().unwrap();
    let steps = steps(&job);
    assert_eq!(steps.len(), 3, "{steps:#?}");
    let port = free_port();
    for step in steps {
        shell.run(&step.replace("9000", &port));
    }
}

/// Starts an ephemeral server with text output; returns what it prints when it is complete.
async fn started(home: &Home, temporary: &Path) -> (Child, String) {
    let output = home.file("printed");
    let mut command = home.binary();
    command.args(["serve", "--ephemeral", "--listen", "127.0.0.1:0"]).env("TMPDIR", temporary);
    let child = command.stdout(File::create(&output).unwrap()).spawn().unwrap();
    let printed = eventually("the server prints its folder", async || {
        std::fs::read_to_string(&output).ok().filter(|text| text.contains("Commands reach it with --data"))
    });
    (child, printed.await)
}

fn value_after(text: &str, word: &str) -> String {
    let value = text.lines().find_map(|line| line.trim().strip_prefix(word));
    value.unwrap_or_else(|| panic!("no {word:?} in {text}")).trim().to_owned()
}

#[tokio::test]
async fn everything_is_gone_after_a_signal_and_after_a_kill_with_the_next_start() {
    let home = Home::sqlite();
    let temporary = home.file("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let folders = || std::fs::read_dir(&temporary).unwrap().count();
    let (mut killed, printed) = started(&home, &temporary).await;
    let (url, token) = (value_after(&printed, "address "), value_after(&printed, "token "));
    let answer = http().get(format!("{url}/api/ext/v3/calls")).bearer_auth(token).send().await.unwrap();
    assert_eq!((answer.status().as_u16(), folders()), (200, 1));
    assert!(!home.file("data").exists(), "the usual folder is not used");
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(folders(), 1);
    for signal in ["TERM", "INT"] {
        let (mut child, printed) = started(&home, &temporary).await;
        assert_eq!(folders(), 1, "the folder of the killed server is gone");
        assert!(printed.contains("This server is ephemeral"), "{printed}");
        let sent = Command::new("sh").args(["-c", &format!("kill -{signal} {}", child.id())]).status().unwrap();
        assert!(sent.success() && child.wait().unwrap().success());
        assert_eq!(folders(), 0, "{signal}");
    }
}

#[test]
fn settings_that_contradict_are_refused() {
    let home = Home::sqlite();
    let cases = [
        (vec!["--data", "x"], ("SWITCHBOARD_LOG_LEVEL", "info"), "data (from flag --data)"),
        (vec![], ("SWITCHBOARD_DATABASE", "postgres://u:p@127.0.0.1:9/x"), "database (from env SWITCHBOARD_DATABASE)"),
        (vec![], ("SWITCHBOARD_LISTEN", "127.0.0.1:x"), "listen"),
    ];
    std::fs::create_dir(home.file("tmp")).unwrap();
    for (arguments, (name, value), named) in cases {
        let mut command = home.binary();
        command.args(["serve", "--ephemeral"]).args(arguments).env(name, value);
        command.env("TMPDIR", home.file("tmp"));
        let (status, said) = refused(command);
        assert!(!status.success() && said.contains(named), "{said}");
        assert_eq!(std::fs::read_dir(home.file("tmp")).unwrap().count(), 0);
    }
}
