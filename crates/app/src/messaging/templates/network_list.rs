//! Reads the network's list of templates.

use channels::graph::{Graph, TemplateRow};

use super::errors::network_error;
use crate::Result;

/// Most pages that are read, more than an account can have: a bound against an endless list.
const MOST_PAGES: usize = 1000;

pub(super) async fn fetch_all(graph: &Graph) -> Result<Vec<TemplateRow>> {
    let mut rows = Vec::new();
    let mut after: Option<String> = None;
    for _ in 0..MOST_PAGES {
        let page = graph.templates(after.as_deref()).await.map_err(|error| network_error(&error))?;
        rows.extend(page.templates);
        after = page.after;
        if after.is_none() {
            break;
        }
    }
    Ok(rows)
}
