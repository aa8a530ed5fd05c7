//! Acts of people as rows of `sandbox_due`. `scenario.rs` chooses and performs them.

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::change::Change;
use crate::driver::Outcome;

/// Field of acts in `sandbox_due`; the network has no field of this name.
const FIELD: &str = "sandbox.act";

/// A scheduled act of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case")]
pub(crate) enum Act {
    HangUp {
        call: String,
        answered_at: Option<Timestamp>,
    },
    Reply {
        person: i64,
        message: String,
        text: String,
    },
    Tap {
        person: i64,
        message: String,
        button: String,
    },
    Open {
        person: i64,
        message: String,
        button: String,
    },
    Pay {
        person: i64,
        message: String,
        outcome: Outcome,
    },
    Call {
        person: i64,
        seconds: i64,
        missed: bool,
    },
    /// Not a person's act: deletes the pieces of an upload that broke off.
    Sweep {
        media: String,
    },
}

impl Act {
    pub fn is(change: &Change) -> bool {
        change.field == FIELD
    }

    pub fn from_change(change: &Change) -> Option<Self> {
        serde_json::from_value(change.value.clone()).ok()
    }

    pub fn to_change(&self) -> Change {
        Change::new(FIELD, json!(self))
    }
}
