//! The frame of all pages: header with search, list of pages, content, headings of the page.

use std::fmt::Write as _;

use super::groups::Group;
use super::markdown::{Page, escape};

/// Characters of a summary in the overview and in the description of a page.
const SUMMARY_CHARACTERS: usize = 160;

/// What all pages share. Paths are below `/docs/`.
#[derive(Debug)]
pub struct Frame<'a> {
    pub groups: &'a [Group<'a>],
    pub style: &'a str,
    pub script: &'a str,
    pub index: &'a str,
    pub icon: &'a str,
}

impl Frame<'_> {
    /// A page with links to the one before and the one after it.
    pub fn page(&self, page: &Page, before: Option<&Page>, after: Option<&Page>) -> String {
        let step = |relation: &str, label: &str, other: Option<&Page>| {
            other.map_or_else(String::new, |other| {
                let (name, title) = (&other.name, escape(&other.title));
                format!("<a rel=\"{relation}\" href=\"/docs/{name}\"><span>{label}</span> {title}</a>\n")
            })
        };
        let content = format!(
            "<h1>{}</h1>\n{}<nav class=\"steps\" aria-label=\"Previous and next page\">\n{}{}</nav>\n",
            escape(&page.title),
            page.html,
            step("prev", "Previous", before),
            step("next", "Next", after),
        );
        self.framed(&page.title, &summary(page), Some(page), &content)
    }

    /// The page at `/docs`: every page with its summary.
    pub fn overview(&self) -> String {
        let mut content = String::from(
            "<h1>Documentation</h1>\n<p>Switchboard is a business messaging platform in one binary. These pages belong to \
             the version that serves them. The <a href=\"/api/docs\">API reference</a> lists every operation; the \
             <a href=\"/console/\">console</a> is the user interface.</p>\n",
        );
        for group in self.groups {
            // Formatting into a String cannot fail.
            let _ = write!(content, "<h2>{}</h2>\n<dl class=\"pages\">\n", group.name);
            for page in &group.pages {
                let (name, title, summary) = (&page.name, escape(&page.title), escape(&summary(page)));
                let _ = writeln!(content, "<dt><a href=\"/docs/{name}\">{title}</a></dt>\n<dd>{summary}</dd>");
            }
            content.push_str("</dl>\n");
        }
        self.framed("Documentation", "The documentation of Switchboard.", None, &content)
    }

    /// The page for addresses that lead nowhere.
    pub fn missing(&self) -> String {
        let content = "<h1>There is no such page</h1>\n<p>It may have been renamed. Search for what you need, or begin \
                       with the <a href=\"/docs\">list of all pages</a>.</p>\n";
        self.framed("There is no such page", "", None, content)
    }

    fn framed(&self, title: &str, description: &str, page: Option<&Page>, content: &str) -> String {
        let Self { style, script, index, icon, .. } = self;
        let (title, description) = (escape(title), escape(description));
        let (menu, headings) = (self.menu(page), page.map_or_else(String::new, headings));
        format!(
            r##"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title} · Switchboard</title>
<meta name="description" content="{description}">
<link rel="icon" type="image/svg+xml" href="/docs/{icon}">
<link rel="stylesheet" href="/docs/{style}">
<script type="module" src="/docs/{script}" data-index="/docs/{index}"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
<a class="brand" href="/docs"><img src="/docs/{icon}" alt="" width="22" height="22"> Switchboard <span>Docs</span></a>
<form class="search" role="search" hidden>
<label class="hidden" for="search">Search the documentation</label>
<input id="search" type="search" placeholder="Search" autocomplete="off" spellcheck="false" aria-describedby="search-key">
<kbd id="search-key"><span class="hidden">Shortcut: </span>/</kbd>
<p class="hidden" role="status"></p>
<div class="results" hidden><ul aria-label="Results"></ul></div>
</form>
<nav class="elsewhere" aria-label="Elsewhere">
<a href="/api/docs">API reference</a>
<a href="/console/">Console</a>
</nav>
</header>
<div class="frame">
<nav class="menu" aria-label="Pages">
<details>
<summary>All pages</summary>
{menu}</details>
</nav>
<main id="content" tabindex="-1">
{headings}<article>
{content}</article>
</main>
</div>
</body>
</html>
"##
        )
    }

    fn menu(&self, current: Option<&Page>) -> String {
        let mut menu = String::new();
        for group in self.groups {
            let _ = write!(menu, "<p id=\"group-{0}\">{0}</p>\n<ul aria-labelledby=\"group-{0}\">\n", group.name);
            for page in &group.pages {
                let here = current.is_some_and(|current| current.name == page.name);
                let here = if here { " aria-current=\"page\"" } else { "" };
                let _ = writeln!(menu, "<li><a href=\"/docs/{}\"{here}>{}</a></li>", page.name, escape(&page.title));
            }
            menu.push_str("</ul>\n");
        }
        menu
    }
}

/// The headings of a page as links; none if there are fewer than two.
fn headings(page: &Page) -> String {
    if page.headings.len() < 2 {
        return String::new();
    }
    let mut list = String::new();
    for heading in &page.headings {
        let (level, anchor, text) = (heading.level, &heading.anchor, escape(&heading.text));
        let _ = writeln!(list, "<li class=\"level-{level}\"><a href=\"#{anchor}\">{text}</a></li>");
    }
    format!(
        "<nav class=\"headings\" aria-label=\"On this page\">\n<details>\n<summary>On this page</summary>\n<ul>\n{list}</ul>\n\
         </details>\n</nav>\n"
    )
}

/// The beginning of the first paragraph, up to the end of a sentence or a word.
fn summary(page: &Page) -> String {
    let text = page.summary.trim();
    if let Some((first, _)) = text.split_once(". ").filter(|(first, _)| first.chars().count() <= SUMMARY_CHARACTERS) {
        return format!("{first}.");
    }
    if text.chars().count() <= SUMMARY_CHARACTERS {
        return text.to_owned();
    }
    let cut: String = text.chars().take(SUMMARY_CHARACTERS).collect();
    format!("{} …", cut.rsplit_once(' ').map_or(cut.as_str(), |(words, _)| words))
}
