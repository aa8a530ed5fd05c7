//! The rules for a template's texts and variables, and the errors that refuse a template.

use std::collections::BTreeSet;

use crate::graph::error::GraphError;
use crate::graph::messages::text::variables;
use crate::graph::parts::{Checked, Part};

#[derive(Clone, Copy)]
pub struct Rules<'a> {
    pub named: bool,
    pub category: &'a str,
    /// The components are those of a carousel card.
    pub card: bool,
}

impl Rules<'_> {
    pub fn authentication(&self) -> bool {
        self.category == "AUTHENTICATION"
    }

    /// The distinct variables of a text. They must be named if `named`, else numbered from 1 without gaps.
    pub fn variables<'t>(&self, part: &Part<'_>, text: &'t str) -> Checked<BTreeSet<&'t str>> {
        let names = variables(text).ok_or_else(|| {
            let text = "Variables must be numbers or lowercase names in double braces.";
            refuse(2_388_040, "Invalid variable", text)
        })?;
        let distinct: BTreeSet<&str> = names.into_iter().collect();
        let numbers: BTreeSet<usize> = distinct.iter().filter_map(|name| name.parse().ok()).collect();
        let fits = if self.named {
            distinct.iter().all(|name| name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase()))
        } else {
            numbers.len() == distinct.len() && numbers.iter().copied().eq(1..=numbers.len())
        };
        if fits { Ok(distinct) } else { Err(part.invalid("text", "has variables that do not count from {{1}} on")) }
    }
}

/// The error that refuses a template, with the network's subcode and user text.
pub fn refuse(subcode: i64, title: &'static str, text: impl Into<String>) -> GraphError {
    GraphError::parameter("Invalid parameter").subcode(subcode).user(title, text)
}

pub fn no_sample(of: &str) -> GraphError {
    let text = format!("Message template component {of} has variables or media but no sample for each of them.");
    refuse(2_388_043, "Sample is missing", text)
}
