//! The options of the allocator.
//!
//! mimalloc keeps free memory for a while, in case the same thread allocates again: after the start, or after a call with
//! 10 000 recipients, that is half of what the server holds. It reads its options from the environment before `main`
//! runs, so the server sets the variable and replaces itself by a second run of the same program: same process id, same
//! arguments, same open files.

use std::os::unix::process::CommandExt as _;
use std::process::Command;

/// Milliseconds after which free memory is given back; 0 is at once.
const PURGE_DELAY: &str = "MIMALLOC_PURGE_DELAY";

/// Returns in a process that has the option, also one that an operator has set to another value, and where the program
/// cannot be started again: then the server runs with the allocator's defaults.
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
