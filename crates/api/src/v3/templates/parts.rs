//! The parts of a template, in snake_case.

crate::templates::shapes! {
    "snake_case", TemplateHeader, TemplateParamMapping, TemplateButton, TemplateButtonParameter, TemplateCard,
    LimitedTimeOffer
}
