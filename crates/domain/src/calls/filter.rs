//! Which calls a list shows.

use super::CallDirection;
use crate::{AccountId, CallId, Timestamp};

/// Which operator's calls: by id, or by e-mail address in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorRef {
    Id(AccountId),
    Email(String),
}

/// Which calls a list shows: every member that is given must hold.
#[derive(Debug, Clone, Default)]
pub struct CallFilter {
    pub direction: Option<CallDirection>,
    pub operator: Option<OperatorRef>,
    pub min_duration: Option<i64>,
    pub max_duration: Option<i64>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Only calls after this position of the list, which are older.
    pub after: Option<(Timestamp, CallId)>,
    pub offset: i64,
    pub limit: i64,
}
