//! The parts of a template, in camelCase.

crate::shared::messaging::templates::shapes! {
    "camelCase", TemplateHeaderV1, TemplateParamMappingV1, TemplateButtonV1, TemplateButtonParameterV1, TemplateCardV1,
    LimitedTimeOfferV1
}
