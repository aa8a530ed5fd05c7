//! The search index: a JSON list with an entry for each section of each page.

use std::fmt::Write as _;

use super::markdown::Page;

/// `[{"page", "title", "anchor", "heading", "text"}]`; the section before the first heading has an empty anchor.
pub fn index(pages: &[Page]) -> String {
    let sections = pages.iter().flat_map(|page| page.sections.iter().map(move |section| (page, section)));
    let entries = sections.map(|(page, section)| {
        let members = [
            ("page", page.name.as_str()),
            ("title", &page.title),
            ("anchor", &section.anchor),
            ("heading", &section.heading),
            ("text", &section.text),
        ];
        let members = members.map(|(name, value)| format!("{}:{}", json_text(name), json_text(value)));
        format!("{{{}}}", members.join(","))
    });
    format!("[{}]\n", entries.collect::<Vec<_>>().join(",\n"))
}

/// A JSON string.
fn json_text(text: &str) -> String {
    let mut json = String::from('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => json.extend(['\\', character]),
            // Formatting into a String cannot fail.
            control if control < ' ' => drop(write!(json, "\\u{:04x}", u32::from(control))),
            other => json.push(other),
        }
    }
    json.push('"');
    json
}
