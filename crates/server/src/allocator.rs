//! The options of the allocator.
//!
//! mimalloc keeps free memory for a while, in case the same thread allocates again: after the start, or after a request
//! with 10 000 recipients, half of the memory that the server holds is free. mimalloc reads its options from the
//! environment before `main` runs, so the server sets the variable and replaces itself by a second run of the same
//! program: same process id, same arguments, same open files.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Environment variable: milliseconds after which mimalloc gives free memory back; 0 is at once.
const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";

/// Replaces this process by a run with the option. Returns if the variable is set already, to any value, or if the
/// program cannot be started again; in that case the server runs with the allocator's defaults.
pub fn restart_with_options() {
    if std::env::var_os(PURGE_DELAY).is_some() {
        return;
    }
    let Ok(program) = std::env::current_exe() else { return };
    let mut arguments = std::env::args_os();
    let mut command = Command::new(program);
    if let Some(name) = arguments.next() {
        command.arg0(name);
    }
    // Returns only when it fails.
    let error = command.args(arguments).env(PURGE_DELAY, "0").exec();
    tracing::debug!(%error, "the program cannot be started again; free memory is kept for a while");
}
