//! One page: Markdown to HTML, with its headings, links, pictures and the text of its sections.
//!
//! Links between files become links between pages. A link to another file of the repository, which the binary does not
//! have, becomes its text with the path. Raw HTML is shown as text.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::transcript::{self, Part};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd, html};

/// A page as the template and the search index need it.
#[derive(Debug, Default)]
pub struct Page {
    /// The name of the file without its ending: the last part of the page's address.
    pub name: String,
    pub title: String,
    /// The first paragraph, as plain text.
    pub summary: String,
    /// Everything below the title.
    pub html: String,
    pub headings: Vec<Heading>,
    pub sections: Vec<Section>,
    /// Paths of pictures below `docs/`.
    pub pictures: Vec<String>,
    /// Targets of links as the file has them.
    pub links: Vec<String>,
}

/// A heading of level 2 or 3.
#[derive(Debug, Clone)]
pub struct Heading {
    pub level: u8,
    pub anchor: String,
    pub text: String,
}

/// The text below a heading, for the search.
#[derive(Debug, Default)]
pub struct Section {
    /// Empty for the text above the first heading.
    pub anchor: String,
    pub heading: String,
    pub text: String,
}

/// Parses a page.
pub fn parse(name: &str, source: &str) -> Page {
    let mut renderer = Renderer::new(name);
    let mut events = Vec::new();
    for event in Parser::new_ext(source, Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH) {
        renderer.read(event, &mut events);
    }
    let mut page = renderer.page;
    html::push_html(&mut page.html, events.into_iter());
    // A header cell must have a text.
    page.html = page.html.replace("<th></th>", "<td></td>");
    page
}

/// Turns the events of the parser into those to be rendered, and collects what the page has.
struct Renderer {
    page: Page,
    /// The heading that is being read: its events and its text.
    heading: Option<(HeadingLevel, Vec<Event<'static>>, String)>,
    /// The language and the text of the code block that is being read.
    code: Option<(String, String)>,
    /// The link to a file of the repository that is being read: its text so far and the path.
    source_link: Option<(String, String)>,
    in_first_paragraph: bool,
    anchors: BTreeMap<String, usize>,
}

impl Renderer {
    fn new(name: &str) -> Self {
        let page = Page { name: name.to_owned(), sections: vec![Section::default()], ..Page::default() };
        let (heading, code, source_link, anchors) = (None, None, None, BTreeMap::new());
        Self { page, heading, code, source_link, in_first_paragraph: false, anchors }
    }

    fn read(&mut self, event: Event<'_>, out: &mut Vec<Event<'static>>) {
        let event = event.into_static();
        self.collect_text(&event);
        if self.code.is_some() {
            return self.read_code(event, out);
        }
        if self.heading.is_some() {
            return self.read_heading(&event, out);
        }
        match event {
            Event::Start(Tag::Heading { level, .. }) => self.heading = Some((level, Vec::new(), String::new())),
            Event::Start(Tag::CodeBlock(kind)) => {
                let language =
                    if let CodeBlockKind::Fenced(language) = kind { language.to_string() } else { String::new() };
                self.code = Some((language, String::new()));
            }
            event => out.extend(self.inline(event)),
        }
    }

    /// Text for the search, and the first paragraph.
    fn collect_text(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(Tag::Paragraph) if self.page.summary.is_empty() => self.in_first_paragraph = true,
            Event::End(TagEnd::Paragraph) => self.in_first_paragraph = false,
            _ => {}
        }
        let text = match event {
            Event::Text(text) | Event::Code(text) | Event::Html(text) | Event::InlineHtml(text) => text,
            Event::SoftBreak | Event::HardBreak | Event::End(TagEnd::Paragraph | TagEnd::Item | TagEnd::TableCell) => {
                " "
            }
            _ => return,
        };
        if self.in_first_paragraph {
            self.page.summary.push_str(text);
        }
        if let (None, Some(section)) = (&self.heading, self.page.sections.last_mut()) {
            let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let begins = text.starts_with(char::is_whitespace) && !section.text.ends_with(' ');
            section.text.push_str(if begins { " " } else { "" });
            section.text.push_str(&words);
            section.text.push_str(if !words.is_empty() && text.ends_with(char::is_whitespace) { " " } else { "" });
        }
    }

    fn read_heading(&mut self, event: &Event<'static>, out: &mut Vec<Event<'static>>) {
        let inline = self.inline(event.clone());
        let Some((level, events, text)) = &mut self.heading else { return };
        match event {
            Event::Text(part) | Event::Code(part) => text.push_str(part),
            _ => {}
        }
        if !matches!(event, Event::End(TagEnd::Heading(_))) {
            return events.extend(inline);
        }
        let (level, events, text) = (*level, std::mem::take(events), std::mem::take(text));
        self.heading = None;
        if level == HeadingLevel::H1 {
            self.page.title = text;
            return;
        }
        let anchor = self.anchor(&text);
        let number = level as u8;
        out.push(html(format!("<h{number} id=\"{anchor}\">")));
        out.extend(events);
        let label = escape(&text);
        out.push(html(format!(
            " <a class=\"anchor\" href=\"#{anchor}\" aria-label=\"Link to {label}\">#</a></h{number}>\n"
        )));
        self.page.sections.push(Section { anchor: anchor.clone(), heading: text.clone(), text: String::new() });
        if number <= 3 {
            self.page.headings.push(Heading { level: number, anchor, text });
        }
    }

    /// The anchor that GitHub gives to a heading, so that links work in both places.
    fn anchor(&mut self, text: &str) -> String {
        let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase();
        let count = self.anchors.entry(anchor.clone()).and_modify(|count| *count += 1).or_insert(0);
        if *count == 0 { anchor } else { format!("{anchor}-{count}") }
    }

    fn read_code(&mut self, event: Event<'static>, out: &mut Vec<Event<'static>>) {
        let Some((_, text)) = &mut self.code else { return };
        match event {
            Event::Text(part) => text.push_str(&part),
            Event::End(TagEnd::CodeBlock) => {
                let (language, text) = self.code.take().unwrap_or_default();
                let class = if language.is_empty() {
                    String::new()
                } else {
                    format!(" class=\"language-{}\"", escape(&language))
                };
                out.push(html(format!("<pre><code{class}>{}</code></pre>\n", marked(&text))));
            }
            _ => {}
        }
    }

    /// Links, pictures, tables and raw HTML; everything else stays.
    fn inline(&mut self, event: Event<'static>) -> Vec<Event<'static>> {
        if let (Some((text, _)), Event::Text(part) | Event::Code(part)) = (&mut self.source_link, &event) {
            text.push_str(part);
        }
        match event {
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                self.page.links.push(dest_url.to_string());
                if let Some(path) = source_path(link_type, &dest_url) {
                    self.source_link = Some((String::new(), path.to_owned()));
                    return Vec::new();
                }
                let dest_url = page_address(&dest_url).into();
                vec![Event::Start(Tag::Link { link_type, dest_url, title, id })]
            }
            Event::End(TagEnd::Link) if self.source_link.is_some() => {
                let (text, path) = self.source_link.take().unwrap_or_default();
                if text == path {
                    Vec::new()
                } else {
                    vec![html(format!(" (<code>{}</code> in the source)", escape(&path)))]
                }
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                self.page.pictures.push(dest_url.to_string());
                let dest_url = format!("/docs/{dest_url}").into();
                vec![Event::Start(Tag::Image { link_type, dest_url, title, id })]
            }
            Event::Start(Tag::Table(alignment)) => {
                let heading = self.page.sections.last().map_or("", |section| section.heading.as_str());
                let name = escape(if heading.is_empty() { &self.page.title } else { heading });
                let open =
                    format!("<div class=\"table\" role=\"group\" aria-label=\"Table: {name}\" tabindex=\"0\">\n");
                // An alignment would be an inline style, which the policy of the pages forbids.
                let alignment = vec![Alignment::None; alignment.len()];
                vec![html(open), Event::Start(Tag::Table(alignment))]
            }
            Event::End(TagEnd::Table) => vec![Event::End(TagEnd::Table), html("</div>\n".to_owned())],
            Event::Html(text) | Event::InlineHtml(text) => vec![Event::Text(text)],
            event => vec![event],
        }
    }
}

fn html(text: String) -> Event<'static> {
    Event::Html(text.into())
}

/// The path in the repository of a link that leads out of `docs/`.
fn source_path(kind: LinkType, target: &str) -> Option<&str> {
    if kind == LinkType::Email {
        None
    } else {
        target.strip_prefix("../").map(|path| path.split('#').next().unwrap_or(path))
    }
}

/// The address of a link: `webhooks.md#order` is `/docs/webhooks#order`.
fn page_address(target: &str) -> String {
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let Some(name) = file.strip_suffix(".md").filter(|name| !name.contains([':', '/'])) else {
        return target.to_owned();
    };
    let anchor = anchor.map_or_else(String::new, |anchor| format!("#{anchor}"));
    format!("/docs/{name}{anchor}")
}

/// The text of a code block as HTML. In a block with prompts, what was printed is marked, so that commands stand out and
/// are copied without it.
fn marked(text: &str) -> String {
    if !text.lines().any(|line| line.starts_with("$ ")) {
        return escape(text);
    }
    let mut html = String::new();
    for part in transcript::split(text) {
        // Formatting into a String cannot fail.
        let _ = match part {
            Part::Command(command) => writeln!(html, "<span class=\"prompt\">$ </span>{}", escape(&command)),
            Part::Printed(line) => writeln!(html, "<span class=\"printed\">{}</span>", escape(&line)),
        };
    }
    html
}

/// Text as HTML, in elements and attributes.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
