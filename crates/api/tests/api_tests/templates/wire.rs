//! A template as the JSON that a V3 client sends.

use domain::messaging::templates::{NewButton, NewCard, NewHeader, NewTemplate};
use serde_json::{Map, Value, json};

/// A JSON object without the members that are null.
fn object(members: &[(&str, Value)]) -> Value {
    let there = members.iter().filter(|(_, value)| !value.is_null());
    Value::Object(there.map(|(name, value)| ((*name).to_owned(), value.clone())).collect::<Map<_, _>>())
}

fn mapping(name: Option<&String>) -> Value {
    name.map_or(Value::Null, |name| json!({"index": 1, "param_name": name}))
}

fn header(header: &NewHeader) -> Value {
    object(&[
        ("type", json!(header.kind)),
        ("text", json!(header.text)),
        ("link", json!(header.link)),
        ("media_header_id", json!(header.media_header_id)),
        ("media_file_name", json!(header.file_name)),
        ("header_param_mapping", mapping(header.parameter.as_ref())),
    ])
}

fn button(button: &NewButton) -> Value {
    let parameter = object(&[
        ("text", json!(button.text)),
        ("phone_number", json!(button.phone_number)),
        ("url", json!(button.url)),
        ("url_type", json!(button.url_type)),
        ("button_param_mapping", mapping(button.parameter.as_ref())),
        ("copy_offer_code", json!(button.copy_offer_code)),
        ("flow_id", json!(button.flow_id)),
        ("flow_name", json!(button.flow_name)),
        ("flow_action", json!(button.flow_action)),
        ("navigate_screen", json!(button.navigate_screen)),
    ]);
    json!({"type": button.kind, "parameter": parameter})
}

fn card(card: &NewCard) -> Value {
    let buttons: Vec<Value> = card.buttons.iter().map(button).collect();
    object(&[
        ("header", card.header.as_ref().map_or(Value::Null, header)),
        ("body", json!(card.body)),
        ("buttons", json!(buttons)),
    ])
}

pub fn template(new: &NewTemplate) -> Value {
    let samples: Vec<Value> =
        new.samples.iter().map(|sample| json!({"name": sample.name, "value": sample.value})).collect();
    let offer = new.offer.as_ref();
    let offer = offer.map(|offer| json!({"text": offer.text, "has_expiration": offer.has_expiration}));
    object(&[
        ("name", json!(new.name)),
        ("category", json!(new.category)),
        ("language", json!(new.language)),
        ("sub_category", json!(new.sub_category)),
        ("header", new.header.as_ref().map_or(Value::Null, header)),
        ("body", json!(new.body)),
        ("footer", json!(new.footer)),
        ("buttons", json!(new.buttons.iter().map(button).collect::<Vec<_>>())),
        ("buttons_type", json!(new.buttons_type)),
        ("carousel_cards", json!(new.cards.iter().map(card).collect::<Vec<_>>())),
        ("limited_time_offer", json!(offer)),
        ("custom_params", json!(samples)),
        ("is_url_btn_click_tracking_enabled", json!(new.click_tracking)),
        ("add_security_recommendation", json!(new.security_recommendation)),
        ("code_expiration_minutes", json!(new.code_expiration_minutes)),
    ])
}
