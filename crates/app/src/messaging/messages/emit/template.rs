//! The event of a sent template: its texts with their values filled in, and the targets of its buttons.

use domain::TemplateId;
use domain::delivery::events::{SentMessage, TemplateButton, TemplateContent, TemplateSent};
use domain::messaging::messages::{Message, MessageSource};
use domain::messaging::templates::{Action, Button, Content, Filled, FilledButton, Header, Template};
use serde::Deserialize;

pub(super) fn sent(message: SentMessage, id: TemplateId, template: Option<&Template>, of: &Message) -> TemplateSent {
    let filled = template.and_then(|template| filled(template, of));
    let source = of.operator.as_ref().map_or(MessageSource::Api, |operator| operator.source);
    let header = template.and_then(|template| template.content.header.as_ref());
    TemplateSent {
        message,
        template_id: id,
        template_name: template.map(|template| template.name.clone()).unwrap_or_default(),
        created: of.created_at,
        source: source.name(),
        header_link: filled.as_ref().and_then(|filled| filled.header_link.clone()),
        header_type: header.map(|header| header.kind().to_owned()),
        content: template.map(|template| content(&template.content, filled.as_ref(), of)).unwrap_or_default(),
    }
}

/// The template's texts with the message's values. None when the template has changed since and the values no longer
/// fit.
fn filled(template: &Template, of: &Message) -> Option<Filled> {
    let params = of.params.as_ref().map_or(&[][..], |params| &params.0);
    template.fill(params).ok()
}

fn content(content: &Content, filled: Option<&Filled>, of: &Message) -> TemplateContent {
    let own_text = || match &content.header {
        Some(Header::Text { text, .. }) => Some(text.clone()),
        _ => None,
    };
    TemplateContent {
        header_text: filled.map_or_else(own_text, |filled| filled.header_text.clone()),
        footer_text: content.footer.clone(),
        buttons: buttons(content, filled, of),
    }
}

fn buttons(content: &Content, filled: Option<&Filled>, of: &Message) -> Vec<TemplateButton> {
    let codes = content.tracked_url.as_deref().map(|url| (url, TrackingCodes::from_message(of)));
    let own = content.buttons.iter().enumerate().map(|(index, button)| (None, index, button));
    let of_cards =
        content.cards.iter().enumerate().flat_map(|(card, one)| {
            one.buttons.iter().enumerate().map(move |(index, button)| (Some(card), index, button))
        });
    let shape = |(card, index, button): (Option<usize>, usize, &Button)| {
        let is_this = |one: &&FilledButton| usize::from(one.index) == index && one.card.map(usize::from) == card;
        let filled = filled.and_then(|filled| filled.buttons.iter().find(is_this));
        let target_url = filled.and_then(|button| button.url.clone());
        let tracked = codes.as_ref().and_then(|(url, codes)| Some(url.replace("{{1}}", codes.get(card, index)?)));
        let (original_url, phone_number) = match &button.action {
            Action::Url { url, .. } => (Some(url.clone()), None),
            Action::PhoneNumber { phone_number } => (None, Some(phone_number.clone())),
            _ => (None, None),
        };
        TemplateButton {
            index,
            card_index: card,
            r#type: button.action.kind().to_owned(),
            text: Some(button.text.clone()),
            url: tracked.filter(|_| original_url.is_some()).or_else(|| target_url.clone()),
            target_url,
            original_url,
            phone_number,
        }
    };
    own.chain(of_cards).map(shape).collect()
}

/// The codes of tracked links, read from the content as it was sent.
#[derive(Debug, Default)]
struct TrackingCodes(Vec<SentComponent>);

/// The members of a sent content that can hold tracking codes.
#[derive(Debug, Default, Deserialize)]
struct SentContent {
    template: SentParts,
}

#[derive(Debug, Default, Deserialize)]
struct SentParts {
    #[serde(default)]
    components: Vec<SentComponent>,
}

#[derive(Debug, Deserialize)]
struct SentComponent {
    #[serde(default)]
    index: Option<String>,
    #[serde(default)]
    parameters: Vec<SentParameter>,
    #[serde(default)]
    cards: Vec<SentParts>,
}

#[derive(Debug, Deserialize)]
struct SentParameter {
    #[serde(default)]
    text: Option<String>,
}

impl TrackingCodes {
    fn from_message(message: &Message) -> Self {
        let content = message.content.as_deref().and_then(|text| serde_json::from_str::<SentContent>(text).ok());
        Self(content.unwrap_or_default().template.components)
    }

    fn get(&self, card: Option<usize>, index: usize) -> Option<&str> {
        let components = match card {
            None => &self.0,
            Some(card) => &self.0.iter().find_map(|one| one.cards.get(card))?.components,
        };
        let index = index.to_string();
        let button = components.iter().find(|one| one.index.as_deref() == Some(&index))?;
        button.parameters.first()?.text.as_deref()
    }
}
