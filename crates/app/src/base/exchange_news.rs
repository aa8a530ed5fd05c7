//! Exchanges news with the other nodes (`news.rs`).

use store::base::news::{list, raise};

use crate::Result;
use crate::base::Base;
use crate::base::news::NewsKind;

#[boxed::futures]
impl Base {
    /// Waits until another node has news of this kind. For one task.
    pub async fn news_arrived(&self, kind: NewsKind) {
        self.news().arrived(kind).await;
    }

    /// Tells the other nodes what this one has noted, and learns what they have. For PostgreSQL, while there are other
    /// nodes; what this node notes before is told then.
    pub async fn exchange_news(&self) -> Result<()> {
        let (db, news) = (self.db(), self.news());
        let stored = list(db, NewsKind::ALL.map(NewsKind::epoch)).await?;
        for kind in NewsKind::ALL {
            news.learn(kind, stored.get(kind.epoch()).copied().unwrap_or_default(), 0);
            if !news.take_noted(kind) {
                continue;
            }
            match raise(db, kind.epoch()).await {
                Ok(value) => news.learn(kind, value, 1),
                Err(error) => {
                    news.note(kind);
                    return Err(error.into());
                }
            }
        }
        Ok(())
    }
}
