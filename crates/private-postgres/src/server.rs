//! Creates, starts and stops one server, and removes its folder.

use std::fs::{self, DirBuilder, File};
use std::io::Read;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use std::{env, io};

use crate::user::ServerUser;
use crate::{StartError, binaries};

const WAIT_AT_MOST: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(10);
/// Number of tries to start: another process may take the free port before the server binds it.
const PORT_ATTEMPTS: u32 = 5;

#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// Switches `fsync`, `full_page_writes` and `autovacuum`. Off is faster and enough for tests; benchmarks need it
    /// on.
    pub fsync: bool,
    pub max_connections: u16,
}

impl Options {
    pub fn for_tests() -> Self {
        Self { fsync: false, max_connections: 300 }
    }

    pub fn for_bench() -> Self {
        Self { fsync: true, max_connections: 300 }
    }
}

/// A server, running unless it was stopped. Dropping it closes all connections, stops the server and removes its folder.
#[derive(Debug)]
pub struct Postgres {
    process: Child,
    port: u16,
    password: String,
    programs: PathBuf,
    user: ServerUser,
    options: Options,
    // The last field, so that the folder is removed after the process has ended.
    folder: Folder,
}

impl Postgres {
    pub fn start(options: Options) -> Result<Self, StartError> {
        let programs = binaries::folder()?;
        let user = ServerUser::choose()?;
        let folder = Folder::create(user)?;
        let password = random_hex()?;
        init(&programs, user, &folder, &password)?;
        Self::launch(programs, user, folder, password, options)
    }

    /// A standby that follows this server by streaming replication, with a folder and a port of its own.
    pub fn standby(&self) -> Result<Self, StartError> {
        let folder = Folder::create(self.user)?;
        let mut copy = self.user.command(&self.programs.join("pg_basebackup"), &folder.path);
        copy.arg("--pgdata").arg(folder.data()).args(["--write-recovery-conf", "--checkpoint=fast", "--no-sync"]);
        copy.args(["--host=127.0.0.1", "--username=postgres", "--no-password", "--port"]).arg(self.port.to_string());
        run(copy.env("PGPASSWORD", &self.password), "pg_basebackup")?;
        Self::launch(self.programs.clone(), self.user, folder, self.password.clone(), self.options)
    }

    fn launch(
        programs: PathBuf,
        user: ServerUser,
        folder: Folder,
        password: String,
        options: Options,
    ) -> Result<Self, StartError> {
        let mut attempt = 1;
        loop {
            let port = free_port().map_err(StartError::during("finding a free port"))?;
            match launch(&programs, user, &folder, options, port) {
                Ok(process) => return Ok(Self { process, port, password, programs, user, options, folder }),
                Err(error) if error.is_taken_port() && attempt < PORT_ATTEMPTS => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    /// Closes all connections and stops the server; its data stays.
    pub fn stop(&mut self) {
        stop(&mut self.process);
    }

    /// Starts a stopped server on the same port.
    pub fn start_again(&mut self) -> Result<(), StartError> {
        self.process = launch(&self.programs, self.user, &self.folder, self.options, self.port)?;
        Ok(())
    }

    /// Kills the server with SIGKILL. Its sessions end when they notice.
    pub fn kill(&mut self) {
        // Both fail only if the process has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// Makes a standby a server of its own, and returns when it takes writes.
    pub fn promote(&self) -> Result<(), StartError> {
        let mut promote = self.user.command(&self.programs.join("pg_ctl"), &self.folder.path);
        run(promote.args(["promote", "--wait", "--pgdata"]).arg(self.folder.data()), "pg_ctl promote")
    }

    /// A command that runs as the user of the server, which is never root.
    pub fn command(&self, program: &Path) -> Command {
        self.user.command(program, &self.folder.path)
    }

    /// Writes a file that the user of the server alone may read, and returns its path.
    pub fn write_private(&self, name: &str, content: &str) -> Result<PathBuf, StartError> {
        let path = self.folder.path.join(name);
        self.user.write_private(&path, content)?;
        Ok(path)
    }

    /// `postgres://…` of the superuser on the database `postgres`.
    pub fn url(&self) -> String {
        format!("postgres://postgres:{}@127.0.0.1:{}/postgres", self.password, self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn password(&self) -> &str {
        &self.password
    }

    pub fn pid(&self) -> u32 {
        self.process.id()
    }

    /// The folder with everything the server writes.
    pub fn folder(&self) -> &Path {
        &self.folder.path
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        stop(&mut self.process);
    }
}

#[derive(Debug)]
struct Folder {
    path: PathBuf,
}

impl Folder {
    fn create(user: ServerUser) -> Result<Self, StartError> {
        let path = env::temp_dir().join(format!("switchboard-postgres-{}", random_hex()?));
        DirBuilder::new().mode(0o700).create(&path).map_err(StartError::during("making a folder"))?;
        let folder = Self { path };
        user.give(&folder.path)?;
        Ok(folder)
    }

    fn data(&self) -> PathBuf {
        self.path.join("data")
    }

    fn log(&self) -> PathBuf {
        self.path.join("server.log")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // The folder may stay if it cannot be removed; the system clears temporary files.
        let _ = fs::remove_dir_all(&self.path);
    }
}

fn init(programs: &Path, user: ServerUser, folder: &Folder, password: &str) -> Result<(), StartError> {
    let password_file = folder.path.join("password");
    user.write_private(&password_file, password)?;
    let mut command = user.command(&programs.join("initdb"), &folder.path);
    command.arg("--pgdata").arg(folder.data()).arg("--pwfile").arg(&password_file);
    command.args(["--username=postgres", "--auth=scram-sha-256", "--encoding=UTF8", "--no-sync"]);
    command.args(locale(programs)?);
    run(&mut command, "initdb")
}

/// Runs a program to its end; an error quotes what it said.
pub(crate) fn run(command: &mut Command, name: &str) -> Result<(), StartError> {
    let output = command.stdin(Stdio::null()).output().map_err(StartError::during(name))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(StartError::new(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim())))
    }
}

/// A linguistic collation where the version offers one, like most installations: tests should notice where SQLite sorts
/// text by bytes and PostgreSQL by language.
fn locale(programs: &Path) -> Result<&'static [&'static str], StartError> {
    if major_version(programs)? >= 15 {
        Ok(&["--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US"])
    } else {
        Ok(&["--locale=C.UTF-8"])
    }
}

fn major_version(programs: &Path) -> Result<u32, StartError> {
    let output = Command::new(programs.join("initdb"))
        .arg("--version")
        .output()
        .map_err(StartError::during("running initdb"))?;
    // "initdb (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"
    let text = String::from_utf8_lossy(&output.stdout);
    let digits = text.split_whitespace().nth(2).map(|version| version.split(|c: char| !c.is_ascii_digit()).next());
    digits
        .flatten()
        .and_then(|digits| digits.parse().ok())
        .ok_or_else(|| StartError::new(format!("initdb --version says {text:?}")))
}

fn launch(
    programs: &Path,
    user: ServerUser,
    folder: &Folder,
    options: Options,
    port: u16,
) -> Result<Child, StartError> {
    let log = File::create(folder.log()).map_err(StartError::during("making the server's log"))?;
    let errors = log.try_clone().map_err(StartError::during("making the server's log"))?;
    let mut command = user.command(&programs.join("postgres"), &folder.path);
    command.arg("-D").arg(folder.data()).args(parameters(port, options));
    command.stdin(Stdio::null()).stdout(log).stderr(errors);
    let mut process = command.spawn().map_err(StartError::during("running postgres"))?;
    match wait_until_ready(&mut process, folder) {
        Ok(()) => Ok(process),
        Err(error) => {
            stop(&mut process);
            Err(error)
        }
    }
}

fn parameters(port: u16, options: Options) -> Vec<String> {
    let safe = if options.fsync { "on" } else { "off" };
    let settings = [
        "listen_addresses=127.0.0.1".to_owned(),
        format!("port={port}"),
        // No socket file: it could collide, and it limits the length of the folder's path.
        "unix_socket_directories=".to_owned(),
        format!("max_connections={}", options.max_connections),
        format!("fsync={safe}"),
        format!("full_page_writes={safe}"),
        // Tests leave hundreds of databases behind, and a worker would visit each of them in turn.
        format!("autovacuum={safe}"),
    ];
    settings.into_iter().flat_map(|setting| ["-c".to_owned(), setting]).collect()
}

fn free_port() -> io::Result<u16> {
    Ok(TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()?.port())
}

/// Waits until the server's pid file says `ready`, or `standby` for one that follows another. A connection to the port would prove nothing: the port could belong
/// to another process.
fn wait_until_ready(process: &mut Child, folder: &Folder) -> Result<(), StartError> {
    let deadline = Instant::now() + WAIT_AT_MOST;
    while Instant::now() < deadline {
        if let Some(status) = process.try_wait().map_err(StartError::during("waiting for postgres"))? {
            return Err(not_started(&format!("postgres ended ({status})"), folder));
        }
        if says_ready(&folder.data()) {
            return Ok(());
        }
        thread::sleep(POLL);
    }
    Err(not_started("postgres did not become ready", folder))
}

fn says_ready(data: &Path) -> bool {
    fs::read_to_string(data.join("postmaster.pid"))
        .is_ok_and(|content| content.lines().nth(7).is_some_and(|state| ["ready", "standby"].contains(&state.trim())))
}

fn not_started(what: &str, folder: &Folder) -> StartError {
    let log = fs::read_to_string(folder.log()).unwrap_or_default();
    StartError::new(format!("{what}; its log:\n{}", log.trim()))
}

/// Fast shutdown (SIGINT): closes sessions and writes data. A server that does not end within a minute is killed.
fn stop(process: &mut Child) {
    // The number of a process that has ended may be that of another one.
    if matches!(process.try_wait(), Ok(Some(_))) {
        return;
    }
    let asked = Command::new("kill").args(["-s", "INT", &process.id().to_string()]).stderr(Stdio::null()).status();
    if asked.is_ok_and(|status| status.success()) && ended_in_time(process).is_some() {
        return;
    }
    // Both fail only if the process has ended.
    let _ = process.kill();
    let _ = process.wait();
}

fn ended_in_time(process: &mut Child) -> Option<ExitStatus> {
    let deadline = Instant::now() + WAIT_AT_MOST;
    while Instant::now() < deadline {
        if let Ok(Some(status)) = process.try_wait() {
            return Some(status);
        }
        thread::sleep(POLL);
    }
    None
}

fn random_hex() -> Result<String, StartError> {
    let mut bytes = [0_u8; 16];
    let mut source = File::open("/dev/urandom").map_err(StartError::during("reading randomness"))?;
    source.read_exact(&mut bytes).map_err(StartError::during("reading randomness"))?;
    Ok(format!("{:032x}", u128::from_be_bytes(bytes)))
}
