//! Contacts: one row for each person, with its identities and its index terms in tables of their own.
//!
//! Row, terms and counter change together, so all writes go through this module.

mod counters;
mod erase;
mod history;
mod identities;
mod intersect;
mod list;
mod merges;
mod oldest_first;
mod rows;
mod terms;
mod window;

pub use counters::{Count, count};
pub use erase::erase;
pub use history::{add_consent, add_consents, consents};
pub use identities::{
    by_username, current_identities, holders, holders_of, identities, identities_of, move_identities, save_identities,
    save_identities_of, save_identity,
};
pub use list::{candidates, count_created, count_exact, page, rarest_first};
pub use merges::{insert_merge, kept_apart, merge_for_update, merges, set_undone};
pub use oldest_first::page_oldest_first;
pub use rows::{
    Addressee, addressed, addressed_by_id, by_ids_for_update, for_update, insert, insert_indexed, insert_many,
    known_by, known_by_any, read_known_by, remove, restore, show, show_each, show_known_by, update, update_many,
};
pub(crate) use terms::require_rebuild;
pub use terms::{index_of, rebuild};
pub use window::Window;

use crate::Statement;

pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        counters::statements(),
        erase::statements(),
        history::statements(),
        identities::statements(),
        intersect::statements(),
        list::statements(),
        merges::statements(),
        oldest_first::statements(),
        rows::statements(),
        terms::statements(),
    ]
    .concat()
}
