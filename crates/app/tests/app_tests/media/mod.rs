//! Files of messages: from the upload to the network and back, on both databases.

mod fetching;
mod keeping;
mod opening;
mod receiving;
mod sweeping;
mod uploading;
pub mod world;
