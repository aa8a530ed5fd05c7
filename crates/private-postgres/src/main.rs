//! `test-postgres`: one server for a whole test run, stopped when the process of the run has ended.
//!
//! `test-postgres --watch-pid PID` prints the server's URL and runs until that process has ended.
//! `test-postgres --nextest` is nextest's setup script: it starts such a server in the background, which runs until the
//! nextest process has ended, and exports its URL to the tests in `SWITCHBOARD_TEST_POSTGRES`. If that variable is set
//! already, it starts none.

use std::error::Error;
use std::fs::OpenOptions;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::{CommandExt, parent_id};
use std::process::{Command, ExitCode, Stdio};
use std::{env, io};

use private_postgres::{Options, Postgres, URL_VARIABLE, WatchedProcess};

const USAGE: &str = "usage: test-postgres --watch-pid PID | --nextest";

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let result = match arguments[..] {
        ["--watch-pid", pid] => serve_while_running(pid),
        ["--nextest"] => set_up_nextest(),
        _ => Err(USAGE.into()),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say_error(error.as_ref());
            ExitCode::FAILURE
        }
    }
}

fn serve_while_running(pid: &str) -> Result<(), Box<dyn Error>> {
    let watched = WatchedProcess::find(pid.parse()?).ok_or("the process to watch is not running")?;
    let server = Postgres::start(Options::for_tests())?;
    let mut output = io::stdout();
    writeln!(output, "{}", server.url())?;
    output.flush()?;
    watched.wait_until_gone();
    Ok(())
}

fn set_up_nextest() -> Result<(), Box<dyn Error>> {
    if env::var_os(URL_VARIABLE).is_some() {
        return Ok(());
    }
    let exports = env::var_os("NEXTEST_ENV").ok_or("NEXTEST_ENV is not set: this is for nextest's setup")?;
    let url = leave_server_behind(parent_id())?;
    writeln!(OpenOptions::new().append(true).open(exports)?, "{URL_VARIABLE}={url}")?;
    Ok(())
}

/// Starts the server in its own process group: an interrupt does not stop it before nextest has ended.
fn leave_server_behind(watched: u32) -> Result<String, Box<dyn Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["--watch-pid", &watched.to_string()]).process_group(0);
    let mut server = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut url = String::new();
    if let Some(output) = server.stdout.take() {
        BufReader::new(output).read_line(&mut url)?;
    }
    if url.is_empty() {
        let output = server.wait_with_output()?;
        return Err(String::from_utf8_lossy(&output.stderr).trim().to_owned().into());
    }
    Ok(url.trim().to_owned())
}

#[expect(clippy::print_stderr, reason = "the error output of a command-line tool")]
fn say_error(error: &dyn Error) {
    eprintln!("{error}");
}
