//! Which templates a list shows.

use super::{Category, TemplateStatus};

/// Which templates a list shows: every member that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateFilter {
    pub account_id: Option<String>,
    /// Part of the name.
    pub name: Option<String>,
    /// Any of these; empty: all. The same holds for the lists below.
    pub statuses: Vec<TemplateStatus>,
    pub categories: Vec<Category>,
    /// Codes of languages, as the network spells them.
    pub languages: Vec<String>,
    /// The network's ratings; `UNKNOWN` includes templates without one.
    pub qualities: Vec<String>,
    pub limit: i64,
    pub offset: i64,
}
