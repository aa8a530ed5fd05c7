//! A throw-away Citus cluster: a coordinator and two workers, which `scripts/run-citus` starts. Dropping the handle stops
//! them and removes their folders.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, process};

use crate::server::run;
use crate::user::ServerUser;
use crate::{Options, StartError};

/// Environment variable with the folder in which `scripts/build-citus` has built Citus.
pub const CITUS_VARIABLE: &str = "SWITCHBOARD_TEST_CITUS_FOLDER";
const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/run-citus");

#[derive(Debug)]
pub struct Citus {
    script: Child,
    url: String,
    programs: PathBuf,
}

impl Citus {
    /// None if `CITUS_VARIABLE` is not set.
    pub fn start(options: Options) -> Result<Option<Self>, StartError> {
        let Some(folder) = env::var_os(CITUS_VARIABLE) else { return Ok(None) };
        let versions = Path::new(&folder).join("usr/lib/postgresql");
        let version = versions.read_dir().ok().and_then(|mut versions| versions.next()?.ok());
        let programs = version.ok_or_else(|| StartError::new(format!("{CITUS_VARIABLE} has no PostgreSQL")))?;
        let mut command = Command::new(SCRIPT);
        command.arg(&folder).args(["--watch-pid", &process::id().to_string()]);
        if options.fsync {
            command.arg("--sync");
        }
        let mut script = command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(StartError::during("running scripts/run-citus"))?;
        let mut url = String::new();
        if let Some(output) = script.stdout.take() {
            BufReader::new(output).read_line(&mut url).map_err(StartError::during("reading the URL of Citus"))?;
        }
        let started = Self { script, url: url.trim().to_owned(), programs: programs.path().join("bin") };
        // Without a URL, dropping it waits for the script.
        if started.url.is_empty() {
            Err(StartError::new("scripts/run-citus started no Citus"))
        } else {
            Ok(Some(started))
        }
    }

    /// URL of the superuser on the coordinator's database `postgres`, which has the extension.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs `pg_ctl` for the server with this data folder.
    pub fn control(&self, data: &str, arguments: &[&str]) -> Result<(), StartError> {
        let mut control = ServerUser::choose()?.command(&self.programs.join("pg_ctl"), Path::new("/"));
        control.args(["--silent", "--wait", "--pgdata", data]).args(arguments);
        run(&mut control, "pg_ctl")
    }
}

impl Drop for Citus {
    fn drop(&mut self) {
        // The script stops its servers on this signal. Both fail only if it has ended.
        let _ = Command::new("kill").arg(self.script.id().to_string()).status();
        let _ = self.script.wait();
    }
}
