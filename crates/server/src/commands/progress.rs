//! Progress bars on standard error; where that is no terminal, there are none. And how long work is stopped.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

/// By the bytes of a file; what is done is said in its message.
pub fn of_file(bytes: u64) -> ProgressBar {
    let template = "{msg} [{bar:40}] {percent}% {elapsed} ({eta} left)";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(bytes).with_style(style.progress_chars("=> "))
}

/// Until its end is known, a bar only counts.
pub fn bar(total: Option<u64>, what: &str) -> ProgressBar {
    let template = match total {
        Some(_) => "{msg} [{bar:40}] {human_pos}/{human_len} {elapsed} ({eta} left)",
        None => "{msg} {spinner} {human_pos} rows {elapsed}",
    };
    let bar = total.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    bar.with_style(style.progress_chars("=> ")).with_message(what.to_owned())
}

/// True after the first interrupt, which ends the work between two of its steps; the second ends it at once.
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
