//! Links between pages.

use super::markdown::Page;

/// Addresses of the server that pages may link to.
const SERVED: [&str; 3] = ["/docs", "/api/docs", "/console/"];

/// Every link that leads nowhere, with its page. Links to other hosts and to other files of the repository are not
/// followed.
pub fn broken(pages: &[Page]) -> Vec<String> {
    let links = pages.iter().flat_map(|page| page.links.iter().map(move |link| (page, link)));
    let broken = links.filter(|(page, link)| !resolves(pages, page, link));
    broken.map(|(page, link)| format!("docs/{}.md links to {link}, which does not exist", page.name)).collect()
}

fn resolves(pages: &[Page], from: &Page, link: &str) -> bool {
    if link.contains("://") || link.starts_with("mailto:") || link.starts_with("../") || SERVED.contains(&link) {
        return true;
    }
    let (file, anchor) = link.split_once('#').map_or((link, None), |(file, anchor)| (file, Some(anchor)));
    let find = |file: &str| pages.iter().find(|page| file.strip_suffix(".md") == Some(&page.name));
    let target = if file.is_empty() { Some(from) } else { find(file) };
    let has = |page: &Page| anchor.is_none_or(|anchor| page.sections.iter().any(|section| section.anchor == anchor));
    target.is_some_and(has)
}
