//! Paths of external programs (a fuzzer, a linter, an OIDC provider, an S3 store) that `scripts/test` installs.

use std::path::PathBuf;

/// A program of the Python environment, such as `schemathesis`.
pub fn python_program(name: &str) -> PathBuf {
    folder("SWITCHBOARD_TEST_VENV").join("bin").join(name)
}

/// The folder with `node_modules`, and with the scripts of the OIDC provider and of the S3 store.
pub fn node_folder() -> PathBuf {
    folder("SWITCHBOARD_TEST_NODE")
}

#[expect(clippy::panic, reason = "a test without its tool must fail, and say how to get it")]
fn folder(variable: &str) -> PathBuf {
    let Some(path) = std::env::var_os(variable).map(PathBuf::from) else {
        panic!("{variable} is not set: scripts/test installs what this test needs and sets it");
    };
    assert!(path.is_dir(), "{variable}={} is not a folder: run scripts/test", path.display());
    path
}
