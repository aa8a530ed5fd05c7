//! Interactive messages as V3 and V1 clients write them. Parsing only; the rules are in `domain`.

use std::fmt;

use domain::messaging::messages::interactive::{
    Choice, InteractiveAction, InteractiveMessage, MessageHeader, ProductGroup, Row, Section,
};
use domain::{Field, Place};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, Error, MapAccess, Visitor};

use super::flexible_text::{FlexibleText, non_empty};
use crate::answer::described_as::described_as;
use crate::error::Spelling;
use crate::prelude::*;

/// A message with one to three buttons.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ButtonMessage)]
pub(crate) struct ButtonMessage {
    /// A text, or an image, video or document.
    #[schema(nullable = false)]
    header: Option<HeaderInput>,
    #[schema(value_type = String, example = "Shall we go on?", max_length = 1024)]
    body: Option<FlexibleText>,
    #[schema(value_type = Option<String>, max_length = 60, nullable = false)]
    footer: Option<FlexibleText>,
    #[serde(default)]
    #[schema(min_items = 1, max_items = 3)]
    buttons: Vec<MessageButton>,
}

/// `text` is shown on the button. `id` is returned when the person taps the button; it defaults to the button's number,
/// starting at 1.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct MessageButton {
    #[serde(alias = "title")]
    #[schema(value_type = String, example = "Yes", max_length = 20)]
    text: Option<String>,
    #[schema(example = "yes", max_length = 256, nullable = false)]
    id: Option<String>,
}

/// A message with a button that opens a list of up to ten rows.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ListMessage)]
pub(crate) struct ListMessage {
    #[schema(value_type = Option<String>, max_length = 60, nullable = false)]
    header: Option<HeaderInput>,
    #[schema(value_type = String, example = "Which room?", max_length = 4096)]
    body: Option<FlexibleText>,
    #[schema(value_type = Option<String>, max_length = 60, nullable = false)]
    footer: Option<FlexibleText>,
    /// The text of the button that opens the list. Alias: `buttonText`.
    #[serde(alias = "buttonText", alias = "button")]
    #[schema(value_type = String, example = "Choose", max_length = 20)]
    button_text: Option<String>,
    #[serde(default)]
    #[schema(min_items = 1, max_items = 10)]
    sections: Vec<ListMessageSection>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ListMessageSection {
    /// Required if there are several sections.
    #[schema(example = "Ground floor", max_length = 24, nullable = false)]
    title: Option<String>,
    #[serde(default)]
    #[schema(min_items = 1, max_items = 10)]
    rows: Vec<ListMessageRow>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ListMessageRow {
    #[schema(value_type = String, example = "Room 12", max_length = 24)]
    title: Option<String>,
    #[schema(example = "With a view", max_length = 72, nullable = false)]
    description: Option<String>,
    /// Returned when the person taps the row. Defaults to the row's number, starting at 1 and counted across all
    /// sections.
    #[schema(max_length = 200, nullable = false)]
    id: Option<String>,
}

/// One product from the business's catalogue.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ProductMessage)]
pub(crate) struct ProductMessage {
    #[schema(value_type = Option<String>, max_length = 1024, nullable = false)]
    body: Option<FlexibleText>,
    #[schema(value_type = Option<String>, max_length = 60, nullable = false)]
    footer: Option<FlexibleText>,
    #[serde(alias = "catalogId")]
    #[schema(value_type = String)]
    catalog_id: Option<String>,
    #[serde(alias = "productRetailerId")]
    #[schema(value_type = String)]
    product_retailer_id: Option<String>,
}

/// Up to 30 products from the business's catalogue.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ProductListMessage)]
pub(crate) struct ProductListMessage {
    #[schema(value_type = String, max_length = 60)]
    header: Option<HeaderInput>,
    #[schema(value_type = String, max_length = 1024)]
    body: Option<FlexibleText>,
    #[schema(value_type = Option<String>, max_length = 60, nullable = false)]
    footer: Option<FlexibleText>,
    #[serde(alias = "catalogId")]
    #[schema(value_type = String)]
    catalog_id: Option<String>,
    #[serde(default)]
    #[schema(min_items = 1, max_items = 10)]
    sections: Vec<ProductSectionInput>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ProductSection)]
pub(crate) struct ProductSectionInput {
    #[schema(value_type = String, example = "Hats", max_length = 24)]
    title: Option<String>,
    #[serde(default, alias = "productItems")]
    #[schema(min_items = 1, max_items = 30)]
    product_items: Vec<ProductItem>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ProductItem {
    #[serde(alias = "productRetailerId")]
    #[schema(value_type = String)]
    product_retailer_id: Option<String>,
}

/// The header above the text. `type` is `text`, `image`, `video` or `document`, ignoring case.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = MessageHeader)]
pub(crate) struct MessageHeaderShape {
    #[schema(example = "Text", nullable = false)]
    r#type: Option<String>,
    #[schema(example = "Your booking", max_length = 60, nullable = false)]
    text: Option<String>,
    #[schema(nullable = false)]
    media: Option<MessageHeaderMedia>,
}

#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct MessageHeaderMedia {
    /// The URL from which the network fetches the file.
    #[schema(example = "https://example.com/plan.pdf", nullable = false)]
    url: Option<String>,
    /// A document's name. Alias: `fileName`.
    #[serde(alias = "fileName")]
    #[schema(example = "plan.pdf", nullable = false)]
    file_name: Option<String>,
}

/// A header as a plain text or as an object.
#[derive(Debug)]
pub(crate) struct HeaderInput(MessageHeaderShape);

described_as!(HeaderInput, MessageHeaderShape);

impl<'de> Deserialize<'de> for HeaderInput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnyHeader)
    }
}

struct AnyHeader;

impl<'de> Visitor<'de> for AnyHeader {
    type Value = HeaderInput;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an object")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<HeaderInput, E> {
        Ok(HeaderInput(MessageHeaderShape { r#type: None, text: Some(text.to_owned()), media: None }))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<HeaderInput, A::Error> {
        MessageHeaderShape::deserialize(MapAccessDeserializer::new(map)).map(HeaderInput)
    }
}

impl HeaderInput {
    /// None for an empty header.
    fn into_header(self, names: &Names) -> app::Result<Option<MessageHeader>> {
        let MessageHeaderShape { r#type, text, media } = self.0;
        let (text, kind) = (non_empty(text), non_empty(r#type).map(|kind| kind.trim().to_lowercase()));
        let link = |media: Option<MessageHeaderMedia>| {
            let MessageHeaderMedia { url, file_name } =
                media.unwrap_or(MessageHeaderMedia { url: None, file_name: None });
            (url.unwrap_or_default(), non_empty(file_name))
        };
        match kind.as_deref() {
            None | Some("text" | "none") => Ok(text.map(MessageHeader::Text)),
            Some("image") => Ok(Some(MessageHeader::Image(link(media).0))),
            Some("video") => Ok(Some(MessageHeader::Video(link(media).0))),
            Some("document") => {
                let (link, name) = link(media);
                Ok(Some(MessageHeader::Document { link, name }))
            }
            Some(_) => {
                let place = Field::Header.member(Field::Type);
                Err(names.error(place, "expected text, image, video or document"))
            }
        }
    }
}

fn plain_text(text: Option<FlexibleText>) -> Option<String> {
    text.and_then(FlexibleText::into_text)
}

/// How an operation names the parts of an interactive message.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    /// The member that holds the message; empty if the body is the message.
    pub within: &'static str,
    pub spelling: Spelling<'static>,
}

impl Names {
    pub const FLAT: Self = Self { within: "", spelling: Spelling(&[(Field::Link, "media.url")]) };
    /// For messages whose header is a text.
    pub const LIST: Self = Self { spelling: Spelling(&[(Field::Link, "media.url"), (Field::Text, "")]), ..Self::FLAT };

    fn error(&self, place: Place, message: &str) -> app::Error {
        let place = self.spelling.place(place);
        let place = if self.within.is_empty() { place } else { place.within(Place::named(self.within)) };
        app::Error::invalid(place, message)
    }
}

/// Checks the message against the network's limits.
pub(crate) fn check(message: InteractiveMessage, names: &Names) -> app::Result<InteractiveMessage> {
    message.check().map_err(|problem| names.error(problem.place, &problem.message))?;
    Ok(message)
}

pub(crate) fn header(header: Option<HeaderInput>, names: &Names) -> app::Result<Option<MessageHeader>> {
    header.map_or(Ok(None), |header| header.into_header(names))
}

impl ButtonMessage {
    pub fn into_message(self, names: &Names) -> app::Result<InteractiveMessage> {
        let choice = |(place, button): (usize, MessageButton)| Choice {
            id: non_empty(button.id).unwrap_or_else(|| (place + 1).to_string()),
            title: button.text.unwrap_or_default().trim().to_owned(),
        };
        let action = InteractiveAction::Buttons(self.buttons.into_iter().enumerate().map(choice).collect());
        let header = header(self.header, names)?;
        check(
            InteractiveMessage { header, body: plain_text(self.body), footer: plain_text(self.footer), action },
            names,
        )
    }
}

impl ListMessage {
    pub fn into_message(self, names: &Names) -> app::Result<InteractiveMessage> {
        let mut number = 0;
        let mut row = |row: ListMessageRow| row.into_row(&mut number);
        let mut section = |section: ListMessageSection| Section {
            title: non_empty(section.title),
            rows: section.rows.into_iter().map(&mut row).collect(),
        };
        let sections = self.sections.into_iter().map(&mut section).collect();
        let action =
            InteractiveAction::List { button: self.button_text.unwrap_or_default().trim().to_owned(), sections };
        let header = header(self.header, names)?;
        check(
            InteractiveMessage { header, body: plain_text(self.body), footer: plain_text(self.footer), action },
            names,
        )
    }
}

impl ListMessageRow {
    /// Row numbers count through all sections.
    pub fn into_row(self, number: &mut u32) -> Row {
        *number += 1;
        Row {
            id: non_empty(self.id).unwrap_or_else(|| number.to_string()),
            title: self.title.unwrap_or_default().trim().to_owned(),
            description: non_empty(self.description),
        }
    }
}

impl ProductItem {
    pub fn into_id(self) -> String {
        self.product_retailer_id.unwrap_or_default()
    }
}

impl ProductMessage {
    pub fn into_message(self, names: &Names) -> app::Result<InteractiveMessage> {
        let action = InteractiveAction::Product {
            catalog: self.catalog_id.unwrap_or_default(),
            product: self.product_retailer_id.unwrap_or_default(),
        };
        check(
            InteractiveMessage { header: None, body: plain_text(self.body), footer: plain_text(self.footer), action },
            names,
        )
    }
}

impl ProductListMessage {
    pub fn into_message(self, names: &Names) -> app::Result<InteractiveMessage> {
        let section = |section: ProductSectionInput| ProductGroup {
            title: section.title.unwrap_or_default(),
            products: section.product_items.into_iter().map(ProductItem::into_id).collect(),
        };
        let sections = self.sections.into_iter().map(section).collect();
        let action = InteractiveAction::Products { catalog: self.catalog_id.unwrap_or_default(), sections };
        let header = header(self.header, names)?;
        check(
            InteractiveMessage { header, body: plain_text(self.body), footer: plain_text(self.footer), action },
            names,
        )
    }
}
