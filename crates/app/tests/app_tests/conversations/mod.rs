//! Conversations on real databases: targets, assigning, lists and histories, merged and deleted contacts.

mod activity;
mod assigning;
mod following;
mod histories;
mod inbox;
mod lists;
mod retention;
mod search;
mod targets;
mod world;
