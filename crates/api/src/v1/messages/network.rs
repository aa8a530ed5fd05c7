//! Something to tap as the network writes it: `{type, header, body, footer, action}`. Reads only.

use domain::messages::interactive::{Action, Choice, Header, Interactive, Names, Section, Shelf};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::messages::interactive::{ProductInput, RowInput, checked};
use crate::messages::words::{Words, some};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NetworkInteractive)]
pub(crate) struct InteractiveInput {
    /// `button`, `list`, `cta_url`, `product` or `product_list`.
    #[schema(value_type = String, example = "button")]
    r#type: Option<String>,
    header: Option<HeaderInput>,
    /// `{"text": "…"}`, or the text alone; `text` of the message when absent.
    #[schema(value_type = Option<String>)]
    body: Option<Words>,
    #[schema(value_type = Option<String>)]
    footer: Option<Words>,
    #[serde(default)]
    action: ActionInput,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NetworkHeader)]
pub(crate) struct HeaderInput {
    /// `text`, `image`, `video` or `document`.
    r#type: Option<String>,
    text: Option<String>,
    image: Option<FileInput>,
    video: Option<FileInput>,
    document: Option<FileInput>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = NetworkFile)]
pub(crate) struct FileInput {
    #[serde(alias = "url")]
    link: Option<String>,
    #[serde(alias = "fileName")]
    filename: Option<String>,
}

#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = NetworkAction)]
pub(crate) struct ActionInput {
    #[serde(default)]
    buttons: Vec<ButtonInput>,
    button: Option<String>,
    #[serde(default)]
    sections: Vec<SectionInput>,
    catalog_id: Option<String>,
    product_retailer_id: Option<String>,
    parameters: Option<LinkInput>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NetworkButton)]
pub(crate) struct ButtonInput {
    reply: ReplyInput,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NetworkReply)]
pub(crate) struct ReplyInput {
    /// The button's number when absent.
    id: Option<String>,
    title: Option<String>,
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NetworkSection)]
pub(crate) struct SectionInput {
    title: Option<String>,
    #[serde(default)]
    rows: Vec<RowInput>,
    #[serde(default)]
    product_items: Vec<ProductInput>,
}

/// Of `cta_url`.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = NetworkLink)]
pub(crate) struct LinkInput {
    display_text: Option<String>,
    url: Option<String>,
}

const LINK: Names = Names { button: "action.parameters.display_text", ..Names::NETWORK };

impl InteractiveInput {
    pub fn into_message(self, said: Option<String>) -> app::Result<Interactive> {
        let kind = self.r#type.unwrap_or_default().trim().to_lowercase();
        let names = if kind == "cta_url" { LINK } else { Names::NETWORK };
        let action = self.action.into_action(&kind)?;
        let header = self.header.map_or(Ok(None), HeaderInput::into_header)?;
        let text = |words: Option<Words>| words.and_then(Words::into_text);
        let message = Interactive { header, body: text(self.body).or(said), footer: text(self.footer), action };
        checked(message, &names)
    }
}

impl HeaderInput {
    fn into_header(self) -> app::Result<Option<Header>> {
        let link = |file: Option<FileInput>| file.unwrap_or_default().link.unwrap_or_default();
        match some(self.r#type).map(|kind| kind.trim().to_lowercase()).as_deref() {
            None | Some("text") => Ok(some(self.text).map(Header::Text)),
            Some("image") => Ok(Some(Header::Image(link(self.image)))),
            Some("video") => Ok(Some(Header::Video(link(self.video)))),
            Some("document") => {
                let FileInput { link, filename } = self.document.unwrap_or_default();
                Ok(Some(Header::Document { link: link.unwrap_or_default(), name: some(filename) }))
            }
            Some(_) => Err(app::Error::invalid("interactive.header.type", "expected text, image, video or document")),
        }
    }
}

impl ActionInput {
    fn into_action(self, kind: &str) -> app::Result<Action> {
        Ok(match kind {
            "button" => Action::Buttons(self.buttons.into_iter().enumerate().map(choice).collect()),
            "list" => {
                let mut number = 0;
                let mut row = |row: RowInput| row.into_row(&mut number);
                let mut section = |one: SectionInput| Section {
                    title: some(one.title),
                    rows: one.rows.into_iter().map(&mut row).collect(),
                };
                let sections = self.sections.into_iter().map(&mut section).collect();
                Action::List { button: self.button.unwrap_or_default(), sections }
            }
            "cta_url" => {
                let LinkInput { display_text, url } = self.parameters.unwrap_or_default();
                Action::Link { text: display_text.unwrap_or_default(), url: url.unwrap_or_default() }
            }
            "product" => Action::Product {
                catalog: self.catalog_id.unwrap_or_default(),
                product: self.product_retailer_id.unwrap_or_default(),
            },
            "product_list" => Action::Products {
                catalog: self.catalog_id.unwrap_or_default(),
                sections: self.sections.into_iter().map(shelf).collect(),
            },
            _ => {
                let expected = "expected button, list, cta_url, product or product_list";
                return Err(app::Error::invalid("interactive.type", expected));
            }
        })
    }
}

fn choice((place, button): (usize, ButtonInput)) -> Choice {
    let ReplyInput { id, title } = button.reply;
    Choice { id: some(id).unwrap_or_else(|| (place + 1).to_string()), title: title.unwrap_or_default() }
}

fn shelf(section: SectionInput) -> Shelf {
    let products = section.product_items.into_iter().map(ProductInput::into_id).collect();
    Shelf { title: section.title.unwrap_or_default(), products }
}
