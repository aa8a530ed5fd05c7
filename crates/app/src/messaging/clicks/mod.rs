//! Tracked links: the redirect, the log of hits, their counts, and the event of a person's first click. `messages` puts
//! the codes into template buttons.

mod code;
mod counts;
mod hit_queue;
mod list;
mod network_report;
mod open;
mod rescore;
mod target;
mod write_hits;

pub(crate) use code::code;
pub use counts::{ClickCounts, CountGrouping, CountSearch, GroupCount};
pub(crate) use hit_queue::HitWriter;
pub use list::{ClickSearch, ClickView, FoundClicks};
pub(crate) use network_report::record_network_click;
pub use open::{LinkRefused, Visit};
pub use rescore::{RescoreRequest, RescoreSummary};

use crate::messaging::Messaging;

#[derive(Debug)]
pub struct Clicks<'a>(&'a Messaging);

impl Messaging {
    pub fn clicks(&self) -> Clicks<'_> {
        Clicks(self)
    }
}
