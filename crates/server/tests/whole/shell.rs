//! Runs the commands of documents in a shell, as a reader would.

use std::fs::File;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use crate::home::Home;

const TIMEOUT: Duration = Duration::from_mins(2);
/// Files in which the documents let servers and programs log.
const LOGS: [&str; 4] = ["switchboard.log", "bot.log", "tour/server.log", "tour/receiver.log"];

/// The code blocks of a document in this language.
pub fn blocks(page: &str, language: &str) -> Vec<String> {
    let (mut blocks, mut current) = (Vec::new(), None::<String>);
    for line in page.lines() {
        match (&mut current, line) {
            (Some(_), "```") => blocks.extend(current.take()),
            (Some(block), line) => block.extend([line, "\n"]),
            (None, line) if line.strip_prefix("```") == Some(language) => current = Some(String::new()),
            (None, _) => {}
        }
    }
    blocks
}

/// A port of 127.0.0.1 that was free a moment ago.
pub fn free_port() -> String {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string()
}

/// A folder with the binary on the path, and the processes that were started in it.
pub struct Shell {
    pub home: Home,
    groups: Vec<Child>,
}

impl Shell {
    pub fn new() -> Self {
        let home = Home::sqlite();
        std::fs::create_dir(home.file("tmp")).unwrap();
        Self { home, groups: Vec::new() }
    }

    /// Runs a script to its end; what it left in the background runs on until the shell is dropped.
    pub fn run(&mut self, script: &str) {
        let said = self.home.file(&format!("said-{}", self.groups.len()));
        let output = File::options().create(true).append(true).open(&said).unwrap();
        let mut command = self.home.bash(script);
        command.env("TMPDIR", self.home.file("tmp")).stdout(output.try_clone().unwrap()).stderr(output);
        let mut child = command.spawn().unwrap();
        let began = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break Some(status);
            }
            if began.elapsed() > TIMEOUT {
                break None;
            }
            std::thread::sleep(Duration::from_millis(10));
        };
        self.groups.push(child);
        let log = |name: &str| std::fs::read_to_string(self.home.file(name)).unwrap_or_default();
        assert!(
            status.is_some_and(|status| status.success()),
            "{script}\n{}\n{}",
            std::fs::read_to_string(&said).unwrap(),
            LOGS.map(log).concat()
        );
    }

    /// The output of the first script.
    pub fn first_output(&self) -> String {
        std::fs::read_to_string(self.home.file("said-0")).unwrap()
    }

    pub fn temporary_files(&self) -> usize {
        std::fs::read_dir(self.home.file("tmp")).unwrap().count()
    }
}

impl Drop for Shell {
    fn drop(&mut self) {
        for group in &self.groups {
            // Fails for a group that has ended.
            let _ = Command::new("sh").args(["-c", &format!("kill -TERM -{} 2>/dev/null", group.id())]).status();
        }
    }
}
