//! Interactive messages in the network's format: `{type, header, body, footer, action}`. Parsing only.

use domain::messaging::messages::interactive::{
    Choice, InteractiveAction, InteractiveMessage, MessageHeader, ProductGroup, Section,
};
use domain::{Field, Place};

use crate::error::Spelling;
use crate::prelude::*;
use crate::shared::messaging::messages::flexible_text::{FlexibleText, non_empty};
use crate::shared::messaging::messages::interactive::{ListMessageRow, Names, ProductItem, check};

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NetworkInteractive {
    /// `button`, `list`, `cta_url`, `product` or `product_list`.
    #[schema(value_type = String, example = "button")]
    r#type: Option<String>,
    header: Option<NetworkHeader>,
    /// `{"text": "…"}`, or the text alone. Defaults to the message's `text`.
    #[schema(value_type = Option<String>)]
    body: Option<FlexibleText>,
    #[schema(value_type = Option<String>)]
    footer: Option<FlexibleText>,
    #[serde(default)]
    action: NetworkAction,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NetworkHeader {
    /// `text`, `image`, `video` or `document`.
    r#type: Option<String>,
    text: Option<String>,
    image: Option<NetworkFile>,
    video: Option<NetworkFile>,
    document: Option<NetworkFile>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct NetworkFile {
    #[serde(alias = "url")]
    link: Option<String>,
    #[serde(alias = "fileName")]
    filename: Option<String>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct NetworkAction {
    #[serde(default)]
    buttons: Vec<NetworkButton>,
    button: Option<String>,
    #[serde(default)]
    sections: Vec<NetworkSection>,
    catalog_id: Option<String>,
    product_retailer_id: Option<String>,
    parameters: Option<NetworkLink>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NetworkButton {
    reply: NetworkReply,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NetworkReply {
    /// Defaults to the button's number, starting at 1.
    id: Option<String>,
    title: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct NetworkSection {
    title: Option<String>,
    #[serde(default)]
    rows: Vec<ListMessageRow>,
    #[serde(default)]
    product_items: Vec<ProductItem>,
}

/// The button of a `cta_url` message, which opens a URL.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct NetworkLink {
    display_text: Option<String>,
    url: Option<String>,
}

/// The network's own names.
const NETWORK: Names = Names {
    within: "interactive",
    spelling: Spelling(&[
        (Field::Body, "body.text"),
        (Field::Footer, "footer.text"),
        (Field::Buttons, "action.buttons"),
        (Field::ButtonId, "reply.id"),
        (Field::ButtonTitle, "reply.title"),
        (Field::ButtonText, "action.button"),
        (Field::LinkText, "action.parameters.display_text"),
        (Field::Url, "action.parameters.url"),
        (Field::Sections, "action.sections"),
        (Field::CatalogId, "action.catalog_id"),
        (Field::Product, "action.product_retailer_id"),
    ]),
};

impl NetworkInteractive {
    pub fn into_message(self, default_body: Option<String>) -> app::Result<InteractiveMessage> {
        let kind = self.r#type.unwrap_or_default().trim().to_lowercase();
        let action = self.action.into_action(&kind)?;
        let header = self.header.map_or(Ok(None), NetworkHeader::into_header)?;
        let text = |words: Option<FlexibleText>| words.and_then(FlexibleText::into_text);
        let message =
            InteractiveMessage { header, body: text(self.body).or(default_body), footer: text(self.footer), action };
        check(message, &NETWORK)
    }
}

impl NetworkHeader {
    fn into_header(self) -> app::Result<Option<MessageHeader>> {
        let link = |file: Option<NetworkFile>| file.unwrap_or_default().link.unwrap_or_default();
        match non_empty(self.r#type).map(|kind| kind.trim().to_lowercase()).as_deref() {
            None | Some("text") => Ok(non_empty(self.text).map(MessageHeader::Text)),
            Some("image") => Ok(Some(MessageHeader::Image(link(self.image)))),
            Some("video") => Ok(Some(MessageHeader::Video(link(self.video)))),
            Some("document") => {
                let NetworkFile { link, filename } = self.document.unwrap_or_default();
                Ok(Some(MessageHeader::Document { link: link.unwrap_or_default(), name: non_empty(filename) }))
            }
            Some(_) => Err(app::Error::invalid(
                Place::named("interactive.header.type"),
                "expected text, image, video or document",
            )),
        }
    }
}

impl NetworkAction {
    fn into_action(self, kind: &str) -> app::Result<InteractiveAction> {
        Ok(match kind {
            "button" => InteractiveAction::Buttons(self.buttons.into_iter().enumerate().map(choice).collect()),
            "list" => {
                let mut number = 0;
                let mut row = |row: ListMessageRow| row.into_row(&mut number);
                let mut section = |one: NetworkSection| Section {
                    title: non_empty(one.title),
                    rows: one.rows.into_iter().map(&mut row).collect(),
                };
                let sections = self.sections.into_iter().map(&mut section).collect();
                InteractiveAction::List { button: self.button.unwrap_or_default(), sections }
            }
            "cta_url" => {
                let NetworkLink { display_text, url } = self.parameters.unwrap_or_default();
                InteractiveAction::Link { text: display_text.unwrap_or_default(), url: url.unwrap_or_default() }
            }
            "product" => InteractiveAction::Product {
                catalog: self.catalog_id.unwrap_or_default(),
                product: self.product_retailer_id.unwrap_or_default(),
            },
            "product_list" => InteractiveAction::Products {
                catalog: self.catalog_id.unwrap_or_default(),
                sections: self.sections.into_iter().map(product_group).collect(),
            },
            _ => {
                let expected = "expected button, list, cta_url, product or product_list";
                return Err(app::Error::invalid(Place::named("interactive.type"), expected));
            }
        })
    }
}

fn choice((place, button): (usize, NetworkButton)) -> Choice {
    let NetworkReply { id, title } = button.reply;
    Choice { id: non_empty(id).unwrap_or_else(|| (place + 1).to_string()), title: title.unwrap_or_default() }
}

fn product_group(section: NetworkSection) -> ProductGroup {
    let products = section.product_items.into_iter().map(ProductItem::into_id).collect();
    ProductGroup { title: section.title.unwrap_or_default(), products }
}
