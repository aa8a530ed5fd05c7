//! The history of a template: each change that the network's reviews made.

use super::Template;
use crate::Timestamp;
use crate::base::named::named;

named! {
    /// What changed.
    TemplateChangeKind { Status => "status", Quality => "quality", Category => "category" }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateChange {
    pub at: Timestamp,
    pub change: TemplateChangeKind,
    /// None for the first rating of the quality.
    pub before: Option<String>,
    pub after: String,
    /// Why the network rejected the template.
    pub reason: Option<String>,
}

impl TemplateChange {
    /// The changes between two states of a template.
    pub fn between(before: &Template, after: &Template, at: Timestamp) -> Vec<Self> {
        let mut changes = Vec::new();
        let mut add = |change, old: Option<&str>, new: &str, reason: Option<&String>| {
            let before = old.map(str::to_owned);
            changes.push(Self { at, change, before, after: new.to_owned(), reason: reason.cloned() });
        };
        if before.status != after.status {
            let reason = after.reason.as_ref();
            add(TemplateChangeKind::Status, Some(before.status.name()), after.status.name(), reason);
        }
        if let Some(quality) = after.quality.as_deref().filter(|quality| before.quality.as_deref() != Some(quality)) {
            add(TemplateChangeKind::Quality, before.quality.as_deref(), quality, None);
        }
        if before.category != after.category {
            add(TemplateChangeKind::Category, Some(before.category.name()), after.category.name(), None);
        }
        changes
    }
}
