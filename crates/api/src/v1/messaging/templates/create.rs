//! `POST /{tenantId}/api/v1/whatsApp/templates`

use app::messaging::templates::TemplateCreation;
use domain::TemplateId;
use domain::messaging::templates::{NewButton, NewHeader, NewTemplate};

use super::failure::{TemplateFailureV1, or_template_failure};
use super::parts::{ButtonShape, CardShape, HeaderShape, OfferShape};
use super::shape::TemplateSample;
use crate::input::Scalar;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = NewTemplateV1)]
pub(crate) struct CreateTemplateRequest {
    /// `template`; has no effect. A template with cards is a carousel.
    #[serde(rename = "type")]
    #[schema(example = "template")]
    _kind: Option<String>,
    #[schema(example = "UTILITY")]
    category: String,
    #[schema(example = "STANDARD")]
    sub_category: Option<String>,
    /// Lowercase letters, digits and `_`.
    #[schema(example = "order_update")]
    element_name: String,
    #[schema(example = "en_US")]
    language: String,
    header: Option<HeaderShape>,
    #[schema(example = "Hi {{name}}, your order {{order_id}} is on its way.")]
    body: Option<String>,
    footer: Option<String>,
    #[schema(example = "call_to_action")]
    buttons_type: Option<String>,
    buttons: Option<Vec<ButtonShape>>,
    carousel_cards: Option<Vec<CardShape>>,
    limited_time_offer: Option<OfferShape>,
    /// A sample for each variable.
    custom_params: Option<Vec<TemplateSample>>,
    is_url_btn_click_tracking_enabled: Option<bool>,
    /// The number of the channel in whose account the template is created. Default: the default channel. Aliases:
    /// `channelNumber`, `channel_number`.
    #[serde(alias = "channelNumber", alias = "channel_number")]
    #[schema(value_type = Option<String>, example = "14155550100")]
    channel_phone_number: Option<Scalar>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TemplateMadeV1 {
    #[schema(example = true)]
    ok: bool,
    result: MadeTemplateV1,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MadeTemplateV1 {
    id: TemplateId,
    #[schema(example = "PENDING")]
    status: &'static str,
}

/// The result or a failure. Both have status 200.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum CreateTemplateAnswer {
    Made(TemplateMadeV1),
    Failure(TemplateFailureV1),
}

impl From<TemplateFailureV1> for CreateTemplateAnswer {
    fn from(failure: TemplateFailureV1) -> Self {
        Self::Failure(failure)
    }
}

/// Create a template
///
/// Switchboard checks the template and submits it for review. Failures return `ok: false`.
#[described::path(
    post,
    path = "/{tenantId}/api/v1/whatsApp/templates",
    tag = "templates",
    responses(
        (
            status = 200,
            description = "The template, under review, or why the request failed.",
            body = inline(CreateTemplateAnswer)
        ),
    ),
)]
pub(crate) async fn create_whatsapp_template(
    Gated(state, caller): Gated,
    Json(input): Json<CreateTemplateRequest>,
) -> ApiResult<Json<CreateTemplateAnswer>> {
    let named = input.buttons.unwrap_or_default();
    let were_named = !named.is_empty();
    let buttons: Vec<NewButton> = named.into_iter().map(NewButton::from).filter(has_code).collect();
    let buttons_type = input.buttons_type.filter(|_| !(were_named && buttons.is_empty()));
    let new = TemplateCreation {
        channel: input.channel_phone_number.map(|Scalar(text)| text),
        public_url: Some(state.settings.public_url.clone()),
        template: NewTemplate {
            name: input.element_name,
            category: input.category,
            language: input.language,
            sub_category: input.sub_category,
            header: input.header.map(NewHeader::from).filter(is_given),
            body: input.body,
            footer: input.footer,
            buttons,
            buttons_type,
            cards: input.carousel_cards.unwrap_or_default().into_iter().map(Into::into).collect(),
            offer: input.limited_time_offer.map(Into::into),
            samples: input.custom_params.unwrap_or_default().into_iter().map(Into::into).collect(),
            click_tracking: input.is_url_btn_click_tracking_enabled.unwrap_or_default(),
            ..NewTemplate::default()
        },
    };
    let made = state.app.messaging().templates().create(&caller, new).await;
    or_template_failure(made.map(|template| {
        let result = MadeTemplateV1 { id: template.id, status: template.status.name() };
        CreateTemplateAnswer::Made(TemplateMadeV1 { ok: true, result })
    }))
}

/// False for an empty header: clients of the hosted platforms send `{}` or an empty text for a template without a
/// header.
fn is_given(header: &NewHeader) -> bool {
    let is_blank = |text: &Option<String>| text.as_deref().is_none_or(|text| text.trim().is_empty());
    let kind = header.kind.trim();
    let is_text = kind.is_empty() || kind.eq_ignore_ascii_case("text");
    !(is_text && is_blank(&header.text) && is_blank(&header.link) && is_blank(&header.media_header_id))
}

/// False for a button that copies a code but has no code: clients of the hosted platforms send one for a template
/// without such a button.
fn has_code(button: &NewButton) -> bool {
    let is_blank = button.copy_offer_code.as_deref().is_none_or(|code| code.trim().is_empty());
    !(button.kind.trim().eq_ignore_ascii_case("copy_code") && is_blank)
}
