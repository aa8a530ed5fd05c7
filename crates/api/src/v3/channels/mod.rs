//! Channels: the tenant's phone numbers on the network.

pub(super) mod list;
