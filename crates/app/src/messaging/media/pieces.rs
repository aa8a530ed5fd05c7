//! The pieces of a file, and its stream from the database.

use bytes::Bytes;
use domain::{MediaId, TenantId};
use futures_util::Stream;
use futures_util::stream::try_unfold;
use store::Db;

/// Bytes of a piece; the last one of a file may have fewer.
pub(super) const PIECE_BYTES: usize = 256 << 10;

/// Reads one piece at a time, so that only one is in memory.
pub(super) fn stream(db: Db, tenant: TenantId, id: MediaId) -> impl Stream<Item = store::Result<Bytes>> + Send {
    try_unfold((db, 0_i64), move |(db, place)| async move {
        let piece = store::messaging::media::piece(&db, tenant, id, place).await?;
        Ok(piece.map(|piece| (Bytes::from(piece), (db, place + 1))))
    })
}
