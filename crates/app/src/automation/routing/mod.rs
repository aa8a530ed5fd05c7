//! Routing: gives waiting conversations to operators.
//!
//! - The consumer `RouteConversations` (`react.rs`) reads the event log of tenants that use routing. It applies the rules
//!   to conversations that a person opens, keeps a row for each conversation that waits, and gives waiting
//!   conversations to operators when one may have room.
//! - Timers (`timers.rs`) do the same when opening hours begin or end, and go on where one transaction would have too
//!   much to do.
//! - Routing is in use when a rule is enabled or a team's conversations are not taken by hand (`switch.rs`). For other
//!   tenants, no fact is read and no statement runs.
//!
//! Invariants: every transaction locks the tenant's position in the log, so that one after the other sees what operators
//! have; nobody is given more than the capacity; after the last one, no conversation waits while an operator who may
//! have it has room. What a person assigns stays: a conversation that has changed since it was read is left alone, since
//! that change has a fact of its own. After a crash, the position is where the last transaction left it.
//!
//! Read on: `domain/src/automation/routing/mod.rs` (the decisions), `store/src/automation/routing/waiting.rs`.

mod place;
mod react;
mod rules;
mod snapshot;
mod switch;
mod timers;

pub(crate) use react::RouteConversations;
pub use rules::RuleRequest;
pub(crate) use switch::FollowTeams;

use crate::automation::Automation;

#[derive(Debug)]
pub struct Routing<'a>(&'a Automation);

impl Automation {
    pub fn routing(&self) -> Routing<'_> {
        Routing(self)
    }
}
