//! Running the installation: activity, alerts, limits, queues, retention, the sandbox and backups.

pub mod activity;
pub mod alerts;
pub mod backup;
pub mod limits;
pub mod queues;
pub mod retention;
pub mod sandbox;

use crate::Statement;

/// All statements of the room.
pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        activity::statements(),
        alerts::statements(),
        backup::statements(),
        limits::statements(),
        queues::statements(),
        retention::statements(),
        sandbox::statements(),
    ]
    .concat()
}
