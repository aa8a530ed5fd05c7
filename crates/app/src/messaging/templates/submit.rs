//! Builds the request that submits a template for review.

use channels::graph;
use domain::messaging::templates::{Action, Button, Card, Content, Header, Media, Template, card_parameter, text};
use serde_json::{Value, json};

pub(super) fn submission(template: &Template) -> graph::NewTemplate {
    let content = &template.content;
    let numbered = content.authentication.is_some() || !content.is_named();
    graph::NewTemplate {
        name: template.name.clone(),
        language: template.language.clone(),
        category: template.category.name().to_owned(),
        parameter_format: Some(if numbered { "POSITIONAL" } else { "NAMED" }.to_owned()),
        allow_category_change: Some(true),
        components: Value::Array(components(content)),
    }
}

fn components(content: &Content) -> Vec<Value> {
    let mut all = Vec::new();
    if let Some(authentication) = &content.authentication {
        all.push(json!({"type": "BODY", "add_security_recommendation": authentication.security_recommendation}));
        let footer = |minutes| json!({"type": "FOOTER", "code_expiration_minutes": minutes});
        all.extend(authentication.code_expiration_minutes.map(footer));
    } else {
        all.extend(content.header.as_ref().map(|header| self::header(content, header)));
        all.push(body(content, &content.body, str::to_owned));
        all.extend(content.footer.as_ref().map(|footer| json!({"type": "FOOTER", "text": footer})));
    }
    all.extend(content.offer.as_ref().map(|offer| {
        let offer = json!({"text": offer.text, "has_expiration": offer.has_expiration});
        json!({"type": "LIMITED_TIME_OFFER", "limited_time_offer": offer})
    }));
    all.extend(buttons(content, &content.buttons));
    if !content.cards.is_empty() {
        let cards: Vec<Value> =
            content.cards.iter().enumerate().map(|(index, one)| card(content, index, one)).collect();
        all.push(json!({"type": "CAROUSEL", "cards": cards}));
    }
    all
}

fn header(content: &Content, header: &Header) -> Value {
    match header {
        Header::Text { text, parameter } => {
            let mut value = json!({"type": "HEADER", "format": "TEXT", "text": text});
            if let Some(parameter) = parameter {
                let variable = text::ordered(text).first().copied().unwrap_or_default().to_owned();
                let sample = content.sample(parameter).unwrap_or_default();
                value["example"] = if content.is_named() {
                    json!({"header_text_named_params": [{"param_name": variable, "example": sample}]})
                } else {
                    json!({"header_text": [sample]})
                };
            }
            value
        }
        Header::Media(media) => file(media),
        Header::Location => json!({"type": "HEADER", "format": "LOCATION"}),
    }
}

/// The component of a media header. The network requires a sample file, given by the handle of its upload
/// (`samples.rs`).
fn file(media: &Media) -> Value {
    let sample = media.handle.as_deref().unwrap_or_default();
    let format = media.kind.name().to_ascii_uppercase();
    json!({"type": "HEADER", "format": format, "example": {"header_handle": [sample]}})
}

/// The component of a body text, with sample values. `parameter` returns the parameter's name for a variable.
fn body(content: &Content, body: &str, parameter: impl Fn(&str) -> String) -> Value {
    let mut value = json!({"type": "BODY", "text": body});
    let variables = text::ordered(body);
    if variables.is_empty() {
        return value;
    }
    let sample = |variable: &str| content.sample(&parameter(variable)).unwrap_or_default().to_owned();
    value["example"] = if content.is_named() {
        let named = |variable: &&str| json!({"param_name": variable, "example": sample(variable)});
        json!({"body_text_named_params": variables.iter().map(named).collect::<Vec<_>>()})
    } else {
        json!({"body_text": [variables.iter().map(|variable| sample(variable)).collect::<Vec<_>>()]})
    };
    value
}

fn card(content: &Content, index: usize, card: &Card) -> Value {
    let mut components = vec![file(&card.header)];
    components.extend(card.body.as_deref().map(|text| body(content, text, |variable| card_parameter(index, variable))));
    components.extend(buttons(content, &card.buttons));
    json!({ "components": components })
}

fn buttons(content: &Content, buttons: &[Button]) -> Option<Value> {
    if buttons.is_empty() {
        return None;
    }
    let buttons: Vec<Value> = buttons.iter().map(|one| button(content, one)).collect();
    Some(json!({"type": "BUTTONS", "buttons": buttons}))
}

fn button(content: &Content, button: &Button) -> Value {
    let text = &button.text;
    match &button.action {
        Action::QuickReply => json!({"type": "QUICK_REPLY", "text": text}),
        Action::Url { url, parameter } => link(content, text, url, parameter.as_deref()),
        Action::PhoneNumber { phone_number } => {
            json!({"type": "PHONE_NUMBER", "text": text, "phone_number": format!("+{phone_number}")})
        }
        Action::CopyCode { code, parameter } => {
            let sample = code.as_deref().or_else(|| content.sample(parameter)).unwrap_or_default();
            json!({"type": "COPY_CODE", "example": sample})
        }
        Action::Flow { flow_id, flow_name, action, screen } => {
            let mut value = json!({"type": "FLOW", "text": text});
            let members =
                [("flow_id", flow_id), ("flow_name", flow_name), ("flow_action", action), ("navigate_screen", screen)];
            for (member, given) in members {
                if let Some(given) = given {
                    value[member] = json!(given);
                }
            }
            value
        }
        Action::Catalog => json!({"type": "CATALOG", "text": text}),
        Action::VoiceCall => json!({"type": "VOICE_CALL", "text": text}),
        Action::OrderDetails => json!({"type": "ORDER_DETAILS", "text": text}),
        Action::Otp => json!({"type": "OTP", "otp_type": "COPY_CODE", "text": text}),
    }
}

/// The component of a URL button. The network calls the variable of a URL `{{1}}`. A tracked link has one variable, its
/// code.
fn link(content: &Content, text: &str, url: &str, parameter: Option<&str>) -> Value {
    let shown = content.tracked_url.clone().unwrap_or_else(|| numbered(url));
    let mut value = json!({"type": "URL", "text": text, "url": shown});
    if content.tracked_url.is_some() {
        value["example"] = json!([shown.replace("{{1}}", "sample")]);
    } else if let Some(parameter) = parameter {
        let sample = content.sample(parameter).unwrap_or_default();
        value["example"] = json!([domain::messaging::templates::fill_url(url, sample)]);
    }
    value
}

/// The URL with its variable as `{{1}}`.
pub(crate) fn numbered(url: &str) -> String {
    url.split_once("{{").map_or_else(|| url.to_owned(), |(fixed, _)| format!("{fixed}{{{{1}}}}"))
}
