//! Contacts: the people whom a business talks with, the data that it keeps about them, and the limits of that data.

pub(super) mod conditions;
mod contact;
pub(super) mod filter;
mod history;
pub mod identity;
mod merging;
mod own_names;
mod sighting;
mod target;
mod terms;
mod view;

pub use conditions::{Condition, ConditionOperator, OPERATORS};
pub use contact::{
    BadContact, Consent, Contact, CustomParam, MAX_NAME_CHARACTERS, MAX_PARAM_NAME_CHARACTERS,
    MAX_PARAM_VALUE_CHARACTERS, MAX_PARAMS, MAX_PARAMS_CHARACTERS, MAX_SOURCE_CHARACTERS, MAX_TEAM_NAME_CHARACTERS,
    MAX_TEAMS, NewContact, Team, check, check_params, check_source, check_teams, merge_params,
};
pub use filter::{ContactFilter, IndexPlan};
pub use history::{ConsentChange, Merge};
pub use merging::{Divided, combine, divide, give_way, restore, separate, show_current};
pub use own_names::{OWN_NAME, OWN_PHONE, without_own};
pub use sighting::Sighting;
pub use target::{NotATarget, Target, TargetRef};
pub use terms::{Term, difference, label_term, segment_term, terms};
pub use view::{Attributes, ContactView, Texts};

pub use crate::base::fold::fold;
