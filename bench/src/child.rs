//! A server as a child process of the benchmark, with its memory and processor time. The child is the same binary: it
//! prints its address as one line and ends when its standard input closes.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::SocketAddr,
    process::{self, Command, Stdio},
    thread,
    time::Duration,
};

use anyhow::{Context as _, Result, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::load::{self, Case, Measurement, Plan};

/// Linux reports processor time in hundredths of a second on all current architectures.
pub const TICK: Duration = Duration::from_millis(10);

#[derive(Debug)]
pub struct Child {
    process: process::Child,
    pub address: SocketAddr,
    /// Address of the server's sandbox, if it has one.
    pub sandbox: Option<SocketAddr>,
}

/// A measurement, with the processor time that the server spent on it.
#[derive(Clone, Debug)]
pub struct Measured {
    pub load: Measurement,
    pub server_time_per_request: Duration,
}

impl Child {
    pub fn start(arguments: &[&str]) -> Result<Self> {
        let program = std::env::current_exe().context("finding the benchmark's own program")?;
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut process = command.spawn().context("starting the server process")?;
        let mut line = String::new();
        let stdout = process.stdout.take().context("the server process has no output")?;
        BufReader::new(stdout).read_line(&mut line).context("reading the server's address")?;
        let mut addresses = line.split_whitespace().map(str::parse);
        let (address, sandbox) = (addresses.next(), addresses.next());
        let address = address.and_then(Result::ok);
        let address = address.with_context(|| format!("the server did not start; it said \"{}\"", line.trim()))?;
        Ok(Self { process, address, sandbox: sandbox.transpose()? })
    }

    pub async fn measure(&self, case: &Case, plan: Plan) -> Result<Measured> {
        self.costed(load::run(self.address, case, plan)).await
    }

    /// Measures `calls` requests, sent one after the other.
    pub async fn measure_calls(&self, case: &Case, calls: u64) -> Result<Measured> {
        self.costed(load::run_calls(self.address, case, calls)).await
    }

    /// Measures requests to the sandbox.
    pub async fn measure_sandbox(&self, case: &Case, plan: Plan) -> Result<Measured> {
        let sandbox = self.sandbox.context("the server has no sandbox")?;
        self.costed(load::run(sandbox, case, plan)).await
    }

    async fn costed(&self, load: impl Future<Output = Result<Measurement>>) -> Result<Measured> {
        let before = self.processor_time()?;
        let load = load.await?;
        let spent = self.processor_time()?.saturating_sub(before);
        let answers = u32::try_from(load.count_with_warm_up).context("more answers than a benchmark can have")?;
        Ok(Measured { server_time_per_request: spent / answers, load })
    }

    /// Current resident memory.
    pub fn resident_mebibytes(&self) -> Result<f64> {
        self.memory("VmRSS:")
    }

    /// Highest resident memory so far.
    pub fn peak_mebibytes(&self) -> Result<f64> {
        self.memory("VmHWM:")
    }

    fn memory(&self, which: &str) -> Result<f64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.process.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix(which));
        let kibibytes = line.and_then(|line| line.split_whitespace().next()).and_then(|number| number.parse().ok());
        kibibytes.map(|kibibytes: f64| kibibytes / 1024.0).context("the server's memory is not readable")
    }

    /// Bytes that the child has passed to write calls so far (`wchar` in proc_pid_io(5)).
    pub fn written_bytes(&self) -> Result<i64> {
        let io = fs::read_to_string(format!("/proc/{}/io", self.process.id()))?;
        let line = io.lines().find_map(|line| line.strip_prefix("wchar:"));
        line.and_then(|number| number.trim().parse().ok()).context("the server's written bytes are not readable")
    }

    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// User and system time of all threads, including ended ones.
    pub fn processor_time(&self) -> Result<Duration> {
        processor_time_of(self.process.id())
    }
}

impl Child {
    pub fn end(&mut self) {
        drop(self.process.stdin.take());
        // The child ends by itself now; an error here means that it has ended already.
        let _ = self.process.wait();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.end();
    }
}

/// User and system time of all threads of a process, including ended ones.
pub fn processor_time_of(process: u32) -> Result<Duration> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat"))?;
    ticks_in(&stat).map(|ticks| TICK * ticks).context("the processor time is not readable")
}

/// Fields 14 and 15 of proc_pid_stat(5), counted after the program's name, which may contain spaces.
fn ticks_in(stat: &str) -> Option<u32> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut times = fields.split_whitespace().skip(11);
    let user: u32 = times.next()?.parse().ok()?;
    let system: u32 = times.next()?.parse().ok()?;
    user.checked_add(system)
}

/// One GET outside of any measurement; returns the body.
pub async fn ask(target: SocketAddr, path: &str, token: &str) -> Result<Vec<u8>> {
    let request = load::get_request(path, &alone(token));
    exchange(target, &request).await.map(|(_, body)| body)
}

/// One POST of JSON outside of any measurement; returns the body. An answer other than 200 is an error.
pub async fn tell(target: SocketAddr, path: &str, token: &str, body: &str) -> Result<Vec<u8>> {
    tell_with(target, path, &alone(token), body).await
}

/// The same with these headers, which must include `connection: close`.
pub async fn tell_with(target: SocketAddr, path: &str, headers: &str, body: &str) -> Result<Vec<u8>> {
    let mut request = Vec::new();
    load::post_request(&mut request, path, headers, body);
    let (head, body) = exchange(target, &request).await?;
    ensure!(head.starts_with(b"HTTP/1.1 200 "), "{path} was answered with {}", String::from_utf8_lossy(&body));
    Ok(body)
}

fn alone(token: &str) -> String {
    format!("authorization: Bearer {token}\r\nconnection: close\r\n")
}

/// Sends a request on a new connection; returns head and body of the answer.
async fn exchange(target: SocketAddr, request: &[u8]) -> Result<(Vec<u8>, Vec<u8>)> {
    let mut stream = TcpStream::connect(target).await?;
    stream.write_all(request).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    let head =
        answer.windows(4).position(|window| window == b"\r\n\r\n").context("an answer without an end of its head")?;
    let body = answer.split_off(head + 4);
    Ok((answer, body))
}

/// In the child: prints the addresses of the server and its sandbox for the parent.
pub fn announce(address: SocketAddr, sandbox: Option<SocketAddr>) -> Result<()> {
    let mut stdout = std::io::stdout();
    let sandbox = sandbox.map(|address| format!(" {address}")).unwrap_or_default();
    writeln!(stdout, "{address}{sandbox}").and_then(|()| stdout.flush()).context("telling the address")
}

/// In the child: resolves when standard input closes, also because the parent died.
pub async fn parent_is_gone() {
    let (gone, on_gone) = oneshot::channel::<()>();
    // In a thread, because a blocking read on the runtime would delay its shutdown.
    thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = std::io::stdin().read_to_end(&mut rest);
        drop(gone);
    });
    let _ = on_gone.await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_user_and_system_time_after_any_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 3 0 1 2 3";
        assert_eq!(ticks_in(stat), Some(300));
        assert_eq!(ticks_in("7 (cut) S 1"), None);
    }
}
