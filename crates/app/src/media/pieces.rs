//! Streams a stored file from the database, one piece at a time.

use bytes::Bytes;
use domain::{MediaId, TenantId};
use futures_util::Stream;
use futures_util::stream::try_unfold;
use store::Db;

/// Reads one piece at a time, so that only one is in memory.
pub(super) fn stream(db: Db, tenant: TenantId, id: MediaId) -> impl Stream<Item = store::Result<Bytes>> + Send {
    try_unfold((db, 0_i64), move |(db, place)| async move {
        let piece = store::media::piece(&db, tenant, id, place).await?;
        Ok(piece.map(|piece| (Bytes::from(piece), (db, place + 1))))
    })
}
