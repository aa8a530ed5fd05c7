//! Accounts of the network and their numbers.

pub(super) mod profile;
