//! Embeds the user interface of `ui/`, the pages of `docs/` and the page of the OpenAPI document. The logic and its
//! documentation are in `build/mod.rs`, which tests include.

#[path = "build/mod.rs"]
mod steps;

use std::env;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use steps::{BuildEnvironment, run, run_api_docs, run_docs};
use utoipa_swagger_ui_vendored::SWAGGER_UI_VENDORED;

fn main() -> io::Result<()> {
    let folder = |name| env::var_os(name).map(PathBuf::from).unwrap_or_default();
    let environment = BuildEnvironment {
        workspace: folder("CARGO_MANIFEST_DIR").ancestors().nth(2).map(Path::to_owned).unwrap_or_default(),
        out: folder("OUT_DIR"),
        ui: env::var_os("SWITCHBOARD_UI"),
        path: env::var_os("PATH").unwrap_or_default(),
    };
    // Cargo shows the output of a build script only when the script has ended, so progress is written to the terminal.
    let mut terminal = File::options().write(true).open("/dev/tty").ok();
    let mut progress = |step: &str| {
        if let Some(terminal) = &mut terminal {
            let _ = write!(terminal, "\r\x1b[K     Console {step}\n");
        }
    };
    run_docs(&environment, &mut io::stdout().lock())?;
    run_api_docs(&environment, SWAGGER_UI_VENDORED, &mut io::stdout().lock())?;
    run(&environment, &mut io::stdout().lock(), &mut progress)
}
