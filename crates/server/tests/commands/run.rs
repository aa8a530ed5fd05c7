//! Runs the binary in a folder of its own, without the settings in the environment of the test run.

use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

pub struct Folder(pub PathBuf);

/// Exit code and output of a process.
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Self {
        Self(testkit::database::fresh_folder())
    }

    /// With an installation without a tenant.
    pub fn installed() -> Self {
        let folder = Self::new();
        folder.run("migrate --create").ok();
        folder
    }

    /// With the tenant 100138, whose administrator is admin@example.com.
    pub fn with_tenant() -> Self {
        let folder = Self::installed();
        folder.run("tenant create --id 100138 --name Acme --plan business").ok();
        folder.run("account create --tenant 100138 --email admin@example.com --role ADMINISTRATOR").ok();
        folder
    }

    /// Runs the binary; the arguments are split at spaces.
    pub fn run(&self, arguments: &str) -> Ran {
        self.run_with(arguments, "")
    }

    pub fn run_with(&self, arguments: &str, stdin: &str) -> Ran {
        self.run_in(&[], arguments, stdin)
    }

    /// The same with these environment variables.
    pub fn run_in(&self, variables: &[(&str, &str)], arguments: &str, stdin: &str) -> Ran {
        let mut command = Command::new(env!("CARGO_BIN_EXE_switchboard"));
        let ours = std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SWITCHBOARD_"));
        for (name, _) in ours {
            command.env_remove(name);
        }
        command.args(arguments.split_whitespace()).envs(variables.iter().copied()).current_dir(&self.0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        Ran {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// JSON of a command that must succeed.
    pub fn json(&self, arguments: &str) -> Value {
        let ran = self.run(&format!("{arguments} --json"));
        serde_json::from_str(&ran.ok()).unwrap()
    }

    /// Runs a command, with and without `--json`, that must fail with this exit code; returns kind and message of the
    /// JSON error.
    #[track_caller]
    pub fn fails(&self, code: i32, arguments: &str) -> (String, String) {
        let plain = self.run(arguments);
        assert_eq!(plain.code, Some(code), "{arguments}: {}", plain.stderr);
        assert!(plain.stderr.starts_with("error: ") && plain.stdout.is_empty(), "{}", plain.stderr);
        let ran = self.run(&format!("{arguments} --json"));
        assert_eq!((ran.code, ran.stdout.as_str()), (Some(code), ""));
        let error: Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
        let text = |member: &str| error["error"][member].as_str().unwrap().to_owned();
        (text("kind"), text("message"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl Ran {
    /// Standard output of a process that must have succeeded.
    #[track_caller]
    pub fn ok(&self) -> String {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        self.stdout.clone()
    }
}

/// Sorted names of an object's members.
pub fn members(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}
