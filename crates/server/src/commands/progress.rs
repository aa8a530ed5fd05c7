//! Progress bars on standard error, if it is a terminal, and interruption of long commands.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

/// A bar of the bytes that are done; the caller sets the message in front of it.
pub fn byte_bar(bytes: u64) -> ProgressBar {
    let template = "{msg} [{bar:40}] {percent}% {elapsed} ({eta} left)";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(bytes).with_style(style.progress_chars("=> "))
}

/// A bar of the rows that are done; without a total, a counter.
pub fn bar(total: Option<u64>, what: &str) -> ProgressBar {
    let template = match total {
        Some(_) => "{msg} [{bar:40}] {human_pos}/{human_len} {elapsed} ({eta} left)",
        None => "{msg} {spinner} {human_pos} rows {elapsed}",
    };
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style.progress_chars("=> ")).with_message(what.to_owned())
}

/// A flag that the first interrupt (Ctrl-C) sets, so that the command stops after its current step. The second
/// interrupt ends the process at once.
pub fn on_interrupt() -> Arc<AtomicBool> {
    let stopped = Arc::new(AtomicBool::new(false));
    let flag = stopped.clone();
    tokio::spawn(async move {
        while tokio::signal::ctrl_c().await.is_ok() {
            if flag.swap(true, Ordering::Relaxed) {
                std::process::exit(130);
            }
        }
    });
    stopped
}
