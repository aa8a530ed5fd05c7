//! Interactive messages: buttons, lists, flows, products, orders. Each kind serializes its own `action`.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::attachment::{Document, MediaRef};
use super::order::{OrderDetails, OrderStatus};
use super::tagged::serialize_tagged;

#[derive(Debug, Clone, PartialEq)]
pub struct Interactive {
    pub header: Option<Header>,
    pub body: Option<String>,
    pub footer: Option<String>,
    pub interaction: Interaction,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Header {
    Text(String),
    Image(MediaRef),
    Video(MediaRef),
    Document(Document),
}

impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Text(text) => serialize_tagged(serializer, "text", text),
            Self::Image(media) => serialize_tagged(serializer, "image", media),
            Self::Video(media) => serialize_tagged(serializer, "video", media),
            Self::Document(document) => serialize_tagged(serializer, "document", document),
        }
    }
}

/// The interactive part of the message.
#[derive(Debug, Clone, PartialEq)]
pub enum Interaction {
    Buttons(Vec<ReplyButton>),
    List { button: String, sections: Vec<ListSection> },
    CtaUrl(CtaUrl),
    Flow(Box<Flow>),
    Product { catalog_id: String, product_retailer_id: String },
    ProductList { catalog_id: String, sections: Vec<ProductSection> },
    Catalog { thumbnail_product_retailer_id: Option<String> },
    LocationRequest,
    CallPermissionRequest,
    OrderDetails(Box<OrderDetails>),
    OrderStatus(OrderStatus),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyButton {
    pub id: String,
    pub title: String,
}

impl Serialize for ReplyButton {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Reply<'a> {
            id: &'a str,
            title: &'a str,
        }
        serialize_tagged(serializer, "reply", &Reply { id: &self.id, title: &self.title })
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListSection {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    pub rows: Vec<ListRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListRow {
    pub id: String,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProductSection {
    pub title: Option<String>,
    pub product_retailer_ids: Vec<String>,
}

impl Serialize for ProductSection {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Section<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            title: Option<&'a str>,
            product_items: Vec<Item<'a>>,
        }
        #[derive(Serialize)]
        struct Item<'a> {
            product_retailer_id: &'a str,
        }
        let items = self.product_retailer_ids.iter().map(|id| Item { product_retailer_id: id });
        Section { title: self.title.as_deref(), product_items: items.collect() }.serialize(serializer)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CtaUrl {
    pub display_text: String,
    pub url: String,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flow {
    #[serde(flatten)]
    pub flow: FlowId,
    #[serde(rename = "flow_cta")]
    pub button: String,
    #[serde(rename = "flow_token", skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
    /// Opens the draft version of the flow in place of the published one.
    #[serde(rename = "mode", serialize_with = "mode")]
    pub draft: bool,
    #[serde(flatten)]
    pub action: FlowAction,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum FlowId {
    #[serde(rename = "flow_id")]
    Id(String),
    #[serde(rename = "flow_name")]
    Name(String),
}

/// What the flow does when the person taps the button.
#[derive(Debug, Clone, PartialEq)]
pub enum FlowAction {
    Navigate { screen: Option<String>, data: Option<Map<String, Value>> },
    DataExchange,
}

impl Serialize for FlowAction {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Payload<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            screen: Option<&'a str>,
            #[serde(skip_serializing_if = "Option::is_none")]
            data: Option<&'a Map<String, Value>>,
        }
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::DataExchange => map.serialize_entry("flow_action", "data_exchange")?,
            Self::Navigate { screen, data } => {
                map.serialize_entry("flow_action", "navigate")?;
                if screen.is_some() || data.is_some() {
                    let payload = Payload { screen: screen.as_deref(), data: data.as_ref() };
                    map.serialize_entry("flow_action_payload", &payload)?;
                }
            }
        }
        map.end()
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands a reference")]
fn mode<S: Serializer>(draft: &bool, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(if *draft { "draft" } else { "published" })
}

impl Interaction {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Buttons(_) => "button",
            Self::List { .. } => "list",
            Self::CtaUrl(_) => "cta_url",
            Self::Flow(_) => "flow",
            Self::Product { .. } => "product",
            Self::ProductList { .. } => "product_list",
            Self::Catalog { .. } => "catalog_message",
            Self::LocationRequest => "location_request_message",
            Self::CallPermissionRequest => "call_permission_request",
            Self::OrderDetails(_) => "order_details",
            Self::OrderStatus(_) => "order_status",
        }
    }
}

impl Serialize for Interactive {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Part<'a> {
            text: &'a str,
        }
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.interaction.kind())?;
        if let Some(header) = &self.header {
            map.serialize_entry("header", header)?;
        }
        if let Some(text) = &self.body {
            map.serialize_entry("body", &Part { text })?;
        }
        if let Some(text) = &self.footer {
            map.serialize_entry("footer", &Part { text })?;
        }
        map.serialize_entry("action", &Action(&self.interaction))?;
        map.end()
    }
}

struct Action<'a>(&'a Interaction);

impl Serialize for Action<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            Interaction::Buttons(buttons) => map.serialize_entry("buttons", buttons)?,
            Interaction::List { button, sections } => {
                map.serialize_entry("button", button)?;
                map.serialize_entry("sections", sections)?;
            }
            Interaction::Product { catalog_id, product_retailer_id } => {
                map.serialize_entry("catalog_id", catalog_id)?;
                map.serialize_entry("product_retailer_id", product_retailer_id)?;
            }
            Interaction::ProductList { catalog_id, sections } => {
                map.serialize_entry("catalog_id", catalog_id)?;
                map.serialize_entry("sections", sections)?;
            }
            named => serialize_named(&mut map, named)?,
        }
        map.end()
    }
}

/// Serializes actions that consist of a name and parameters.
fn serialize_named<M: serde::ser::SerializeMap>(map: &mut M, interaction: &Interaction) -> Result<(), M::Error> {
    let name = match interaction {
        Interaction::LocationRequest => "send_location",
        Interaction::OrderDetails(_) => "review_and_pay",
        Interaction::OrderStatus(_) => "review_order",
        other => other.kind(),
    };
    map.serialize_entry("name", name)?;
    match interaction {
        Interaction::CtaUrl(url) => map.serialize_entry("parameters", url),
        Interaction::Flow(flow) => map.serialize_entry("parameters", &Versioned { flow_message_version: "3", flow }),
        Interaction::Catalog { thumbnail_product_retailer_id: Some(id) } => {
            map.serialize_entry("parameters", &Thumbnail { thumbnail_product_retailer_id: id })
        }
        Interaction::OrderDetails(details) => map.serialize_entry("parameters", details),
        Interaction::OrderStatus(status) => map.serialize_entry("parameters", status),
        _ => Ok(()),
    }
}

#[derive(Serialize)]
struct Versioned<'a> {
    flow_message_version: &'static str,
    #[serde(flatten)]
    flow: &'a Flow,
}

#[derive(Serialize)]
struct Thumbnail<'a> {
    thumbnail_product_retailer_id: &'a str,
}
