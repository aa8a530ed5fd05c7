//! Contacts: one row for each person, with its identities and its index terms in tables of their own.
//!
//! Row, terms and counter change together, so all writes go through this module.

mod counters;
mod erase;
mod erasures;
mod history;
mod identities;
mod intersect;
mod list;
mod merges;
mod oldest_first;
mod rows;
mod terms;
mod unindexed;
mod window;

pub use counters::{Count, count};
pub use erase::erase;
pub use erasures::{
    Erasure, erasure, erasures_of, insert_erasure, remove_erasure, save_erasure_progress, tenants_with_erasures,
};
pub use history::{add_consent, add_consents, consents};
pub use identities::{
    by_username, current_identities, holders, holders_of, identities, identities_of, move_identities, save_identities,
    save_identities_of, save_identity,
};
pub use list::{candidates, count_created, count_exact, page, rarest_first};
pub use merges::{insert_merge, kept_apart, merge_for_update, merges, set_undone};
pub use oldest_first::page_oldest_first;
pub use rows::{
    Addressee, PersonNames, addressed, addressed_by_id, by_ids_for_update, for_update, insert, insert_indexed,
    insert_many, insert_unindexed, known_by, known_by_any, names, next_by_id, read_by_id, read_known_by, remove,
    restore, show, show_each, show_known_by, unnamed, update, update_many,
};
pub(crate) use terms::require_rebuild;
pub use terms::{index_of, rebuild};
pub(crate) use unindexed::reset_unindexed;
pub use unindexed::{add_terms, clear_unindexed, unindexed_from, unindexed_of};
pub use window::Window;

use crate::Statement;

pub(crate) fn statements() -> Vec<&'static Statement> {
    [
        counters::statements(),
        erase::statements(),
        erasures::statements(),
        history::statements(),
        identities::statements(),
        intersect::statements(),
        list::statements(),
        merges::statements(),
        oldest_first::statements(),
        rows::statements(),
        terms::statements(),
        unindexed::statements(),
    ]
    .concat()
}
