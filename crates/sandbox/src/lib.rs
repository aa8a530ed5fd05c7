//! The sandbox: a Graph server with simulated people, for development, demos and tests.
//!
//! `graph` answers Graph requests as the network does, `driver` lets people act on request, `scenario` lets them act by
//! themselves, `notices` builds webhooks, and `post` posts them over HTTP, signed, to Switchboard's own hook or to
//! another URL from the settings. Switchboard's Graph client talks to the sandbox as to the real network.
//!
//! All state is in the database: it survives a restart and all nodes share it. Randomness is a hash of a seed and time
//! is the application's clock, so one seed is one story. The sandbox parses requests with code of its own and shares no
//! type with the client in `channels`: shared types would hide shared mistakes.

mod core;
pub mod driver;
mod graph;
pub mod notices;
pub mod people;
mod post;
mod scenario;

pub use crate::core::change::{Change, schedule};
pub use crate::core::config::{Config, Rates};
pub use crate::core::dice::Dice;
pub use crate::core::fault::{Fault, FaultKind};
pub use crate::core::ids::Ids;
pub use crate::core::media::Media;
pub use crate::core::number_metadata::NumberMetadata;
pub use crate::core::phone_message::{Button, PhoneMessageView};
pub use crate::core::reply::Reply;
pub use crate::core::scenario_name::ScenarioName;
pub use crate::core::{Sandbox, fault, records, template};
pub use crate::scenario::Scenario;
