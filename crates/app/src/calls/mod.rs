//! The call log: lists and shows calls, records calls of other equipment, and completes them later.

mod counts;
mod cursor;
mod draft;
mod inbound;
mod log;
mod operator;
mod record;
mod recorder;
mod update;

pub use counts::CallDay;
pub(crate) use draft::CallDraft;
pub use draft::NewCall;
pub(crate) use inbound::InboundCalls;
pub use log::PageEnd;
pub use update::CallUpdate;

use crate::App;

#[derive(Debug)]
pub struct Calls<'a>(&'a App);

impl App {
    pub fn calls(&self) -> Calls<'_> {
        Calls(self)
    }
}
