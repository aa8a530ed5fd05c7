//! Routing: which team or operator gets a conversation. Pure decisions; the caller reads the facts, stores what was
//! decided, and passes in the time.
//!
//! Two steps. `route` finds the rule that applies to a conversation and with it the team or operator that it waits for.
//! `assign` goes through the waiting conversations, oldest first, and gives each to an operator who is allowed to have
//! it and has room. Both read a `Roster`: the teams, the operators with their open conversations, and which schedules
//! are open. `assign` counts what it gives in the roster, so one roster serves a whole batch.
//!
//! After `assign`, no conversation waits while an operator who may have it has room, and no operator was given more
//! than the capacity. A conversation that an operator has is never an input, so what a person assigned stays.
//!
//! Every decision has its steps (`RoutingStep`), from which the thread explains it.

mod assign;
mod pick;
mod presence;
mod queue;
mod roster;
mod rule;
mod steps;
mod waiting;

pub use assign::{AssignedOperator, AssignmentDecision, assign, route_and_assign};
pub use presence::{GRACE_SECONDS, OperatorPresence, away_from, effective_presence};
pub use queue::WaitingQueue;
pub use roster::{OperatorLoad, OperatorName, Roster, ScheduleState};
pub use rule::{
    BadRule, HoursCondition, MAX_RULES, OrderedRule, Routing, RoutingConditions, RoutingRule, check_rule, route,
};
pub use steps::{PassedOver, RoutingStep, Skill, explain};
pub use waiting::{RoutingTarget, WaitingConversation, is_waiting};
