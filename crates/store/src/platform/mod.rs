//! Running the installation: tenant life cycle, limits, health, queues, alerts, retention, nodes, certificates,
//! activity, backup and the sandbox's tables.

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
