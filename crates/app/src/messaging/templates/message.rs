//! A template message: selects the template and builds the content for the network.

use channels::graph::{self, Component, Parameter, ParameterValue};
use domain::messaging::templates::{ButtonValue, Filled, FilledHeader, FilledPart, FilledValue, MediaKind, Template};
use domain::{TemplateId, TenantId};
use store::Tx;

use crate::Result;

/// Finds a template of an account by id or name. With a language, only a template in that language; the newest approved
/// one, or else the newest.
pub(crate) async fn find_to_send(
    tx: &mut Tx<'_>,
    tenant: TenantId,
    account_id: &str,
    name: &str,
    language: Option<&str>,
) -> Result<Option<Template>> {
    if let Ok(id) = name.parse::<TemplateId>() {
        let found = store::messaging::templates::by_id(tx, tenant, id).await?;
        let fits = |one: &Template| {
            one.account_id == account_id
                && one.deleted_at.is_none()
                && language.is_none_or(|language| language == one.language)
        };
        if found.as_ref().is_some_and(fits) {
            return Ok(found);
        }
    }
    let mut all = store::messaging::templates::by_name(tx, tenant, account_id, name).await?;
    if let Some(language) = language {
        all.retain(|one| one.language == language);
    }
    let index = all.iter().position(Template::is_usable).unwrap_or(0);
    Ok(if all.is_empty() { None } else { Some(all.swap_remove(index)) })
}

/// Builds the content of a template message. `tracked` makes the click code of a button, from the index of the button
/// and of its card.
pub(crate) fn message_content(
    template: &Template,
    filled: &Filled,
    tracked: impl Fn(u8, Option<u8>) -> String,
) -> graph::Content {
    let is_tracked = template.content.tracked_url.is_some();
    let code = |button: u8, card: Option<u8>| is_tracked.then(|| tracked(button, card));
    let mut components = components(&filled.part, |button| code(button, None));
    if let Some(expiration_time_ms) = filled.expiration_ms {
        components.push(Component::LimitedTimeOffer { expiration_time_ms });
    }
    if !filled.cards.is_empty() {
        let card = |(index, part)| graph::CarouselCard {
            components: self::components(part, |button| code(button, Some(index))),
        };
        components.push(Component::Carousel((0_u8..).zip(&filled.cards).map(card).collect()));
    }
    let (name, language) = (template.name.clone(), template.language.clone());
    graph::Content::Template(Box::new(graph::Template { name, language, components }))
}

fn components(part: &FilledPart, code: impl Fn(u8) -> Option<String>) -> Vec<Component> {
    let mut components = Vec::new();
    components.extend(part.header.as_ref().map(|header| Component::Header(parameter(header))));
    if !part.body.is_empty() {
        components.push(Component::Body(part.body.iter().map(text).collect()));
    }
    for (index, value) in &part.buttons {
        components.extend(button(value, || code(*index)).map(|button| Component::Button { index: *index, button }));
    }
    components
}

fn text(given: &FilledValue) -> Parameter {
    Parameter { name: given.name.clone(), value: ParameterValue::Text(given.value.clone()) }
}

fn parameter(header: &FilledHeader) -> Parameter {
    match header {
        FilledHeader::Text(given) => text(given),
        FilledHeader::Media { kind, link, file_name } => {
            let source = graph::MediaRef::Link(link.clone());
            Parameter::from(match kind {
                MediaKind::Image => ParameterValue::Image(source),
                MediaKind::Video => ParameterValue::Video(source),
                MediaKind::Document => {
                    ParameterValue::Document(graph::Document { source, caption: None, filename: file_name.clone() })
                }
            })
        }
        FilledHeader::Location(place) => Parameter::from(ParameterValue::Location(graph::Location {
            latitude: place.latitude,
            longitude: place.longitude,
            name: place.name.clone(),
            address: place.address.clone(),
        })),
    }
}

/// The component of a button; none if the button needs no value.
fn button(value: &ButtonValue, code: impl Fn() -> Option<String>) -> Option<graph::Button> {
    Some(match value {
        ButtonValue::Url(suffix) => graph::Button::Url { text: code().or_else(|| suffix.clone())? },
        ButtonValue::Otp(code) => graph::Button::Url { text: code.clone() },
        ButtonValue::Code(code) => graph::Button::CopyCode { coupon_code: code.clone() },
        ButtonValue::Flow(token) => graph::Button::Flow { token: token.clone(), data: None },
        ButtonValue::Catalog(id) => graph::Button::Catalog { thumbnail_product_retailer_id: id.clone() },
    })
}
