//! A template as the request has it. An empty text counts as absent: clients send both.

use super::{Category, Content};
use crate::people::contacts::CustomParam;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewTemplate {
    pub name: String,
    pub category: String,
    pub language: String,
    pub sub_category: Option<String>,
    pub header: Option<NewHeader>,
    /// For a one-time password it only names the parameter of the code: the network writes the text.
    pub body: Option<String>,
    pub footer: Option<String>,
    pub buttons: Vec<NewButton>,
    pub buttons_type: Option<String>,
    pub cards: Vec<NewCard>,
    pub offer: Option<NewOffer>,
    pub samples: Vec<CustomParam>,
    pub click_tracking: bool,
    pub security_recommendation: bool,
    pub code_expiration_minutes: Option<i64>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewHeader {
    /// `none`, `text`, `image`, `video`, `document`, `location`, in any letter case.
    pub kind: String,
    pub text: Option<String>,
    /// URL of a file, or a variable.
    pub link: Option<String>,
    pub media_header_id: Option<String>,
    pub file_name: Option<String>,
    /// The name that the request chooses for the variable's parameter.
    pub parameter: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewButton {
    pub kind: String,
    pub text: Option<String>,
    pub phone_number: Option<String>,
    pub url: Option<String>,
    pub url_type: Option<String>,
    /// The name that the request chooses for the parameter of the URL's variable.
    pub parameter: Option<String>,
    /// A code, or a variable.
    pub copy_offer_code: Option<String>,
    pub flow_id: Option<String>,
    pub flow_name: Option<String>,
    pub flow_action: Option<String>,
    pub navigate_screen: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewCard {
    pub header: Option<NewHeader>,
    pub body: Option<String>,
    pub buttons: Vec<NewButton>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewOffer {
    pub text: String,
    pub has_expiration: bool,
}

/// A template that meets the known rules of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedTemplate {
    pub name: String,
    pub language: String,
    pub category: Category,
    pub content: Content,
}

/// None for a text that is absent or blank.
pub(super) fn present(text: Option<&String>) -> Option<&str> {
    text.map(String::as_str).filter(|text| !text.trim().is_empty())
}
