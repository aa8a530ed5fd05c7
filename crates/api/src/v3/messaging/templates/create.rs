//! `POST /api/ext/v3/messageTemplates`: creates a template and submits it for review.

use app::messaging::templates::TemplateCreation;
use domain::messaging::templates::{NewHeader, NewTemplate};
use domain::people::contacts::CustomParam;

use super::parts::{ButtonShape, CardShape, HeaderShape, OfferShape};
use super::shape::TemplateShape;
use crate::error::INVALID_BODY;
use crate::prelude::*;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewTemplate)]
pub(crate) struct CreateTemplateRequest {
    /// Lowercase letters, digits and `_`.
    #[schema(example = "order_update", min_length = 1, max_length = 512)]
    name: String,
    /// `MARKETING`, `UTILITY` or `AUTHENTICATION`.
    #[schema(example = "UTILITY")]
    category: String,
    #[schema(example = "en_US")]
    language: String,
    /// The id, name or phone number of the channel in whose account the template is created. Default: the default
    /// channel.
    #[schema(example = "Support")]
    channel: Option<String>,
    #[schema(example = "STANDARD")]
    sub_category: Option<String>,
    header: Option<HeaderShape>,
    /// At most 1024 characters, with variables such as `{{1}}` or `{{name}}`. For category AUTHENTICATION, the network
    /// writes the body.
    #[schema(example = "Hi {{name}}, your order {{order_id}} is on its way.")]
    body: Option<String>,
    /// At most 60 characters, without variables.
    #[schema(example = "Reply STOP to opt out")]
    footer: Option<String>,
    buttons: Option<Vec<ButtonShape>>,
    /// Derived from the buttons if omitted.
    #[schema(example = "call_to_action")]
    buttons_type: Option<String>,
    /// 2 to 10 cards below the body. A template with cards has no header, footer or buttons.
    carousel_cards: Option<Vec<CardShape>>,
    limited_time_offer: Option<OfferShape>,
    /// A sample for each variable.
    custom_params: Option<Vec<CustomParam>>,
    /// Whether the URL button leads to this server, which counts the click and redirects.
    is_url_btn_click_tracking_enabled: Option<bool>,
    /// For category AUTHENTICATION: whether the network adds a warning not to share the code.
    add_security_recommendation: Option<bool>,
    /// For category AUTHENTICATION: the number of minutes after which the code expires.
    #[schema(minimum = 1, maximum = 90)]
    code_expiration_minutes: Option<i64>,
}

/// Create a template
///
/// Before storing anything, Switchboard checks the template against the network's rules. It then uploads samples of the
/// template's files to the network and submits the template for review. The verdict arrives later as `status`.
#[described::path(
    post,
    path = "/api/ext/v3/messageTemplates",
    responses(
        (status = 200, description = "The template, under review.", body = TemplateShape),
        (status = 400, description = "Reasons: `invalid_parameter`, `invalid_body`, `url_refused`, `media_refused`, `network_refused`.", body = ErrorBody),
        (status = 404, description = "Reasons: `not_found`.", body = ErrorBody),
        (status = 409, description = "Reasons: `conflict`.", body = ErrorBody),
        (status = 503, description = "Reasons: `unavailable`, `network_unavailable`.", body = ErrorBody),
    ),
)]
pub(crate) async fn create_message_template(
    Gated(state, caller): Gated,
    Json(input): Json<CreateTemplateRequest>,
) -> ApiResult<Json<TemplateShape>> {
    let new = input.creation(&state);
    if lacks_header_type(&new) {
        return Err(ApiError::about(INVALID_BODY, HEADER_TYPE, "is required"));
    }
    Ok(Json(state.app.messaging().templates().create(&caller, new).await?.into()))
}

pub(super) const HEADER_TYPE: &str = "header.type";

pub(super) fn lacks_header_type(new: &TemplateCreation) -> bool {
    new.template.header.as_ref().is_some_and(|header| header.kind.is_empty())
}

impl CreateTemplateRequest {
    pub(super) fn creation(self, state: &ApiState) -> TemplateCreation {
        TemplateCreation {
            channel: self.channel,
            public_url: Some(state.settings.public_url.clone()),
            template: NewTemplate {
                name: self.name,
                category: self.category,
                language: self.language,
                sub_category: self.sub_category,
                header: self.header.map(NewHeader::from),
                body: self.body,
                footer: self.footer,
                buttons: self.buttons.unwrap_or_default().into_iter().map(Into::into).collect(),
                buttons_type: self.buttons_type,
                cards: self.carousel_cards.unwrap_or_default().into_iter().map(Into::into).collect(),
                offer: self.limited_time_offer.map(Into::into),
                samples: self.custom_params.unwrap_or_default(),
                click_tracking: self.is_url_btn_click_tracking_enabled.unwrap_or_default(),
                security_recommendation: self.add_security_recommendation.unwrap_or_default(),
                code_expiration_minutes: self.code_expiration_minutes,
            },
        }
    }
}
