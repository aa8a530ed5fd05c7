//! Conversations on real databases: targets, assigning, lists and histories, merged and deleted contacts.

mod assigning;
mod following;
mod histories;
mod lists;
mod targets;
mod world;
