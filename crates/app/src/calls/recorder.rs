//! Records the calls of concurrent requests in one transaction (PostgreSQL; the SQLite driver groups transactions by
//! itself): in two round trips, one that looks up, one that inserts and commits. A call that is refused (an unknown
//! operator, a missing channel) is refused alone. The queue is in `base/group_writer.rs`.

use std::sync::Arc;

use domain::TenantId;
use domain::calls::Call;
use futures_util::future::BoxFuture;
use store::Engine;

use super::draft::CallDraft;
use super::record;
use crate::Result;
use crate::base::group_writer::{GroupWriter, GroupedRow};
use crate::calls::Calls;

impl GroupedRow for CallDraft {
    type Room = Calls;
    type Outcome = Call;

    const MOST_TOGETHER: usize = 128;

    fn most_writers(_: Engine) -> usize {
        2
    }

    fn turn(&self) -> Option<TenantId> {
        Some(self.tenant())
    }

    fn writer(calls: &Calls) -> &GroupWriter<Self> {
        calls.call_recorder()
    }

    fn write(calls: &Calls, drafts: Arc<[Self]>) -> BoxFuture<'_, Result<Vec<Result<Call>>>> {
        Box::pin(calls.db().write(drafts, |tx, drafts| Box::pin(record::insert(tx, drafts))))
    }
}
