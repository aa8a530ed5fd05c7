//! Conversations on real databases: what a target means, who takes one, lists and histories, merged and deleted contacts.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on must fail")]

mod assigning;
mod following;
mod histories;
mod lists;
mod targets;
mod world;
