//! Changes of credentials, which the gate must notice, and the writes of their last uses.

use crate::identity::Identity;

#[boxed::futures]
impl Identity {
    /// Runs a transaction that changes credentials. From its commit on, the gate of this process reads the epoch again.
    pub(crate) async fn write_and_publish_credentials<I, T, E>(
        &self,
        input: I,
        body: impl store::Body<I, T, E>,
    ) -> Result<T, E>
    where
        I: Send + Sync + 'static,
        T: Send + 'static,
        E: store::Failure,
    {
        let outcome = self.db().write(input, body).await;
        self.token_cache().invalidate();
        outcome
    }

    /// One round of the background watcher, which only PostgreSQL needs.
    pub async fn watch_credentials(&self) -> crate::Result<()> {
        Ok(self.token_cache().watch(self.db()).await?)
    }

    /// Writes the uses since the last call and returns how many tokens and sessions were used.
    pub async fn save_uses(&self) -> crate::Result<usize> {
        let unwritten = self.last_uses().take();
        let count = unwritten.count();
        if count > 0 {
            let rows = (unwritten.token_rows(), unwritten.session_rows());
            let written = self.db().write(rows, |tx, (tokens, sessions)| {
                Box::pin(async move {
                    store::identity::tokens::touch(tx, tokens).await?;
                    store::identity::sessions::touch(tx, sessions).await
                })
            });
            if let Err(error) = written.await {
                self.last_uses().put_back(unwritten);
                return Err(error.into());
            }
        }
        Ok(count)
    }
}
