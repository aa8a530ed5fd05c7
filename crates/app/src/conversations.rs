//! Conversations: opened, found, assigned, closed, read. One for each contact and channel.

mod assign;
mod events;
mod history;
mod join;
mod list;
mod onward;
mod status;
mod target;

pub use assign::{Assignment, To};
pub(crate) use events::{Place, opened, received};
pub use history::{Entry, History};
pub use list::{DEPTH, Filter, Listed, Page, Person};
pub(crate) use onward::{erase, follow, part};
pub use target::Choice;
pub(crate) use target::{Meant, meant};

use domain::messages::{MessageOperator, MessageSource};

use crate::{ActsFor, App, Error, Thing};

#[derive(Debug)]
pub struct Conversations<'a>(&'a App);

impl App {
    pub fn conversations(&self) -> Conversations<'_> {
        Conversations(self)
    }
}

pub(crate) const NO_CONVERSATION: Error = Error::NotFound(Thing::Conversation);

/// Who changes a ticket, as its row in the history remembers. A command is nobody.
fn operator(caller: &impl ActsFor) -> Option<MessageOperator> {
    caller.account().map(|_| caller.operator(MessageSource::Api, false))
}
