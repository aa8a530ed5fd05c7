//! The budget for outgoing connections of a node: deliveries to tenants' endpoints, calls to the network, fetched
//! files, log-in providers and mail.
//!
//! The budget is a number of connections, which the server derives from its open files (`server/src/open_files.rs`), so
//! that enough of them stay for clients, the database and files. A request takes a `Permit` before it leaves and holds
//! it until its answer has been read. What the budget guarantees:
//!
//! - A tenant has at most a quarter of the connections, and never more than are left free, so that greedy tenants leave
//!   room for others. So have mails, and the issuers that belong to no single tenant (`Share`): an issuer that hangs
//!   delays no mail.
//! - Deliveries have at most three quarters of a tenant's connections and of all. The rest is for calls that a person
//!   or a message waits for.
//! - An endpoint has at most twice as many of its tenant's deliveries as are left free. Endpoints that have not
//!   answered their last request have half of them together, so that those that do answer always get on.
//! - A delivery with a large body counts as several.
//!
//! A caller that finds no connection waits. The next free one goes to the tenant that uses the fewest, in it to the
//! endpoint that uses the fewest, and of equals to the one that waits longest. A call waits for at most `WAIT`. A
//! dispatcher waits as long as it has something to deliver, and reads no event meanwhile: what waits, waits in the log.
//!
//! Requests to the bucket of `media.store` are no part of the budget. A client's request waits for each of them, so the
//! connections of clients bound them.
//!
//! Connections that stay open for the next request are no part of the budget. They are bounded apart from it
//! (`guard/host_pool.rs`), and `OutgoingBudget::open_files` includes them.

mod budget;
mod limits;
mod state;
mod transport;

pub use budget::{DeliveryShare, OutgoingBudget, Permit, WaitingPermit};
pub use state::{Reputation, Share};
