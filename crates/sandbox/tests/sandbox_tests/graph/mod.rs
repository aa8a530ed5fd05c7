//! The Graph server with requests as clients send them, on both databases.

mod calls;
mod determinism;
mod limits;
mod media;
mod net;
mod number;
mod objects;
mod refusals;
mod registration;
mod sending;
mod templates;
mod uploads;
