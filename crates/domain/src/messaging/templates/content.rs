//! The stored parts of a template. Contents of templates created here passed `NewTemplate::checked`.

use serde::{Deserialize, Serialize};

use super::text;
use crate::people::contacts::CustomParam;

#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Content {
    pub header: Option<Header>,
    pub body: String,
    pub footer: Option<String>,
    pub buttons: Vec<Button>,
    pub cards: Vec<Card>,
    pub offer: Option<Offer>,
    /// Sample values of the variables for the network's review.
    pub samples: Vec<CustomParam>,
    /// URL of tracked links, with `{{1}}` for the code. It replaces the URL of every URL button at the network.
    pub tracked_url: Option<String>,
    pub sub_category: Option<String>,
    pub authentication: Option<Authentication>,
    /// A part of a template created elsewhere that this server cannot fill in.
    pub unknown: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Header {
    /// `parameter` is the parameter of its one variable.
    Text {
        text: String,
        parameter: Option<String>,
    },
    Media(Media),
    Location,
}

/// A file above the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Media {
    pub kind: MediaKind,
    /// The link that is sent when the message has none of its own.
    #[serde(default)]
    pub link: Option<String>,
    /// The parameter of a message's own link.
    pub parameter: String,
    /// The network's handle of a sample that was uploaded there.
    #[serde(default)]
    pub handle: Option<String>,
    #[serde(default)]
    pub file_name: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaKind {
    Image,
    Video,
    Document,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Button {
    pub text: String,
    #[serde(flatten)]
    pub action: Action,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Action {
    QuickReply,
    /// `parameter` is the parameter of the variable at the end of the URL.
    Url {
        url: String,
        parameter: Option<String>,
    },
    PhoneNumber {
        phone_number: String,
    },
    /// `code` is sent when the message has none of its own. Without it the message must have one.
    CopyCode {
        code: Option<String>,
        parameter: String,
    },
    Flow {
        flow_id: Option<String>,
        flow_name: Option<String>,
        action: Option<String>,
        screen: Option<String>,
    },
    Catalog,
    VoiceCall,
    /// Shows the order of the message and asks for its payment.
    OrderDetails,
    /// Copies the code of the body.
    Otp,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    pub header: Media,
    #[serde(default)]
    pub body: Option<String>,
    pub buttons: Vec<Button>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    pub text: String,
    pub has_expiration: bool,
}

/// A one-time password, whose text the network writes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Authentication {
    pub security_recommendation: bool,
    pub code_expiration_minutes: Option<i64>,
}

impl MediaKind {
    pub const fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Video => "video",
            Self::Document => "document",
        }
    }
}

impl Header {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Text { .. } => "text",
            Self::Media(media) => media.kind.name(),
            Self::Location => "location",
        }
    }
}

impl Action {
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::QuickReply => "quick_reply",
            Self::Url { .. } => "url",
            Self::PhoneNumber { .. } => "phone_number",
            Self::CopyCode { .. } => "copy_code",
            Self::Flow { .. } => "flow",
            Self::Catalog => "catalog",
            Self::VoiceCall => "voice_call",
            Self::OrderDetails => "order_details",
            Self::Otp => "otp",
        }
    }
}

impl Content {
    /// True when its variables are names, false when they are numbers.
    pub fn is_named(&self) -> bool {
        let header = match &self.header {
            Some(Header::Text { text, .. }) => text.as_str(),
            _ => "",
        };
        let cards = self.cards.iter().filter_map(|card| card.body.as_deref());
        let mut texts = [header, self.body.as_str()].into_iter().chain(cards);
        texts.any(|text| text::variables(text).unwrap_or_default().into_iter().any(|name| !text::is_number(name)))
    }

    pub fn sample(&self, name: &str) -> Option<&str> {
        self.samples.iter().find(|sample| sample.name == name).map(|sample| sample.value.as_str())
    }

    /// The type of its buttons in the words of the API.
    pub fn buttons_type(&self) -> &'static str {
        let is_reply = |button: &Button| matches!(button.action, Action::QuickReply);
        match (self.buttons.iter().any(is_reply), self.buttons.iter().all(is_reply)) {
            _ if self.buttons.is_empty() => "none",
            (_, true) => "quick_reply",
            (false, _) => "call_to_action",
            (true, false) => "quick_reply_and_call_to_action",
        }
    }
}

/// The parameter of a numbered variable of a card: every card counts from one.
pub fn card_parameter(card: usize, name: &str) -> String {
    if text::is_number(name) { format!("card_{card}_{name}") } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text_header(text: &str) -> Header {
        Header::Text { text: text.to_owned(), parameter: None }
    }

    fn media(kind: MediaKind) -> Media {
        Media { kind, link: None, parameter: "x".into(), handle: None, file_name: None }
    }

    #[test]
    fn one_name_makes_the_whole_template_named() {
        let card = |body: &str| Card { header: media(MediaKind::Image), body: Some(body.to_owned()), buttons: vec![] };
        for (header, body, cards, named) in [
            (None, "Hi {{1}}", vec![], false),
            (None, "Hi {{name}}", vec![], true),
            (Some(text_header("For {{name}}")), "Hi", vec![], true),
            (Some(text_header("For {{1}}")), "Hi", vec![], false),
            (Some(Header::Location), "Hi", vec![card("a"), card("{{name}}")], true),
            (None, "Hi", vec![card("{{1}}")], false),
        ] {
            let content = Content { header, body: body.to_owned(), cards, ..Content::default() };
            assert_eq!(content.is_named(), named, "{content:?}");
        }
    }

    #[test]
    fn headers_and_actions_go_by_their_kinds() {
        let kinds = [MediaKind::Image, MediaKind::Video, MediaKind::Document];
        assert_eq!(kinds.map(|kind| Header::Media(media(kind)).kind()), ["image", "video", "document"]);
        assert_eq!((text_header("x").kind(), Header::Location.kind()), ("text", "location"));
        let flow = Action::Flow { flow_id: None, flow_name: None, action: None, screen: None };
        for (action, kind) in [
            (Action::QuickReply, "quick_reply"),
            (Action::Url { url: String::new(), parameter: None }, "url"),
            (Action::PhoneNumber { phone_number: String::new() }, "phone_number"),
            (Action::CopyCode { code: None, parameter: String::new() }, "copy_code"),
            (flow, "flow"),
            (Action::Catalog, "catalog"),
            (Action::VoiceCall, "voice_call"),
            (Action::OrderDetails, "order_details"),
            (Action::Otp, "otp"),
        ] {
            assert_eq!(action.kind(), kind);
            let button = Button { text: "a".into(), action };
            assert_eq!(serde_json::to_value(&button).unwrap()["type"], kind, "it is stored by the same name");
        }
    }

    #[test]
    fn samples_are_found_by_name_and_numbers_of_cards_by_their_card() {
        let sample = |name: &str, value: &str| CustomParam { name: name.to_owned(), value: value.to_owned() };
        let content = Content { samples: vec![sample("a", "1"), sample("b", "2")], ..Content::default() };
        assert_eq!((content.sample("b"), content.sample("c")), (Some("2"), None));
        assert_eq!((card_parameter(2, "1"), card_parameter(2, "name")), ("card_2_1".to_owned(), "name".to_owned()));
    }
}
