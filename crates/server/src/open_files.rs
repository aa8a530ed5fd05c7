//! The number of files that the process may have open, of which each connection is one, and how it is divided: a part
//! is kept back for the database and files, a part is for connections to other servers, the rest is for clients.

use channels::outgoing::OutgoingBudget;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Number of open files for other uses than connections to clients and other servers: database, files, name servers,
/// other listeners. At most a quarter of all.
const RESERVED: usize = 256;

/// Raises the limit to what the system allows. Many systems start processes with 1 024, for programs that use `select`.
pub(crate) fn raise_limit() {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, maximum: limit.maximum };
    if let Err(error) = setrlimit(Resource::Nofile, raised) {
        tracing::warn!(%error, "the limit of open files cannot be raised");
    }
}

/// The limit of this process.
fn limit() -> usize {
    getrlimit(Resource::Nofile).current.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(usize::MAX)
}

/// The budget for connections to other servers: a quarter of the open files, up to the most that a node can have.
pub(crate) fn outgoing() -> OutgoingBudget {
    OutgoingBudget::new(limit() / 4)
}

/// As many connections of clients for each of `listeners` as the limit of open files leaves room for, at most `wanted`.
/// Warns if they are fewer.
pub(crate) fn bounded(wanted: usize, listeners: usize, outgoing: &OutgoingBudget) -> usize {
    let possible = (for_clients(limit(), outgoing) / listeners).max(1);
    if possible < wanted {
        tracing::warn!(
            max_connections = possible,
            "the system allows fewer open files than server.max_connections needs: raise the limit (ulimit -n)"
        );
    }
    wanted.min(possible)
}

/// How many of these open files connections of clients may have.
fn for_clients(files: usize, outgoing: &OutgoingBudget) -> usize {
    files.saturating_sub(RESERVED.min(files / 4)).saturating_sub(outgoing.open_files())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_keep_their_part_of_few_open_files_and_most_of_many() {
        let for_clients = |files: usize| for_clients(files, &OutgoingBudget::new(files / 4));
        assert_eq!([256, 1024, 4096, 20_000].map(for_clients), [96, 384, 2304, 13_600]);
        assert!(for_clients(65_536) > 50_000 && for_clients(usize::MAX) > 1_000_000);
    }
}
