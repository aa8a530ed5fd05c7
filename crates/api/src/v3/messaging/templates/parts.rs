//! The parts of a template, in snake_case.

crate::shared::messaging::templates::shapes! {
    "snake_case", TemplateHeader, TemplateParamMapping, TemplateButton, TemplateButtonParameter, TemplateCard,
    LimitedTimeOffer
}
