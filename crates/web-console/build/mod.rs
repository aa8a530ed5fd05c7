//! The steps of the build script: turns `ui/` into the files that `src/lib.rs` embeds.
//!
//! 1. `sources.rs` lists and hashes the files that the user interface is built from.
//! 2. `plan.rs` chooses: embed a given folder, embed an earlier result of the same hash, build, or embed nothing.
//! 3. `npm.rs` builds in a copy below the target folder, so that the source tree stays untouched and may be read-only.
//! 4. `embed.rs` compresses the files and writes the table of them to `OUT_DIR`.
//!
//! Results are kept in `<target>/console/built/<hash>`: a second build, another profile, or a branch that was built
//! before does not run npm. A file lock makes builds that share a target folder wait for each other. A build that is
//! interrupted leaves no result, because a result is moved to its place when it is complete.
//!
//! A missing user interface is a warning, with `SWITCHBOARD_UI=require` an error, and with `SWITCHBOARD_UI=off`
//! neither. A folder in `SWITCHBOARD_UI` without a built user interface is always an error. Warnings and errors are one
//! line.
//!
//! The documentation is rendered by `docs/`, and `api_docs.rs` collects the files of the page of the OpenAPI document;
//! both are independent of the user interface.

pub mod api_docs;
pub mod docs;
pub mod embed;
pub mod npm;
pub mod plan;
pub mod results;
pub mod sources;
pub mod toolchain;

use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;

use plan::{Absence, Action, UiSetting, cargo_line, choose};
use results::Results;
use sources::Sources;
use toolchain::Toolchain;

/// The input of the build script from cargo and from the environment.
#[derive(Debug)]
pub struct BuildEnvironment {
    /// The root of the workspace, which has `ui/` and `openapi/`.
    pub workspace: PathBuf,
    /// `OUT_DIR`
    pub out: PathBuf,
    /// `SWITCHBOARD_UI`
    pub ui: Option<OsString>,
    /// `PATH`
    pub path: OsString,
}

/// Writes the embedded files to `OUT_DIR`, and the instructions for cargo to `cargo`. A missing user interface is no
/// error of this function: it becomes a warning or an error for cargo.
pub fn run(environment: &BuildEnvironment, cargo: &mut dyn Write, progress: &mut dyn FnMut(&str)) -> io::Result<()> {
    writeln!(cargo, "cargo::rerun-if-env-changed=SWITCHBOARD_UI")?;
    let setting = UiSetting::parse(environment.ui.as_deref(), &environment.workspace);
    let outcome = find_or_build(environment, &setting, cargo, progress)?;
    if let Err(absence) = &outcome {
        retry_when_it_may_help(absence, environment, cargo)?;
        if let Some(line) = cargo_line(&setting, absence) {
            writeln!(cargo, "{line}")?;
        }
    }
    embed::write_embedded(outcome.as_deref(), &environment.out)
}

/// Renders the documentation to `OUT_DIR`.
pub fn run_docs(environment: &BuildEnvironment, cargo: &mut dyn Write) -> io::Result<()> {
    docs::watch(&environment.workspace, cargo)?;
    let pages = docs::read_pages(&environment.workspace)?;
    docs::links::broken(&pages).iter().try_for_each(|broken| writeln!(cargo, "cargo::warning={broken}"))?;
    embed::write_docs(&docs::render(&environment.workspace, &pages)?, &environment.out)
}

/// Writes the page of the OpenAPI document to `OUT_DIR`. `swagger_ui` is a release of Swagger UI, as a zip archive.
pub fn run_api_docs(environment: &BuildEnvironment, swagger_ui: &[u8], cargo: &mut dyn Write) -> io::Result<()> {
    api_docs::watch(&environment.workspace, cargo)?;
    embed::write_api_docs(&api_docs::read(&environment.workspace, swagger_ui)?, &environment.out)
}

/// Finds or builds the user interface and returns its folder, or the reason why there is none. Also writes to `cargo`
/// which files it has to watch.
fn find_or_build(
    environment: &BuildEnvironment,
    setting: &UiSetting,
    cargo: &mut dyn Write,
    progress: &mut dyn FnMut(&str),
) -> io::Result<Result<PathBuf, Absence>> {
    let sources = if setting.needs_sources() { Sources::read(&environment.workspace)? } else { Sources::default() };
    for path in sources.watched() {
        writeln!(cargo, "cargo::rerun-if-changed={}", path.display())?;
    }
    let results = Results::new(&environment.out);
    // Held until this function returns, so that a second build waits for the first one and then uses its result.
    let _lock = if setting.needs_sources() { Some(results.lock()?) } else { None };
    let cached = results.find(&sources.hash());
    let toolchain = || Toolchain::detect(&environment.path, &sources);
    Ok(match choose(setting, !sources.is_empty(), cached, toolchain) {
        Action::EmbedFolder(folder) => {
            writeln!(cargo, "cargo::rerun-if-changed={}", folder.display())?;
            embed::check_built(&folder).map(|()| folder)
        }
        Action::EmbedCached(folder) => Ok(folder),
        Action::Build(tools) => {
            let work = results.work_folder();
            match npm::build(&tools, &environment.path, &sources, &work, progress) {
                Ok(built) => Ok(results.keep(&built, &sources.hash())?),
                Err(absence) => Err(absence),
            }
        }
        Action::EmbedNothing(absence) => Err(absence),
    })
}

/// Makes cargo run the script again when that may help: with the next build after a failed one or if sources are
/// missing; and if Node or npm is missing, when `PATH` or one of its folders changes.
fn retry_when_it_may_help(absence: &Absence, environment: &BuildEnvironment, cargo: &mut dyn Write) -> io::Result<()> {
    match absence {
        Absence::BuildFailed(_) | Absence::SourcesMissing => {
            // Cargo treats a file that does not exist as changed.
            writeln!(cargo, "cargo::rerun-if-changed={}", environment.out.join("retry").display())
        }
        Absence::Toolchain(_) => {
            writeln!(cargo, "cargo::rerun-if-env-changed=PATH")?;
            let folders = std::env::split_paths(&environment.path);
            let folders = folders.filter(|folder| folder.parent().is_some() && folder.is_absolute() && folder.is_dir());
            folders.into_iter().try_for_each(|folder| writeln!(cargo, "cargo::rerun-if-changed={}", folder.display()))
        }
        Absence::SwitchedOff | Absence::NotBuilt(_) => Ok(()),
    }
}
