//! A server process: start, stop, output and log.

use std::fs::File;
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::home::Home;

/// Time limit of a start or a refused start: far more than it needs.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Time limit of a stop: `server.shutdown_seconds`, and some time for the process itself.
const STOP: Duration = Duration::from_secs(12);

/// A server process, killed on drop.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    /// File with the standard output. When the server is ready, it holds everything that was printed before.
    stdout: PathBuf,
    /// Written by the first start, since standard output is no terminal.
    first_start: PathBuf,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Server {
    pub fn start(home: &Home) -> Self {
        Self::start_with(home, &[])
    }

    /// Starts on a free port, with further settings from the environment.
    pub fn start_with(home: &Home, settings: &[(&str, &str)]) -> Self {
        let mut command = home.binary();
        command.args(["serve", "--listen", "127.0.0.1:0"]).envs(settings.iter().copied());
        Self::start_command(home, command)
    }

    /// Starts with this command.
    pub fn start_command(home: &Home, mut command: Command) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let stdout = home.file(&format!("stdout-{}", COUNT.fetch_add(1, Ordering::Relaxed)));
        command.env("SWITCHBOARD_LOG_FORMAT", "json").stdout(File::create(&stdout).unwrap()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let log = Arc::new(Mutex::new(String::new()));
        let (reader, ready) = read(child.stderr.take().unwrap(), log.clone());
        let Ok(address) = ready.recv_timeout(TIMEOUT) else {
            let _ = child.kill();
            panic!("the server does not start:\n{}", log.lock().unwrap());
        };
        let first_start = home.file("data/first-start.txt");
        Self { child, address, stdout, first_start, log, reader: Some(reader) }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Standard output so far.
    pub fn printed(&self) -> String {
        std::fs::read_to_string(&self.stdout).unwrap()
    }

    /// The log so far.
    pub fn log(&self) -> String {
        self.log.lock().unwrap().clone()
    }

    /// The address in the first line of the log with this message.
    pub fn address_in_log(&self, message: &str) -> Option<SocketAddr> {
        let log = self.log();
        let mut entries = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        entries.find(|entry| entry["message"] == message)?["address"].as_str()?.parse().ok()
    }

    /// The text with the credentials that the first start wrote to its file.
    pub fn first_start(&self) -> String {
        std::fs::read_to_string(&self.first_start).unwrap()
    }

    /// The value after a word in that text.
    pub fn given_after(&self, word: &str) -> String {
        let printed = self.first_start();
        let value = printed.lines().find_map(|line| line.trim().strip_prefix(word));
        value.unwrap_or_else(|| panic!("no {word} in {printed:?}")).trim().to_owned()
    }

    /// The token of the first start.
    pub fn token(&self) -> String {
        self.given_after("token ")
    }

    /// Kills the process with SIGKILL.
    pub fn kill_9(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    pub fn send_sigterm(&self) {
        self.send_signal("TERM");
    }

    pub fn send_signal(&self, name: &str) {
        let sent = Command::new("sh").args(["-c", &format!("kill -{name} {}", self.child.id())]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end; returns exit status and log.
    pub fn wait(mut self) -> (ExitStatus, String) {
        let status = wait_for(&mut self.child, STOP);
        self.reader.take().unwrap().join().unwrap();
        (status, self.log.lock().unwrap().clone())
    }

    pub fn terminate(self) -> (ExitStatus, String) {
        self.send_sigterm();
        self.wait()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits for the end of a process that is expected to fail; returns exit status and standard error.
pub fn refused(mut command: Command) -> (ExitStatus, String) {
    let mut child = command.spawn().unwrap();
    let status = wait_for(&mut child, TIMEOUT);
    let said = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
    (status, said)
}

fn wait_for(child: &mut Child, limit: Duration) -> ExitStatus {
    let began = Instant::now();
    while began.elapsed() < limit {
        if let Some(status) = child.try_wait().unwrap() {
            return status;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let _ = child.kill();
    panic!("the process did not end within {limit:?}");
}

/// Collects the log; sends the server's address when the log says `ready`.
fn read(stderr: ChildStderr, log: Arc<Mutex<String>>) -> (JoinHandle<()>, Receiver<SocketAddr>) {
    let (found, ready) = mpsc::channel();
    let reader = std::thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            let entry: Value = serde_json::from_str(&line).unwrap_or_default();
            log.lock().unwrap().push_str(&(line + "\n"));
            if entry["message"] == "ready" {
                let _ = found.send(entry["listen"].as_str().unwrap().parse().unwrap());
            }
        }
    });
    (reader, ready)
}
