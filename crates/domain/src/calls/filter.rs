//! Which calls a list shows.

use super::{CallDirection, CallStatus};
use crate::base::named::named;
use crate::base::schema::ToSchema;
use crate::{AccountId, CallId, Timestamp};

named! {
    /// What became of a call, as counts group calls: `answered` calls are completed or in progress.
    #[derive(ToSchema)]
    #[schema(as = CallOutcome, rename_all = "snake_case")]
    CallOutcome { Answered => "answered", Missed => "missed", Failed => "failed" }
}

impl CallOutcome {
    /// The statuses that have this outcome. A single one is named twice.
    pub const fn statuses(self) -> [CallStatus; 2] {
        match self {
            Self::Answered => [CallStatus::InProgress, CallStatus::Completed],
            Self::Missed => [CallStatus::Missed, CallStatus::Missed],
            Self::Failed => [CallStatus::Failed, CallStatus::Failed],
        }
    }
}

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
    pub outcome: Option<CallOutcome>,
    pub from: Option<Timestamp>,
    pub to: Option<Timestamp>,
    /// Only calls after this position of the list, which are older.
    pub after: Option<(Timestamp, CallId)>,
    pub offset: i64,
    pub limit: i64,
}
