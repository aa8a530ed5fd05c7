//! Watches a process, so that a server does not outlive the test run.

use std::fs;
use std::thread;
use std::time::Duration;

const LOOK_EVERY: Duration = Duration::from_millis(200);

/// A process, identified by its id and start time: a later process with the same id is another one.
#[derive(Debug, PartialEq, Eq)]
pub struct WatchedProcess {
    pid: u32,
    started: String,
}

impl WatchedProcess {
    /// `None` if the process has ended.
    pub fn find(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name (second field) may contain blanks and parentheses: count from its end.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        // A zombie has ended.
        fields.next().filter(|state| *state != "Z")?;
        let started = fields.nth(18)?.to_owned();
        Some(Self { pid, started })
    }

    pub fn is_running(&self) -> bool {
        Self::find(self.pid).as_ref() == Some(self)
    }

    pub fn wait_until_gone(&self) {
        while self.is_running() {
            thread::sleep(LOOK_EVERY);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::WatchedProcess;

    #[test]
    fn a_process_is_watched_until_it_ends() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let watched = WatchedProcess::find(child.id()).unwrap();
        assert!(watched.is_running());
        drop(child.stdin.take());
        watched.wait_until_gone();
        assert_eq!(WatchedProcess::find(child.id()), None, "a zombie counts as gone");
        child.wait().unwrap();
    }

    #[test]
    fn a_reused_number_is_another_process() {
        let ourselves = std::process::id();
        let earlier = WatchedProcess { pid: ourselves, started: "0".to_owned() };
        assert!(!earlier.is_running());
    }
}
