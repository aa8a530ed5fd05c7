//! Effects of records that belong to areas above messaging. `App::new` gives the list of handlers.

use std::fmt::Debug;

use channels::webhook::Record;
use futures_util::future::BoxFuture;
use store::Tx;

use super::arrival::{Arrival, Refused};
use crate::Result;

/// Applies some kinds of records, in the transaction that deletes their journal entry.
pub(crate) trait RecordHandler: Debug + Sync {
    /// None: the record is of another kind.
    fn handle<'t>(
        &self,
        tx: &'t mut Tx<'_>,
        arrival: &'t Arrival<'_>,
        record: &'t Record,
    ) -> Option<BoxFuture<'t, Result<Refused>>>;
}

pub(crate) type RecordHandlers = &'static [&'static dyn RecordHandler];
