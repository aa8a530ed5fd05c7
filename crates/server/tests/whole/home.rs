//! The environment of a server: a data folder and, on PostgreSQL, a database of its own. Commands run here too.

use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use domain::base::keys::SecretKey;
use serde_json::Value;
use store::{Db, Engine, Location};
use testkit::fresh::FreshDatabase;
use testkit::postgres::Postgres;

pub struct Home {
    folder: PathBuf,
    /// The database and the secret key; none: the embedded database in the folder is used.
    postgres: Option<(FreshDatabase, String)>,
    /// Further settings of every process, which win over those of the database.
    settings: Vec<(&'static str, String)>,
}

impl Home {
    pub fn sqlite() -> Self {
        Self { folder: testkit::database::fresh_folder(), postgres: None, settings: Vec::new() }
    }

    pub async fn postgres() -> Self {
        let key = SecretKey::random().to_file_text().to_string();
        let database = FreshDatabase::on(Engine::Postgres).await;
        Self { folder: testkit::database::fresh_folder(), postgres: Some((database, key)), settings: Vec::new() }
    }

    /// On the database `postgres` of a server that the test started, reached over the URL in `settings` if there is one.
    pub fn on_server(server: &Postgres, settings: Vec<(&'static str, String)>) -> Self {
        Self::at_url(server.url(), settings)
    }

    /// On the database at this URL.
    pub fn at_url(url: String, settings: Vec<(&'static str, String)>) -> Self {
        let key = SecretKey::random().to_file_text().to_string();
        let database = FreshDatabase::given(url);
        Self { folder: testkit::database::fresh_folder(), postgres: Some((database, key)), settings }
    }

    /// Removes the database on PostgreSQL; no server may run on it any more.
    pub async fn remove(mut self) {
        if let Some((database, _)) = self.postgres.take() {
            database.remove().await;
        }
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Opens the database next to running servers.
    pub fn db(&self) -> Db {
        match &self.postgres {
            Some((database, _)) => database.open(),
            None => Db::open(&Location::Sqlite { file: self.file("data/switchboard.db") }).unwrap(),
        }
    }

    /// The binary with the settings of this environment and none of the test run's.
    pub fn binary(&self) -> Command {
        self.in_environment(Command::new(program()))
    }

    /// The same, with at most this many open files.
    pub fn binary_with_open_files(&self, most: u32) -> Command {
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("ulimit -n {most} && exec \"$0\" \"$@\"")]).arg(program());
        self.in_environment(shell)
    }

    fn in_environment(&self, mut command: Command) -> Command {
        remove_settings(&mut command);
        command.current_dir(&self.folder).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some((FreshDatabase { location: Location::Postgres { url, .. }, .. }, key)) = &self.postgres {
            command.env("SWITCHBOARD_DATABASE", url).env("SWITCHBOARD_SECRET_KEY", key);
        }
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// A script for bash, in a process group of its own, with the binary on the path and none of the test run's settings.
    pub fn bash(&self, script: &str) -> Command {
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_switchboard"));
        let (folder, path) = (binary.parent().unwrap(), std::env::var("PATH").unwrap());
        let mut command = Command::new("bash");
        remove_settings(&mut command);
        command.args(["-euo", "pipefail", "-c", script]).current_dir(&self.folder).process_group(0);
        command.env("PATH", format!("{}:{path}", folder.display())).env("no_proxy", "*").stdin(Stdio::null());
        command
    }

    /// JSON of a command that must succeed. Splits the arguments at spaces.
    pub fn run(&self, arguments: &str) -> Value {
        self.run_with(arguments, "")
    }

    pub fn run_with(&self, arguments: &str, stdin: &str) -> Value {
        let mut command = self.binary();
        command.args(arguments.split_whitespace()).arg("--json").stdin(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn program() -> OsString {
    std::env::var_os("SWITCHBOARD_TEST_SERVER").unwrap_or_else(|| env!("CARGO_BIN_EXE_switchboard").into())
}

fn remove_settings(command: &mut Command) {
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SWITCHBOARD_")) {
        command.env_remove(name);
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
