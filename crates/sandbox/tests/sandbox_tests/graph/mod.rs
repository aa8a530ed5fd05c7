//! The Graph side, asked as the network's clients ask it, on both databases.

mod calls;
mod determinism;
mod limits;
mod media;
mod net;
mod objects;
mod refusals;
mod sending;
mod templates;
