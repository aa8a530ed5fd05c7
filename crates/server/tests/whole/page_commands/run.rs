//! Runs the commands of a page.

use std::fs::File;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use super::answer::{Expected, Known};
use super::page::{Page, Step};
use crate::home::Home;
use crate::server::Server;

/// How long an answer may take to become the one on the page: far more than it needs.
const TIMEOUT: Duration = Duration::from_mins(1);
const PAUSE: Duration = Duration::from_millis(20);
/// How pages name the address of the server, a token, a tenant and the arguments of a command.
const ADDRESSES: [&str; 2] = ["http://127.0.0.1:8080", "https://wa.example.com"];
const TOKEN: &str = "swb_...";
const TENANT: &str = "100138";
const SYNOPSIS: &str = "--tenant ID [--channel NAME]";
/// Answers are compared whole; a refusal is an exit status too.
const CURL_SETTINGS: &str = "silent\nshow-error\nfail-with-body\n";

struct Shell {
    home: Home,
    server: Server,
    known: Known,
}

/// A process with all that it started, ended on drop.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        // Fails for a group that has ended.
        let _ = Command::new("sh").args(["-c", &format!("kill -KILL -{} 2>/dev/null", self.0.id())]).status();
        let _ = self.0.wait();
    }
}

pub fn run_page(name: &str, preparation: &[&str]) {
    let home = Home::sqlite();
    let server = Server::start_with(&home, &[("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8")]);
    std::fs::write(home.file(".curlrc"), CURL_SETTINGS).unwrap();
    let mut shell = Shell { home, server, known: Known::new() };
    for script in preparation {
        shell.run(&Step { command: (*script).to_owned(), expected: None });
    }
    let steps = Page::read(name).steps();
    assert!(!steps.is_empty(), "{name} has no commands");
    for step in &steps {
        shell.run(step);
    }
}

impl Shell {
    /// The command as it can be run: with the server's address, token and ids.
    fn command(&self, command: &str) -> String {
        let mut command = command.replace(TOKEN, &self.server.token()).replace(TENANT, "100001");
        command = command.replace(SYNOPSIS, "--tenant 100001");
        for address in ADDRESSES {
            command = command.replace(address, &self.server.url(""));
        }
        for (page, real) in &self.known {
            command = command.replace(page, real);
        }
        command
    }

    fn start(&self, command: &str) -> (Group, PathBuf, PathBuf) {
        let (printed, errors) = (self.home.file("printed"), self.home.file("errors"));
        let mut bash = self.home.bash(command);
        bash.env("CURL_HOME", self.home.file("")).env("HOME", self.home.file(""));
        for name in ["T", "TOKEN"] {
            bash.env(name, self.server.token());
        }
        for name in ["B", "BASE"] {
            bash.env(name, self.server.url(""));
        }
        bash.stdout(File::create(&printed).unwrap()).stderr(File::create(&errors).unwrap());
        (Group(bash.spawn().unwrap()), printed, errors)
    }

    /// A page that shows a file with `cat` brings the file.
    fn write_shown_file(&self, command: &str, step: &Step) {
        if let (Some(name), Some(Expected::Text(text))) = (command.strip_prefix("cat "), &step.expected) {
            std::fs::write(self.home.file(name.trim()), text).unwrap();
        }
    }

    /// Runs a command until it printed what the page shows; without that, to its successful end.
    fn run(&mut self, step: &Step) {
        let command = self.command(&step.command);
        self.write_shown_file(&command, step);
        let began = Instant::now();
        loop {
            let (mut group, printed, errors) = self.start(&command);
            let status = loop {
                let ended = group.0.try_wait().unwrap();
                let text =
                    std::fs::read_to_string(&printed).unwrap_or_default().replace(&self.server.url(""), ADDRESSES[0]);
                if step.expected.as_ref().is_some_and(|expected| expected.matches(&text, &mut self.known)) {
                    return;
                }
                if ended.is_some() || began.elapsed() > TIMEOUT {
                    break ended;
                }
                std::thread::sleep(PAUSE);
            };
            if step.expected.is_none() && status.is_some_and(|status| status.success()) {
                return;
            }
            // An effect of background work, such as the verdict on a template, is asked for again. A refusal has no effect.
            let text = std::fs::read_to_string(&printed).unwrap_or_default();
            let may_repeat = is_read(&command) || text.starts_with("{\"code\":");
            assert!(
                step.expected.is_some() && may_repeat && began.elapsed() < TIMEOUT,
                "{command}\nended with {status:?} and printed\n{}{}\nbut the page shows\n{:#?}",
                text,
                std::fs::read_to_string(&errors).unwrap_or_default(),
                step.expected,
            );
            std::thread::sleep(PAUSE);
        }
    }
}

/// Whether a command changes nothing.
fn is_read(command: &str) -> bool {
    let is_request =
        command.starts_with("curl ") && ![" -d ", " -X ", " -F "].iter().any(|flag| command.contains(flag));
    is_request
        || ["switchboard sandbox inbox", "switchboard sandbox person list", "switchboard order list"]
            .iter()
            .any(|start| command.starts_with(start))
}
