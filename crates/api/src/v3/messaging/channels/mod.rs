//! Channels: the tenant's phone numbers on the network.

pub(in crate::v3) mod list;
