//! The call log, with calls that the network reports and calls that clients record.

mod counts;
mod cursor;
mod draft;
mod inbound;
mod log;
mod operator;
mod people;
mod record;
mod recorder;
mod room;
mod update;

pub use counts::CallDay;
pub use draft::NewCall;
pub(crate) use inbound::InboundCalls;
pub use log::PageEnd;
pub use room::Calls;
pub use update::CallUpdate;
