//! Conversations on real databases: targets, assigning, lists and histories, merged and deleted contacts.

pub mod activity;
mod assigning;
mod following;
mod histories;
mod inbox;
mod lists;
mod retention;
mod search;
mod targets;
pub mod world;
