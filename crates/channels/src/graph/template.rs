//! A template message: the template's name and the values for its placeholders. Does not know which values a template
//! needs.

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::{Map, Value};

use super::attachment::{Document, Location, MediaRef};
use super::interactive::ProductSection;
use super::order::{OrderDetails, OrderStatus};
use super::tagged::serialize_tagged;

#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    pub name: String,
    /// `en`, `pt_BR`
    pub language: String,
    pub components: Vec<Component>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Component {
    Header(Parameter),
    Body(Vec<Parameter>),
    /// `index` is the button's position in the template.
    Button {
        index: u8,
        button: Button,
    },
    Carousel(Vec<CarouselCard>),
    LimitedTimeOffer {
        expiration_time_ms: i64,
    },
    OrderStatus(OrderStatus),
}

/// A value for a placeholder: the next numbered one, or the one with this name.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Parameter {
    #[serde(rename = "parameter_name", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(flatten)]
    pub value: ParameterValue,
}

impl Parameter {
    pub fn text(text: impl Into<String>) -> Self {
        ParameterValue::Text(text.into()).into()
    }

    pub fn named(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: Some(name.into()), value: ParameterValue::Text(text.into()) }
    }
}

impl From<ParameterValue> for Parameter {
    fn from(value: ParameterValue) -> Self {
        Self { name: None, value }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum ParameterValue {
    Text(String),
    /// `amount_1000` is the amount times a thousand.
    Currency {
        fallback_value: String,
        code: String,
        amount_1000: i64,
    },
    DateTime {
        fallback_value: String,
    },
    Image(MediaRef),
    Video(MediaRef),
    Document(Document),
    Location(Location),
    Product {
        catalog_id: String,
        product_retailer_id: String,
    },
}

#[derive(Debug, Clone, PartialEq)]
pub enum Button {
    QuickReply {
        payload: String,
    },
    /// The value for the placeholder at the end of the URL.
    Url {
        text: String,
    },
    CopyCode {
        coupon_code: String,
    },
    Flow {
        token: Option<String>,
        data: Option<Map<String, Value>>,
    },
    Catalog {
        thumbnail_product_retailer_id: Option<String>,
    },
    MultiProduct {
        thumbnail_product_retailer_id: String,
        sections: Vec<ProductSection>,
    },
    OrderDetails(Box<OrderDetails>),
}

#[derive(Debug, Clone, PartialEq)]
pub struct CarouselCard {
    pub components: Vec<Component>,
}

impl Serialize for Template {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Wire<'a> {
            name: &'a str,
            language: Language<'a>,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            components: &'a [Component],
        }
        #[derive(Serialize)]
        struct Language<'a> {
            policy: &'static str,
            code: &'a str,
        }
        let language = Language { policy: "deterministic", code: &self.language };
        Wire { name: &self.name, language, components: &self.components }.serialize(serializer)
    }
}

impl Serialize for ParameterValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Currency<'a> {
            fallback_value: &'a str,
            code: &'a str,
            amount_1000: i64,
        }
        match self {
            Self::Text(text) => serialize_tagged(serializer, "text", text),
            Self::Currency { fallback_value, code, amount_1000 } => {
                serialize_tagged(serializer, "currency", &Currency { fallback_value, code, amount_1000: *amount_1000 })
            }
            Self::DateTime { fallback_value } => {
                serialize_tagged(serializer, "date_time", &Fallback { fallback_value })
            }
            Self::Image(media) => serialize_tagged(serializer, "image", media),
            Self::Video(media) => serialize_tagged(serializer, "video", media),
            Self::Document(document) => serialize_tagged(serializer, "document", document),
            Self::Location(location) => serialize_tagged(serializer, "location", location),
            Self::Product { catalog_id, product_retailer_id } => {
                serialize_tagged(serializer, "product", &Product { catalog_id, product_retailer_id })
            }
        }
    }
}

#[derive(Serialize)]
struct Fallback<'a> {
    fallback_value: &'a str,
}

#[derive(Serialize)]
struct Product<'a> {
    catalog_id: &'a str,
    product_retailer_id: &'a str,
}

impl Serialize for Component {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Header(parameter) => {
                map.serialize_entry("type", "header")?;
                map.serialize_entry("parameters", &[parameter])?;
            }
            Self::Body(parameters) => {
                map.serialize_entry("type", "body")?;
                map.serialize_entry("parameters", parameters)?;
            }
            Self::Button { index, button } => {
                map.serialize_entry("type", "button")?;
                map.serialize_entry("sub_type", button.kind())?;
                map.serialize_entry("index", &AsText(*index))?;
                map.serialize_entry("parameters", &[Argument::from_button(button)])?;
            }
            Self::Carousel(cards) => {
                map.serialize_entry("type", "carousel")?;
                map.serialize_entry("cards", &Cards(cards))?;
            }
            Self::LimitedTimeOffer { expiration_time_ms } => {
                map.serialize_entry("type", "limited_time_offer")?;
                map.serialize_entry("parameters", &[Argument::Offer(*expiration_time_ms)])?;
            }
            Self::OrderStatus(status) => {
                map.serialize_entry("type", "order_status")?;
                map.serialize_entry("parameters", &[Argument::OrderStatus(status)])?;
            }
        }
        map.end()
    }
}

struct AsText(u8);

impl Serialize for AsText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

struct Cards<'a>(&'a [CarouselCard]);

impl<'a> Serialize for Cards<'a> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Card<'b> {
            card_index: usize,
            components: &'b [Component],
        }
        let card = |(card_index, card): (usize, &'a CarouselCard)| Card { card_index, components: &card.components };
        serializer.collect_seq(self.0.iter().enumerate().map(card))
    }
}

impl Button {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::QuickReply { .. } => "quick_reply",
            Self::Url { .. } => "url",
            Self::CopyCode { .. } => "copy_code",
            Self::Flow { .. } => "flow",
            Self::Catalog { .. } => "catalog",
            Self::MultiProduct { .. } => "mpm",
            Self::OrderDetails(_) => "order_details",
        }
    }
}

/// The single parameter of a component that takes exactly one.
enum Argument<'a> {
    Text(&'static str, &'a str),
    Action(Action<'a>),
    Offer(i64),
    OrderStatus(&'a OrderStatus),
}

#[derive(Default, Serialize)]
struct Action<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_token: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    flow_action_data: Option<&'a Map<String, Value>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    thumbnail_product_retailer_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sections: Option<&'a [ProductSection]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    order_details: Option<&'a OrderDetails>,
}

impl<'a> Argument<'a> {
    fn from_button(button: &'a Button) -> Self {
        let action = Action::default();
        match button {
            Button::QuickReply { payload } => Self::Text("payload", payload),
            Button::Url { text } => Self::Text("text", text),
            Button::CopyCode { coupon_code } => Self::Text("coupon_code", coupon_code),
            Button::Flow { token, data } => {
                Self::Action(Action { flow_token: token.as_deref(), flow_action_data: data.as_ref(), ..action })
            }
            Button::Catalog { thumbnail_product_retailer_id: id } => {
                Self::Action(Action { thumbnail_product_retailer_id: id.as_deref(), ..action })
            }
            Button::MultiProduct { thumbnail_product_retailer_id: id, sections } => {
                Self::Action(Action { thumbnail_product_retailer_id: Some(id), sections: Some(sections), ..action })
            }
            Button::OrderDetails(details) => Self::Action(Action { order_details: Some(details), ..action }),
        }
    }
}

impl Serialize for Argument<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Offer {
            expiration_time_ms: i64,
        }
        match self {
            Self::Text(kind, text) => serialize_tagged(serializer, kind, *text),
            Self::Action(action) => serialize_tagged(serializer, "action", action),
            Self::Offer(expiration_time_ms) => {
                serialize_tagged(serializer, "limited_time_offer", &Offer { expiration_time_ms: *expiration_time_ms })
            }
            Self::OrderStatus(status) => serialize_tagged(serializer, "order_status", *status),
        }
    }
}
