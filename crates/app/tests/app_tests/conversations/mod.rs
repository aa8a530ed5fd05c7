//! Conversations on real databases: what a target means, who takes one, lists and histories, merged and deleted contacts.

mod assigning;
mod following;
mod histories;
mod lists;
mod targets;
mod world;
