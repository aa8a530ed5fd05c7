//! Acts of people and posting, on both databases: webhooks reach the business in the network's format, in order, and
//! are retried until they are accepted.

mod acting;
mod calling;
mod faults;
mod paying;
mod people;
mod phones;
mod posting;
mod pywa;
mod repeating;
mod reviewing;
mod uploading;
mod world;
