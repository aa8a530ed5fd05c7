//! Temporary folders of tests.

use std::path::PathBuf;

/// An empty folder for one test.
#[expect(clippy::expect_used, reason = "a test without its folder must fail")]
pub fn fresh_folder() -> PathBuf {
    // The name has no process id: process ids are reused, and a failed test may have left its folder.
    let folder = std::env::temp_dir().join(format!("switchboard-test-{:016x}", rand::random::<u64>()));
    std::fs::create_dir(&folder).expect("a temporary folder can be made");
    folder
}
