//! Converts an interactive message to the network's form. The caller has checked the message.

use channels::graph::{
    Content, CtaUrl, Document, Header, Interaction, Interactive, ListRow, ListSection, MediaRef, ProductSection,
    ReplyButton,
};
use domain::messaging::messages::interactive::{InteractiveAction, InteractiveMessage, MessageHeader, Section};

use super::SessionBody;

impl SessionBody {
    pub fn interactive(message: InteractiveMessage) -> Self {
        let text = message.body.clone();
        let content = Interactive {
            header: message.header.map(header),
            body: message.body,
            footer: message.footer,
            interaction: interaction(message.action),
        };
        Self { content: Content::Interactive(Box::new(content)), text, media_id: None }
    }
}

pub(crate) fn header(header: MessageHeader) -> Header {
    match header {
        MessageHeader::Text(text) => Header::Text(text),
        MessageHeader::Image(link) => Header::Image(MediaRef::Link(link)),
        MessageHeader::Video(link) => Header::Video(MediaRef::Link(link)),
        MessageHeader::Document { link, name } => {
            Header::Document(Document { source: MediaRef::Link(link), caption: None, filename: name })
        }
    }
}

fn interaction(action: InteractiveAction) -> Interaction {
    match action {
        InteractiveAction::Buttons(buttons) => {
            let button =
                |one: domain::messaging::messages::interactive::Choice| ReplyButton { id: one.id, title: one.title };
            Interaction::Buttons(buttons.into_iter().map(button).collect())
        }
        InteractiveAction::List { button, sections } => {
            Interaction::List { button, sections: sections.into_iter().map(section).collect() }
        }
        InteractiveAction::Link { text, url } => Interaction::CtaUrl(CtaUrl { display_text: text, url }),
        InteractiveAction::Product { catalog, product } => {
            Interaction::Product { catalog_id: catalog, product_retailer_id: product }
        }
        InteractiveAction::Products { catalog, sections } => Interaction::ProductList {
            catalog_id: catalog,
            sections: sections
                .into_iter()
                .map(|group| ProductSection { title: Some(group.title), product_retailer_ids: group.products })
                .collect(),
        },
    }
}

fn section(section: Section) -> ListSection {
    let row = |row: domain::messaging::messages::interactive::Row| ListRow {
        id: row.id,
        title: row.title,
        description: row.description,
    };
    ListSection { title: section.title, rows: section.rows.into_iter().map(row).collect() }
}
