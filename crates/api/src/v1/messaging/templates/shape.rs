//! The wire shape of a template in V1 and V2.

use domain::messaging::templates::Template;
use domain::people::contacts::CustomParam;

use super::parts::{self, ButtonShape, CardShape, HeaderShape};
use crate::prelude::*;
use crate::shared::messaging::templates::{TemplateLanguage, samples};

/// A template in one language.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateV1)]
pub(crate) struct TemplateShape {
    #[schema(example = "69eb4e9a1f0c2d3e4a5b6c7d")]
    id: String,
    #[schema(example = "order_update")]
    element_name: String,
    #[schema(example = "UTILITY")]
    category: &'static str,
    #[schema(example = "STANDARD")]
    sub_category: Option<String>,
    hsm: String,
    hsm_original: String,
    #[schema(example = "APPROVED")]
    status: &'static str,
    language: TemplateLanguage,
    #[serde(rename = "type")]
    #[schema(example = "template")]
    kind: &'static str,
    header: Option<HeaderShape>,
    #[schema(example = "Hi {{name}}, your order {{order_id}} is on its way.")]
    body: String,
    /// The same as `body`.
    body_original: String,
    footer: Option<String>,
    #[schema(example = "call_to_action")]
    buttons_type: &'static str,
    buttons: Vec<ButtonShape>,
    carousel_cards: Vec<CardShape>,
    custom_params: Vec<TemplateSample>,
    #[serde(serialize_with = "domain::base::time::as_rfc3339")]
    last_modified: Timestamp,
    #[schema(example = "GREEN")]
    quality: Option<String>,
}

/// A variable and its sample value.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateSampleV1)]
pub(crate) struct TemplateSample {
    #[schema(example = "name")]
    param_name: String,
    #[schema(example = "Ada")]
    param_value: String,
}

impl From<CustomParam> for TemplateSample {
    fn from(CustomParam { name, value }: CustomParam) -> Self {
        Self { param_name: name, param_value: value }
    }
}

impl From<TemplateSample> for CustomParam {
    fn from(TemplateSample { param_name, param_value }: TemplateSample) -> Self {
        Self { name: param_name, value: param_value }
    }
}

impl From<Template> for TemplateShape {
    fn from(template: Template) -> Self {
        let language = TemplateLanguage::from(&template);
        let content = template.content;
        Self {
            id: template.id.to_string(),
            element_name: template.name,
            category: template.category.name(),
            sub_category: content.sub_category.clone(),
            hsm: content.body.clone(),
            hsm_original: content.body.clone(),
            status: template.status.name(),
            language,
            kind: "template",
            header: content.header.as_ref().map(HeaderShape::from),
            body: content.body.clone(),
            body_original: content.body.clone(),
            footer: content.footer.clone(),
            buttons_type: content.buttons_type(),
            buttons: parts::buttons(&content, &content.buttons),
            carousel_cards: parts::cards(&content),
            custom_params: samples(&content).into_iter().map(TemplateSample::from).collect(),
            last_modified: template.updated_at,
            quality: template.quality,
        }
    }
}
