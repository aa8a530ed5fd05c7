//! Which calls a list shows.

use super::Direction;
use crate::{AccountId, CallId, Timestamp};

/// Which operator's calls: by id, or by e-mail address in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperatorRef {
    Id(AccountId),
    Email(String),
}

/// Everything is optional; all that is given must hold. Newest first.
#[derive(Debug, Clone, Default)]
pub struct CallFilter {
    pub direction: Option<Direction>,
    pub operator: Option<OperatorRef>,
    pub min_duration: Option<i64>,
    pub max_duration: Option<i64>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Only calls that come after this one in the list's order.
    pub after: Option<(Timestamp, CallId)>,
    pub offset: i64,
    pub limit: i64,
}
