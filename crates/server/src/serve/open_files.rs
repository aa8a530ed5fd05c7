//! The number of files that the process may have open, of which each connection is one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of open files for other uses than connections of clients: database, outbound requests, other listeners.
const RESERVED: usize = 256;

/// Raises the limit to what the system allows. Many systems start processes with 1 024, for programs that use `select`.
pub(super) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
}

/// As many connections for each of `listeners` as the limit of open files leaves room for, at most `wanted`. Warns
/// if they are fewer.
pub(super) fn bounded(wanted: usize, listeners: usize) -> usize {
    let files = getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok());
    let possible = files.map_or(wanted, |files| files.saturating_sub(RESERVED).max(RESERVED) / listeners);
    if possible < wanted {
        tracing::warn!(
            max_connections = possible,
            "the system allows fewer open files than server.max_connections needs: raise the limit (ulimit -n)"
        );
    }
    wanted.min(possible)
}
