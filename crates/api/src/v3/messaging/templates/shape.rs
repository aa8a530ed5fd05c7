//! The wire shape of a template in V3.

use domain::messaging::templates::{Content, Template};
use domain::people::contacts::CustomParam;

use super::parts::{self, ButtonShape, CardShape, HeaderShape, OfferShape};
use crate::prelude::*;
use crate::shared::messaging::templates::{TemplateLanguage, samples};

/// A template in one language.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Template)]
pub(crate) struct TemplateShape {
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d", pattern = "^[0-9a-f]{24}$")]
    id: String,
    #[schema(example = "order_update")]
    name: String,
    /// `MARKETING`, `UTILITY` or `AUTHENTICATION`.
    #[schema(example = "UTILITY")]
    category: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "STANDARD", nullable = false)]
    sub_category: Option<String>,
    /// The same as `body`.
    hsm: String,
    /// The same as `body_original`.
    hsm_original: String,
    /// The template's variables, each with its sample for the review.
    custom_params: Vec<CustomParam>,
    /// `DRAFT`, `PENDING`, `APPROVED`, `REJECTED`, `PAUSED`, `DISABLED` or `DELETED`.
    #[schema(example = "APPROVED")]
    status: &'static str,
    /// Why the network rejected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "INVALID_FORMAT", nullable = false)]
    reason: Option<String>,
    language_option: TemplateLanguage,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    last_modified: Timestamp,
    #[serde(rename = "type")]
    #[schema(example = "template")]
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    header: Option<HeaderShape>,
    #[schema(example = "Hi {{name}}, your order {{order_id}} is on its way.")]
    body: String,
    /// The same as `body`.
    body_original: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "Reply STOP to opt out", nullable = false)]
    footer: Option<String>,
    buttons: Vec<ButtonShape>,
    /// `none`, `quick_reply`, `call_to_action` or `quick_reply_and_call_to_action`.
    #[schema(example = "call_to_action")]
    buttons_type: &'static str,
    carousel_cards: Vec<CardShape>,
    /// Whether the URL button leads to this server, which counts the click and redirects.
    is_url_btn_click_tracking_enabled: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    limited_time_offer: Option<OfferShape>,
    /// `GREEN`, `YELLOW`, `RED` or `UNKNOWN`: the network's rating, based on people's reactions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "GREEN", nullable = false)]
    quality: Option<String>,
    /// `API`, or `NETWORK` for a template created elsewhere.
    #[schema(example = "API")]
    creation_method: String,
}

impl From<Template> for TemplateShape {
    fn from(template: Template) -> Self {
        let language_option = TemplateLanguage::from(&template);
        let Template { content, .. } = template;
        let custom_params = samples(&content);
        let (buttons, carousel_cards) = (parts::buttons(&content, &content.buttons), parts::cards(&content));
        let buttons_type = content.buttons_type();
        let Content { header, body, footer, offer, tracked_url, sub_category, .. } = content;
        Self {
            id: template.id.to_string(),
            name: template.name,
            category: template.category.name(),
            sub_category,
            hsm: body.clone(),
            hsm_original: body.clone(),
            custom_params,
            status: template.status.name(),
            reason: template.reason,
            language_option,
            last_modified: template.updated_at,
            kind: "template",
            header: header.as_ref().map(HeaderShape::from),
            body_original: body.clone(),
            body,
            footer,
            buttons,
            buttons_type,
            carousel_cards,
            is_url_btn_click_tracking_enabled: tracked_url.is_some(),
            limited_time_offer: offer.as_ref().map(OfferShape::from),
            quality: template.quality,
            creation_method: template.origin,
        }
    }
}
