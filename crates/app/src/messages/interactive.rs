//! Converts an interactive message to the content of the network. The message was checked before.

use channels::graph::{
    Content, CtaUrl, Document, Header as NetworkHeader, Interaction, Interactive as NetworkInteractive, ListRow,
    ListSection, MediaRef, ProductSection, ReplyButton,
};
use domain::messages::interactive::{Action, Header, Interactive, Section};

use super::SessionBody;

impl SessionBody {
    pub fn interactive(message: Interactive) -> Self {
        let text = message.body.clone();
        let content = NetworkInteractive {
            header: message.header.map(header),
            body: message.body,
            footer: message.footer,
            interaction: interaction(message.action),
        };
        Self { content: Content::Interactive(Box::new(content)), text, media_id: None }
    }
}

pub(crate) fn header(header: Header) -> NetworkHeader {
    match header {
        Header::Text(text) => NetworkHeader::Text(text),
        Header::Image(link) => NetworkHeader::Image(MediaRef::Link(link)),
        Header::Video(link) => NetworkHeader::Video(MediaRef::Link(link)),
        Header::Document { link, name } => {
            NetworkHeader::Document(Document { source: MediaRef::Link(link), caption: None, filename: name })
        }
    }
}

fn interaction(action: Action) -> Interaction {
    match action {
        Action::Buttons(buttons) => {
            let button = |one: domain::messages::interactive::Choice| ReplyButton { id: one.id, title: one.title };
            Interaction::Buttons(buttons.into_iter().map(button).collect())
        }
        Action::List { button, sections } => {
            Interaction::List { button, sections: sections.into_iter().map(section).collect() }
        }
        Action::Link { text, url } => Interaction::CtaUrl(CtaUrl { display_text: text, url }),
        Action::Product { catalog, product } => {
            Interaction::Product { catalog_id: catalog, product_retailer_id: product }
        }
        Action::Products { catalog, sections } => Interaction::ProductList {
            catalog_id: catalog,
            sections: sections
                .into_iter()
                .map(|group| ProductSection { title: Some(group.title), product_retailer_ids: group.products })
                .collect(),
        },
    }
}

fn section(section: Section) -> ListSection {
    let row = |row: domain::messages::interactive::Row| ListRow {
        id: row.id,
        title: row.title,
        description: row.description,
    };
    ListSection { title: section.title, rows: section.rows.into_iter().map(row).collect() }
}
