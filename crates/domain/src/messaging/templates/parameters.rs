//! The parameters of a template, in the order of the text.

use super::content::{Action, Button, Card, Content, Header, Media, card_parameter};
use super::text;

/// A value that a message must or may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateParameter {
    pub name: String,
    pub required: bool,
}

/// Parameters of a header that shows a location.
pub(super) const LATITUDE: &str = "header_latitude";
pub(super) const LONGITUDE: &str = "header_longitude";
pub(super) const PLACE_NAME: &str = "header_name";
pub(super) const PLACE_ADDRESS: &str = "header_address";
pub(super) const EXPIRATION: &str = "expiration_time_ms";
pub(super) const FLOW_TOKEN: &str = "flow_token";
pub(super) const THUMBNAIL: &str = "thumbnail_product_retailer_id";

#[derive(Default)]
struct List(Vec<TemplateParameter>);

impl List {
    fn ask(&mut self, name: &str, required: bool) {
        match self.0.iter_mut().find(|asked| asked.name == name) {
            Some(known) => known.required |= required,
            None => self.0.push(TemplateParameter { name: name.to_owned(), required }),
        }
    }

    fn require(&mut self, name: &str) {
        self.ask(name, true);
    }

    fn accept(&mut self, name: &str) {
        self.ask(name, false);
    }

    fn header(&mut self, header: &Header) {
        match header {
            Header::Text { parameter, .. } => parameter.iter().for_each(|name| self.require(name)),
            Header::Media(media) => self.media(media),
            Header::Location => {
                self.require(LATITUDE);
                self.require(LONGITUDE);
                self.accept(PLACE_NAME);
                self.accept(PLACE_ADDRESS);
            }
        }
    }

    fn media(&mut self, media: &Media) {
        self.ask(&media.parameter, media.link.is_none());
    }

    fn button(&mut self, button: &Button) {
        match &button.action {
            Action::Url { parameter, .. } => parameter.iter().for_each(|name| self.require(name)),
            Action::CopyCode { code, parameter } => self.ask(parameter, code.is_none()),
            Action::Flow { .. } => self.accept(FLOW_TOKEN),
            Action::Catalog => self.accept(THUMBNAIL),
            Action::QuickReply
            | Action::PhoneNumber { .. }
            | Action::VoiceCall
            | Action::OrderDetails
            | Action::Otp => {}
        }
    }

    fn card(&mut self, index: usize, card: &Card) {
        self.media(&card.header);
        for name in text::ordered(card.body.as_deref().unwrap_or_default()) {
            self.require(&card_parameter(index, name));
        }
        card.buttons.iter().for_each(|button| self.button(button));
    }
}

impl Content {
    /// All parameters, each once.
    pub fn parameters(&self) -> Vec<TemplateParameter> {
        let mut list = List::default();
        if let Some(header) = &self.header {
            list.header(header);
        }
        for name in text::ordered(&self.body) {
            list.require(name);
        }
        if self.offer.as_ref().is_some_and(|offer| offer.has_expiration) {
            list.require(EXPIRATION);
        }
        self.buttons.iter().for_each(|button| list.button(button));
        self.cards.iter().enumerate().for_each(|(index, card)| list.card(index, card));
        list.0
    }
}
