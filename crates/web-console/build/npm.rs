//! Runs npm in a copy of the sources.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::embed::check_built;
use super::plan::Absence;
use super::sources::Sources;
use super::toolchain::Tools;

/// Shorter times than npm's own (10 s and 60 s between attempts, 300 s for an answer): the build fails within seconds
/// if the package registry cannot be reached, and within minutes if it does not answer. `--include=dev`, because
/// `NODE_ENV=production` in the environment would leave out the compiler.
const INSTALL: [&str; 8] = [
    "ci",
    "--ignore-scripts",
    "--include=dev",
    "--no-audit",
    "--no-fund",
    "--fetch-retry-mintimeout=1000",
    "--fetch-retry-maxtimeout=5000",
    "--fetch-timeout=60000",
];
const BUILD: [&str; 2] = ["run", "build"];
const LOCK_FILE: &str = "ui/package-lock.json";
/// A copy of the lock file beside the installed packages. It shows that they are complete, and from which lock file
/// they are.
const INSTALLED: &str = "node_modules/installed-lock.json";
/// A longer cause is cut, because the warning names the log.
const MAX_CAUSE_CHARACTERS: usize = 200;
const UNREACHABLE: [&str; 9] = [
    "ENOTFOUND",
    "EAI_AGAIN",
    "ECONNREFUSED",
    "ECONNRESET",
    "ETIMEDOUT",
    "ENETUNREACH",
    "EHOSTUNREACH",
    "ERR_SOCKET_TIMEOUT",
    "ENOTCACHED",
];

/// Copies the sources, installs packages if the lock file has changed, runs the build, and returns the folder with the
/// result.
pub fn build(
    tools: &Tools,
    path: &OsStr,
    sources: &Sources,
    work: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, Absence> {
    let ui = work.join("ui");
    let npm = Npm { program: &tools.npm, path, folder: &ui, log: work.join("npm.log") };
    let unwritable = |error: io::Error| Absence::BuildFailed(format!("cannot write to {}: {error}", work.display()));
    copy_sources(sources, work).map_err(unwritable)?;
    let lock_file = sources.content(LOCK_FILE).unwrap_or_default();
    if fs::read(ui.join(INSTALLED)).ok().as_deref() != Some(lock_file) {
        progress("npm ci: installing packages");
        npm.run(&INSTALL)?;
        fs::create_dir_all(ui.join("node_modules")).map_err(unwritable)?;
        fs::write(ui.join(INSTALLED), lock_file).map_err(unwritable)?;
    }
    progress("npm run build");
    npm.run(&BUILD)?;
    let built = ui.join("dist");
    match check_built(&built) {
        Ok(()) => Ok(built),
        Err(_) => Err(Absence::BuildFailed("`npm run build` made no dist/index.html".to_owned())),
    }
}

/// Replaces everything in the work folder's `ui/` by the sources, except the installed packages.
fn copy_sources(sources: &Sources, work: &Path) -> io::Result<()> {
    let ui = work.join("ui");
    fs::create_dir_all(&ui)?;
    for entry in fs::read_dir(&ui)? {
        let path = entry?.path();
        if path.is_dir() && !path.is_symlink() {
            if !path.ends_with("node_modules") {
                fs::remove_dir_all(path)?;
            }
        } else {
            fs::remove_file(path)?;
        }
    }
    for file in &sources.files {
        let target = work.join(&file.path);
        if let Some(folder) = target.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(target, &file.content)?;
    }
    Ok(())
}

struct Npm<'a> {
    program: &'a Path,
    path: &'a OsStr,
    folder: &'a Path,
    log: PathBuf,
}

impl Npm<'_> {
    fn run(&self, arguments: &[&str]) -> Result<(), Absence> {
        let step = arguments.iter().take_while(|argument| !argument.starts_with("--"));
        let step = format!("`npm {}`", step.copied().collect::<Vec<_>>().join(" "));
        let ended = File::create(&self.log).and_then(|log| {
            Command::new(self.program)
                .args(arguments)
                .current_dir(self.folder)
                .env("PATH", self.path)
                .stdin(Stdio::null())
                .stdout(log.try_clone()?)
                .stderr(log)
                .status()
        });
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(_) => {
                let output = fs::read(&self.log).unwrap_or_default();
                let cause = cause_of(&String::from_utf8_lossy(&output));
                Err(Absence::BuildFailed(format!("{step} failed: {cause}; the log is {}", self.log.display())))
            }
            Err(error) => Err(Absence::BuildFailed(format!("{step} cannot be started: {error}"))),
        }
    }
}

/// The line of npm's output that explains the failure best.
pub fn cause_of(output: &str) -> String {
    let output = without_escapes(output);
    let lines = || output.lines().map(str::trim).filter(|line| !line.is_empty());
    let code = lines().find_map(|line| line.strip_prefix("npm error code "));
    if let Some(code) = code.filter(|code| UNREACHABLE.contains(code)) {
        return format!("the package registry cannot be reached ({code})");
    }
    // The output of the script itself comes before npm's remark that the script failed.
    let of_npm = lines().filter_map(|line| line.strip_prefix("npm error ")).find(|line| !is_remark(line));
    let cause = error_of_script(lines()).or(of_npm.map(str::to_owned)).or(lines().next_back().map(str::to_owned));
    let cause = cause.unwrap_or_else(|| "it printed nothing".to_owned());
    cause.trim_end_matches(['.', ':']).chars().take(MAX_CAUSE_CHARACTERS).collect()
}

/// The first line of the script's output with an error. If it ends with a colon, the next line instead. If Vite shows
/// the place in the source below, the place is added.
fn error_of_script<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let lines = lines.filter(|line| !line.starts_with("npm "));
    let mut lines = lines.skip_while(|line| !line.to_ascii_lowercase().contains("error")).peekable();
    let mut error = lines.next()?;
    while error.ends_with(':')
        && let Some(next) = lines.next()
    {
        error = next;
    }
    let place = lines.peek().and_then(|line| line.strip_prefix("╭─[ ")?.strip_suffix(" ]"));
    Some(place.map_or_else(|| error.to_owned(), |place| format!("{error} at {place}")))
}

/// Whether a line of npm names no cause.
fn is_remark(line: &str) -> bool {
    ["code ", "errno ", "path ", "command ", "Lifecycle script "].iter().any(|start| line.starts_with(start))
}

/// Removes the escape sequences that colour text in a terminal.
fn without_escapes(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, escape)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = escape.find(|letter: char| letter.is_ascii_alphabetic()).map_or("", |end| &escape[end + 1..]);
    }
    plain + rest
}
