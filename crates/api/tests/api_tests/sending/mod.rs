//! Sending over the wire, in three versions, on both databases, with the sandbox as the network.

mod bad_files;
mod bad_interactive;
mod bad_legacy;
mod bad_recipients;
mod bad_v3;
mod dry_runs;
mod files;
mod legacy;
mod normalize;
mod v3;
pub(crate) mod world;
