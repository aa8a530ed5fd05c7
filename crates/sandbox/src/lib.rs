//! The network from the other side: a Graph server with simulated people on simulated phones. Its state is rows, so it
//! outlives the process and is shared by nodes. It has its own reading of requests: it shares no types with the client.

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
pub use crate::core::fault::{Fault, Trouble};
pub use crate::core::ids::Ids;
pub use crate::core::media::Media;
pub use crate::core::number_metadata::NumberMetadata;
pub use crate::core::phone_message::{Button, PhoneMessageView};
pub use crate::core::reply::Reply;
pub use crate::core::{Sandbox, fault, records, template};
pub use crate::scenario::{Scenario, ScenarioName};
