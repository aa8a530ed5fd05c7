//! The order of the pages.

use super::markdown::Page;

/// Names of groups with the names of their pages. A page that is in none is listed at the end of the last one.
pub const GROUPS: [(&str, &[&str]); 5] = [
    ("Start", &["start", "console", "network", "testing-your-integration"]),
    (
        "Areas",
        &[
            "contacts",
            "conversations",
            "routing",
            "teams",
            "sending",
            "templates",
            "media",
            "clicks",
            "orders",
            "calls",
            "accounts",
        ],
    ),
    ("Webhooks", &["webhooks"]),
    ("Reference", &["api-conventions", "idempotency", "errors", "limits", "settings", "glossary"]),
    ("Operations", &["install", "https", "operations", "scale", "threat-model", "benchmarks", "long-runs"]),
];

/// A group that has pages.
#[derive(Debug)]
pub struct Group<'a> {
    pub name: &'static str,
    pub pages: Vec<&'a Page>,
}

/// Group and place in it.
pub fn position(name: &str) -> (usize, usize) {
    let places = GROUPS.iter().enumerate();
    let mut found =
        places.filter_map(|(group, (_, names))| Some((group, names.iter().position(|known| *known == name)?)));
    found.next().unwrap_or((GROUPS.len() - 1, usize::MAX))
}

/// The groups that have pages, from the pages in order.
pub fn grouped(pages: &[Page]) -> Vec<Group<'_>> {
    let mut groups: Vec<Group<'_>> = GROUPS.iter().map(|(name, _)| Group { name, pages: Vec::new() }).collect();
    for page in pages {
        groups[position(&page.name).0].pages.push(page);
    }
    groups.retain(|group| !group.pages.is_empty());
    groups
}
