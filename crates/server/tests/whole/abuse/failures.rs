//! The attacks of a story that failed: one does not keep the others from running, and all are reported at the end.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

#[derive(Debug, Default)]
pub struct Failures(Vec<String>);

impl Failures {
    /// Runs an attack. None if it failed.
    pub async fn of<T>(&mut self, name: &str, attack: impl Future<Output = T>) -> Option<T> {
        let ended = AssertUnwindSafe(attack).catch_unwind().await;
        ended.inspect_err(|panic| self.0.push(format!("{name}: {}", text_of(&**panic)))).ok()
    }

    pub fn assert_none(&self) {
        assert!(self.0.is_empty(), "{} attacks failed:\n{}", self.0.len(), self.0.join("\n"));
    }
}

fn text_of(panic: &(dyn Any + Send)) -> &str {
    let owned = panic.downcast_ref::<String>().map(String::as_str);
    owned.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without a text")
}
