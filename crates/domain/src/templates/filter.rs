//! Which templates a list shows.

/// Every member that is given must hold. Newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TemplateFilter {
    pub account_id: Option<String>,
    /// Part of the name.
    pub name: Option<String>,
    pub limit: i64,
    pub offset: i64,
}
