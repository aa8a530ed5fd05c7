//! Finds Node and npm, and checks whether Node is new enough.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::sources::Sources;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tools {
    pub npm: PathBuf,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Toolchain {
    Usable(Tools),
    NodeMissing,
    NpmMissing,
    NodeTooOld { found: String, required: String },
}

impl Toolchain {
    /// A version that cannot be parsed counts as new enough: npm checks it again (`engine-strict`).
    pub fn detect(path: &OsString, sources: &Sources) -> Self {
        let Some(node) = find_program(path, "node") else { return Self::NodeMissing };
        let Some(npm) = find_program(path, "npm") else { return Self::NpmMissing };
        let Ok(answer) = Command::new(node).arg("--version").env("PATH", path).output() else {
            return Self::NodeMissing;
        };
        let found = String::from_utf8_lossy(&answer.stdout).trim().trim_start_matches('v').to_owned();
        let package = sources.content("ui/package.json").map(String::from_utf8_lossy).unwrap_or_default();
        match node_required(&package) {
            Some(required) if !is_at_least(&found, &required) => Self::NodeTooOld { found, required },
            _ => Self::Usable(Tools { npm }),
        }
    }
}

impl std::fmt::Display for Toolchain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Usable(_) => f.write_str("Node and npm are there"),
            Self::NodeMissing => f.write_str("there is no Node on PATH"),
            Self::NpmMissing => f.write_str("there is no npm on PATH"),
            Self::NodeTooOld { found, required } => write!(f, "Node {found} is older than {required}"),
        }
    }
}

/// The lowest version that `engines.node` of a `package.json` allows. None unless it has the form `>=20.19`.
pub fn node_required(package: &str) -> Option<String> {
    let (_, engines) = package.split_once("\"engines\"")?;
    let (engines, _) = engines.split_once('}')?;
    let (_, node) = engines.split_once("\"node\"")?;
    let range = node.split('"').nth(1)?;
    let version = range.strip_prefix(">=")?.trim();
    version.split('.').all(|part| part.parse::<u32>().is_ok()).then(|| version.to_owned())
}

/// Whether a version such as `20.20.2` is at least one such as `20.19`. True if one of them cannot be parsed.
fn is_at_least(found: &str, required: &str) -> bool {
    let numbers = |version: &str| version.split('.').map(|part| part.parse::<u32>().ok()).collect::<Option<Vec<_>>>();
    match (numbers(found), numbers(required)) {
        (Some(found), Some(required)) => found >= required,
        _ => true,
    }
}

/// The first program of this name in the folders of `PATH`.
fn find_program(path: &OsString, name: &str) -> Option<PathBuf> {
    std::env::split_paths(path).map(|folder| folder.join(name)).find(|program| is_program(program))
}

fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|found| {
        use std::os::unix::fs::PermissionsExt as _;
        found.is_file() && found.permissions().mode() & 0o111 != 0
    })
}
