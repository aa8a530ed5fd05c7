//! Tracked links: who opens them, where they lead, and what is told of it. `messages` puts the codes into what is sent.

mod code;
mod counts;
mod list;
mod open;
mod record;
mod rescore;
mod target;
mod told;

pub(crate) use code::code;
pub use counts::{By, Count, Counts, CountsFilter};
pub use list::{Filter, Listed, Page};
pub use open::{Refused, Visit};
pub(crate) use record::Desk;
pub use rescore::{Rescore, Rescored};
pub(crate) use told::told;

use crate::App;

#[derive(Debug)]
pub struct Clicks<'a>(&'a App);

impl App {
    pub fn clicks(&self) -> Clicks<'_> {
        Clicks(self)
    }
}
