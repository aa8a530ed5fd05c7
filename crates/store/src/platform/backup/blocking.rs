//! Work that blocks, away from the threads of the runtime.

use super::BackupError;

/// Runs work that blocks (files, compression, SQLite) on a blocking thread.
pub(super) async fn on_blocking_thread<T, F>(work: impl FnOnce() -> F + Send + 'static) -> Result<T, BackupError>
where
    T: Send + 'static,
    F: Future<Output = Result<T, BackupError>>,
{
    let run = move || tokio::runtime::Handle::current().block_on(work());
    tokio::task::spawn_blocking(run).await.unwrap_or(Err(BackupError::Store(crate::Error::Panicked)))
}
