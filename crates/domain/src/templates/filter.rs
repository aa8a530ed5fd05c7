//! Which templates a list shows.

/// Which templates a list shows; all of a tenant when nothing is asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateFilter {
    pub account_id: Option<String>,
    /// Part of the name.
    pub name: Option<String>,
    pub limit: i64,
    pub offset: i64,
}
