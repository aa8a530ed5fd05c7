//! Parses a template from the network's list. A part that this server cannot fill in is named in `Content::unknown`,
//! and such a template is not sent.

use domain::messaging::templates::{
    Action, Authentication, Button, COPY_CODE, Card, Content, HEADER_LINK, Header, Media, MediaKind, Naming, Offer,
    card_header, card_parameter, text,
};
use domain::people::contacts::CustomParam;
use serde_json::Value;

/// Parses the components of a template. Skips malformed parts, since one template must not stop the synchronization.
pub(super) fn content(components: &Value, authentication: bool) -> Content {
    let components = components.as_array().map_or(&[][..], Vec::as_slice);
    let body = component(components, "BODY");
    let mut parser = Parser {
        naming: Naming::new(text_of(body)),
        content: Content { body: text_of(body).to_owned(), ..Content::default() },
    };
    if let Some(body) = body {
        parser.samples(body, "body_text", text_of(Some(body)), str::to_owned);
    }
    for component in components {
        parser.component(component);
    }
    parser.content.authentication = authentication.then(|| Authentication {
        security_recommendation: body.is_some_and(|body| body["add_security_recommendation"] == true),
        code_expiration_minutes: component(components, "FOOTER").and_then(|it| it["code_expiration_minutes"].as_i64()),
    });
    parser.content
}

fn component<'c>(components: &'c [Value], kind: &str) -> Option<&'c Value> {
    components.iter().find(|one| word(one, "type") == kind)
}

/// The text of a member in upper case, because the network may write it in either case.
fn word(value: &Value, member: &str) -> String {
    value[member].as_str().unwrap_or_default().to_ascii_uppercase()
}

fn text_of(component: Option<&Value>) -> &str {
    component.and_then(|component| component["text"].as_str()).unwrap_or_default()
}

fn owned(value: &Value, member: &str) -> Option<String> {
    let value = &value[member];
    value.as_str().map(str::to_owned).or_else(|| value.as_u64().map(|number| number.to_string()))
}

fn list<'v>(value: &'v Value, member: &str) -> &'v [Value] {
    value[member].as_array().map_or(&[][..], Vec::as_slice)
}

struct Parser {
    naming: Naming,
    content: Content,
}

impl Parser {
    fn component(&mut self, component: &Value) {
        match word(component, "type").as_str() {
            "BODY" => {}
            "HEADER" => self.header(component),
            "FOOTER" => self.content.footer = owned(component, "text"),
            "BUTTONS" => {
                let buttons = list(component, "buttons").iter().enumerate();
                let buttons: Vec<Button> = buttons.filter_map(|(index, one)| self.button(None, index, one)).collect();
                self.content.buttons = buttons;
            }
            "LIMITED_TIME_OFFER" => {
                let offer = &component["limited_time_offer"];
                let text = owned(offer, "text").unwrap_or_default();
                self.content.offer = Some(Offer { text, has_expiration: offer["has_expiration"] == true });
            }
            "CAROUSEL" => self.cards(list(component, "cards")),
            other => self.unknown(format!("a part of type {other}")),
        }
    }

    fn unknown(&mut self, what: String) {
        self.content.unknown.get_or_insert(what);
    }

    fn header(&mut self, component: &Value) {
        let format = word(component, "format");
        self.content.header = match format.as_str() {
            "TEXT" | "" => {
                let text = text_of(Some(component)).to_owned();
                let variable = text::ordered(&text).first().copied().map(str::to_owned);
                let parameter = variable.map(|variable| self.naming.header(&variable));
                if let Some(parameter) = &parameter {
                    self.samples(component, "header_text", &text, |_| parameter.clone());
                }
                Some(Header::Text { text, parameter })
            }
            "LOCATION" => Some(Header::Location),
            _ => self.media(component, HEADER_LINK.to_owned()).map(Header::Media),
        };
    }

    fn media(&mut self, component: &Value, parameter: String) -> Option<Media> {
        let kind = match word(component, "format").as_str() {
            "IMAGE" => MediaKind::Image,
            "VIDEO" => MediaKind::Video,
            "DOCUMENT" => MediaKind::Document,
            other => {
                self.unknown(format!("a header of format {other}"));
                return None;
            }
        };
        Some(Media { kind, link: None, parameter, handle: None, file_name: None })
    }

    fn button(&mut self, card: Option<usize>, index: usize, button: &Value) -> Option<Button> {
        let kind = word(button, "type");
        let action = match kind.as_str() {
            "QUICK_REPLY" => Action::QuickReply,
            "URL" => self.url(card, index, button),
            "PHONE_NUMBER" => {
                let number = owned(button, "phone_number").unwrap_or_default();
                Action::PhoneNumber { phone_number: number.trim_start_matches('+').to_owned() }
            }
            "COPY_CODE" => Action::CopyCode { code: None, parameter: COPY_CODE.to_owned() },
            "FLOW" => Action::Flow {
                flow_id: owned(button, "flow_id"),
                flow_name: owned(button, "flow_name"),
                action: owned(button, "flow_action").map(|action| action.to_ascii_lowercase()),
                screen: owned(button, "navigate_screen"),
            },
            "CATALOG" => Action::Catalog,
            "VOICE_CALL" => Action::VoiceCall,
            "ORDER_DETAILS" => Action::OrderDetails,
            "OTP" => Action::Otp,
            other => {
                self.unknown(format!("a button of type {other}"));
                return None;
            }
        };
        Some(Button { text: owned(button, "text").unwrap_or_default(), action })
    }

    fn url(&mut self, card: Option<usize>, index: usize, button: &Value) -> Action {
        let url = owned(button, "url").unwrap_or_default();
        let variable = text::ordered(&url).first().copied().map(str::to_owned);
        let parameter = variable.map(|variable| match card {
            Some(card) => Naming::card_button(card, index, &variable),
            None => self.naming.button(index, &variable),
        });
        Action::Url { url, parameter }
    }

    fn cards(&mut self, cards: &[Value]) {
        for (index, card) in cards.iter().enumerate() {
            let components = list(card, "components");
            let header = component(components, "HEADER").and_then(|it| self.media(it, card_header(index)));
            let Some(header) = header else {
                self.unknown("a card without a picture".to_owned());
                continue;
            };
            let body = component(components, "BODY");
            if let Some(body) = body {
                self.samples(body, "body_text", text_of(Some(body)), |variable| card_parameter(index, variable));
            }
            let buttons = component(components, "BUTTONS").map_or(&[][..], |it| list(it, "buttons"));
            let buttons = buttons.iter().enumerate();
            let buttons = buttons.filter_map(|(at, one)| self.button(Some(index), at, one)).collect();
            let body = body.map(|body| text_of(Some(body)).to_owned());
            self.content.cards.push(Card { header, body, buttons });
        }
    }

    /// Collects the sample values of the review: by name, or by position in a list or in a list of lists.
    fn samples(&mut self, component: &Value, member: &str, text: &str, parameter: impl Fn(&str) -> String) {
        let example = &component["example"];
        for named in list(example, &format!("{member}_named_params")) {
            let (name, value) = (owned(named, "param_name"), owned(named, "example"));
            if let (Some(name), Some(value)) = (name, value) {
                self.sample(parameter(&name), value);
            }
        }
        let numbered = list(example, member);
        let numbered = numbered.first().and_then(Value::as_array).map_or(numbered, Vec::as_slice);
        for (variable, value) in text::ordered(text).into_iter().zip(numbered) {
            if let Some(value) = value.as_str() {
                self.sample(parameter(variable), value.to_owned());
            }
        }
    }

    fn sample(&mut self, name: String, value: String) {
        if self.content.sample(&name).is_none() {
            self.content.samples.push(CustomParam { name, value });
        }
    }
}
