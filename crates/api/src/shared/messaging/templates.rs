//! Template shapes that the versions share. The parts of a template have one form in two spellings, snake_case and
//! camelCase.

use domain::messaging::templates::{Content, HEADER_LINK, Media, Template, languages};
use domain::people::contacts::CustomParam;

use crate::prelude::*;

/// A template's language, as clients display it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateLanguage {
    #[schema(example = "English (US)")]
    key: String,
    /// The language code used to send messages.
    #[schema(example = "en_US")]
    value: String,
    #[schema(example = "English (US)")]
    text: String,
}

impl From<&Template> for TemplateLanguage {
    fn from(template: &Template) -> Self {
        let name = languages::name(&template.language).to_owned();
        Self { key: name.clone(), value: template.language.clone(), text: name }
    }
}

/// The variables of a template with their samples: all required ones, and optional ones that have a sample.
pub(crate) fn samples(content: &Content) -> Vec<CustomParam> {
    let asked = content.parameters().into_iter();
    let with_sample = asked.filter(|asked| asked.required || content.sample(&asked.name).is_some());
    let sample = |name: String| CustomParam { value: content.sample(&name).unwrap_or_default().to_owned(), name };
    with_sample.map(|asked| sample(asked.name)).collect()
}

/// The URL that the network has: the tracked link if clicks are tracked, otherwise the URL with `{{1}}` for its
/// variable.
pub(crate) fn original_url(content: &Content, url: &str) -> String {
    let numbered = || url.split_once("{{").map_or_else(|| url.to_owned(), |(fixed, _)| format!("{fixed}{{{{1}}}}"));
    content.tracked_url.clone().unwrap_or_else(numbered)
}

/// For a header whose file every message gives: its variable in double braces, to be shown in place of the address.
pub(crate) fn link_variable(media: &Media) -> Option<String> {
    (!media.parameter.ends_with(HEADER_LINK)).then(|| format!("{{{{{}}}}}", media.parameter))
}

/// Declares the parts of a template in one spelling: `$case` for serde, then the schema names.
macro_rules! shapes {
    ($case:tt, $header:ident, $mapping:ident, $button:ident, $parameter:ident, $card:ident, $offer:ident) => {
        use domain::base::schema::ToSchema;
        use domain::messaging::templates::{
            Action, Button, Card, Content, Header, Media, NewButton, NewCard, NewHeader, NewOffer, Offer, text,
        };
        use serde::{Deserialize, Serialize};

        /// The header above the text.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = $case)]
        #[schema(as = $header)]
        pub(crate) struct HeaderShape {
            /// `none`, `text`, `image`, `video`, `document` or `location`, ignoring case.
            #[serde(rename = "type", default)]
            #[schema(example = "text", required = true)]
            kind: String,
            /// At most 60 characters and one variable.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = "Order {{1}}", nullable = false)]
            text: Option<String>,
            /// The file's URL, which a message may replace, or a variable such as `{{picture}}` that every message
            /// fills in.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = "https://shop.example/summer.jpg", nullable = false)]
            link: Option<String>,
            /// The sample file for the network's review: the id of a file stored on this server, a URL, or the
            /// network's handle for an upload. Default: the URL in `link`, or its variable's sample.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            media_header_id: Option<String>,
            /// A document's file name, as the phone displays it.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            media_file_name: Option<String>,
            /// The same as `text`. Absent if the header is not a text.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false, read_only)]
            header_original: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            header_param_mapping: Option<MappingShape>,
        }

        /// The name under which messages provide a variable's value.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = $case)]
        #[schema(as = $mapping)]
        pub(crate) struct MappingShape {
            /// The variable's number at the network.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = 1, nullable = false)]
            index: Option<i64>,
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = "order_id", nullable = false)]
            param_name: Option<String>,
        }

        #[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = $case)]
        #[schema(as = $button)]
        pub(crate) struct ButtonShape {
            /// `quick_reply`, `url`, `phone_number` (or `call`), `copy_code`, `flow`, `catalog`, `voice_call`,
            /// `order_details` or `otp`, ignoring case.
            #[serde(rename = "type")]
            #[schema(example = "url")]
            kind: String,
            #[serde(default)]
            parameter: ButtonParameterShape,
        }

        #[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = $case)]
        #[schema(as = $parameter)]
        pub(crate) struct ButtonParameterShape {
            /// At most 20 characters.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = "Track it", nullable = false)]
            text: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = "14155552671", nullable = false)]
            phone_number: Option<String>,
            /// An `http` or `https` URL with a fixed host and at most one variable, at the end.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = "https://shop.example/orders/{{order_id}}", nullable = false)]
            url: Option<String>,
            /// The URL registered at the network. If clicks are tracked, it leads to this server, which redirects.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false, read_only)]
            url_original: Option<String>,
            /// `static`, `dynamic` or `none`. Derived from the URL if omitted.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = "dynamic", nullable = false)]
            url_type: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            button_param_mapping: Option<MappingShape>,
            /// A code of at most 15 characters, which a message may replace, or a variable such as `{{code}}`.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(example = "SUMMER20", nullable = false)]
            copy_offer_code: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            flow_id: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            flow_name: Option<String>,
            /// `navigate` or `data_exchange`.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            flow_action: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            navigate_screen: Option<String>,
        }

        /// A carousel card. All cards have the same form.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = $case)]
        #[schema(as = $card)]
        pub(crate) struct CardShape {
            /// An image or a video.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            header: Option<HeaderShape>,
            /// At most 160 characters.
            #[serde(skip_serializing_if = "Option::is_none")]
            #[schema(nullable = false)]
            body: Option<String>,
            /// One or two buttons.
            #[serde(default)]
            buttons: Vec<ButtonShape>,
        }

        /// A limited-time offer.
        #[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
        #[serde(rename_all = $case)]
        #[schema(as = $offer)]
        pub(crate) struct OfferShape {
            /// At most 16 characters.
            #[schema(example = "Summer sale")]
            text: String,
            /// Whether messages provide the end of the offer as `expiration_time_ms`.
            #[serde(default)]
            has_expiration: bool,
        }

        impl From<HeaderShape> for NewHeader {
            fn from(header: HeaderShape) -> Self {
                Self {
                    kind: header.kind,
                    text: header.text,
                    link: header.link,
                    media_header_id: header.media_header_id,
                    file_name: header.media_file_name,
                    parameter: header.header_param_mapping.and_then(|mapping| mapping.param_name),
                }
            }
        }

        impl From<ButtonShape> for NewButton {
            fn from(ButtonShape { kind, parameter }: ButtonShape) -> Self {
                Self {
                    kind,
                    text: parameter.text,
                    phone_number: parameter.phone_number,
                    url: parameter.url,
                    url_type: parameter.url_type,
                    parameter: parameter.button_param_mapping.and_then(|mapping| mapping.param_name),
                    copy_offer_code: parameter.copy_offer_code,
                    flow_id: parameter.flow_id,
                    flow_name: parameter.flow_name,
                    flow_action: parameter.flow_action,
                    navigate_screen: parameter.navigate_screen,
                }
            }
        }

        impl From<CardShape> for NewCard {
            fn from(card: CardShape) -> Self {
                let buttons = card.buttons.into_iter().map(Into::into).collect();
                Self { header: card.header.map(Into::into), body: card.body, buttons }
            }
        }

        impl From<OfferShape> for NewOffer {
            fn from(OfferShape { text, has_expiration }: OfferShape) -> Self {
                Self { text, has_expiration }
            }
        }

        impl From<&Offer> for OfferShape {
            fn from(offer: &Offer) -> Self {
                Self { text: offer.text.clone(), has_expiration: offer.has_expiration }
            }
        }

        impl MappingShape {
            fn new(name: &str) -> Option<Self> {
                Some(Self { index: Some(1), param_name: Some(name.to_owned()) })
            }
        }

        impl From<&Header> for HeaderShape {
            fn from(header: &Header) -> Self {
                let kind = header.kind().to_owned();
                match header {
                    Header::Text { text, parameter } => Self {
                        kind,
                        text: Some(text.clone()),
                        header_original: Some(text.clone()),
                        header_param_mapping: parameter.as_deref().and_then(MappingShape::new),
                        ..Self::default()
                    },
                    Header::Media(media) => media.into(),
                    Header::Location => Self { kind, ..Self::default() },
                }
            }
        }

        impl From<&Media> for HeaderShape {
            fn from(media: &Media) -> Self {
                Self {
                    kind: media.kind.name().to_owned(),
                    link: media.link.clone().or_else(|| $crate::shared::messaging::templates::link_variable(media)),
                    media_header_id: media.handle.clone(),
                    media_file_name: media.file_name.clone(),
                    header_param_mapping: MappingShape::new(&media.parameter),
                    ..Self::default()
                }
            }
        }

        /// The buttons of a template as answers have them.
        pub(crate) fn buttons(content: &Content, buttons: &[Button]) -> Vec<ButtonShape> {
            let shown = |button: &Button| ButtonShape {
                kind: button.action.kind().to_owned(),
                parameter: ButtonParameterShape {
                    text: Some(button.text.clone()),
                    ..parameter(content, &button.action)
                },
            };
            buttons.iter().map(shown).collect()
        }

        fn parameter(content: &Content, action: &Action) -> ButtonParameterShape {
            let none = ButtonParameterShape::default();
            match action {
                Action::Url { url, parameter } => ButtonParameterShape {
                    url: Some(url.clone()),
                    url_original: Some($crate::shared::messaging::templates::original_url(content, url)),
                    url_type: Some(if text::ordered(url).is_empty() { "static" } else { "dynamic" }.to_owned()),
                    button_param_mapping: parameter.as_deref().and_then(MappingShape::new),
                    ..none
                },
                Action::PhoneNumber { phone_number } => {
                    ButtonParameterShape { phone_number: Some(phone_number.clone()), ..none }
                }
                Action::CopyCode { code, parameter } => ButtonParameterShape {
                    copy_offer_code: Some(code.clone().unwrap_or_else(|| format!("{{{{{parameter}}}}}"))),
                    ..none
                },
                Action::Flow { flow_id, flow_name, action, screen } => ButtonParameterShape {
                    flow_id: flow_id.clone(),
                    flow_name: flow_name.clone(),
                    flow_action: action.clone(),
                    navigate_screen: screen.clone(),
                    ..none
                },
                Action::QuickReply | Action::Catalog | Action::VoiceCall | Action::OrderDetails | Action::Otp => none,
            }
        }

        pub(crate) fn cards(content: &Content) -> Vec<CardShape> {
            let shown = |card: &Card| CardShape {
                header: Some((&card.header).into()),
                body: card.body.clone(),
                buttons: buttons(content, &card.buttons),
            };
            content.cards.iter().map(shown).collect()
        }
    };
}

pub(crate) use shapes;
