//! One template per kind of component and parameter: its definition, its parameters, and its text on the phone.

use channels::graph::*;
use serde_json::{Value, json};

use super::orders::{news, order};

#[derive(Debug)]
pub struct Case {
    pub name: &'static str,
    pub category: &'static str,
    pub named: bool,
    pub made: Value,
    pub given: Vec<Component>,
    pub text: &'static str,
    pub buttons: Value,
}

const SHOP: &str = "https://shop.example/c/";

/// Handles of uploaded samples.
#[derive(Debug)]
pub struct Samples {
    pub image: String,
    pub video: String,
    pub document: String,
}

/// `picture` is the id of an uploaded file for the image header.
pub fn cases(picture: &str, samples: &Samples) -> Vec<Case> {
    let mut cases = vec![named(), numbered(), carousel(samples), offer(), code(), order_status()];
    cases.extend(headers(picture, samples));
    cases.extend(buttons());
    cases
}

fn case(name: &'static str, made: Value, given: Vec<Component>) -> Case {
    Case { name, category: "MARKETING", named: false, made, given, text: "All is well", buttons: json!([]) }
}

fn body() -> Value {
    json!({"type": "BODY", "text": "All is well"})
}

fn inbox_button(kind: &str, text: &str, url: Option<&str>) -> Value {
    json!({"type": kind, "text": text, "url": url})
}

fn at(index: u8, button: Button) -> Component {
    Component::Button { index, button }
}

fn link(text: &str) -> Value {
    json!({"type": "URL", "text": text, "url": format!("{SHOP}{{{{1}}}}"), "example": [format!("{SHOP}x")]})
}

fn reply(text: &str) -> Value {
    json!({"type": "QUICK_REPLY", "text": text})
}

fn named() -> Case {
    let made = json!([
        {"type": "HEADER", "format": "TEXT", "text": "For {{name}}",
            "example": {"header_text_named_params": [{"param_name": "name", "example": "Bob"}]}},
        {"type": "BODY", "text": "Take {{share}} off, {{name}}!", "example": {"body_text_named_params": [
            {"param_name": "share", "example": "10 %"}, {"param_name": "name", "example": "Bob"}]}},
        {"type": "FOOTER", "text": "The shop"},
        {"type": "BUTTONS", "buttons": [reply("Stop"), reply("More"), link("Shop now"),
            {"type": "PHONE_NUMBER", "text": "Call us", "phone_number": "14155550100"}]},
    ]);
    let given = vec![
        Component::Header(Parameter::named("name", "Ada")),
        Component::Body(vec![Parameter::named("name", "Ada"), Parameter::named("share", "20 %")]),
        at(0, Button::QuickReply { payload: "stop".to_owned() }),
        at(1, Button::QuickReply { payload: "more".to_owned() }),
        at(2, Button::Url { text: "abc-123".to_owned() }),
    ];
    let buttons = json!([
        inbox_button("quick_reply", "Stop", None),
        inbox_button("quick_reply", "More", None),
        inbox_button("url", "Shop now", Some(&format!("{SHOP}abc-123"))),
        inbox_button("phone_number", "Call us", None),
    ]);
    let text = "For Ada\nTake 20 % off, Ada!\nThe shop";
    Case { named: true, text, buttons, ..case("with_names", made, given) }
}

fn numbered() -> Case {
    let text = "Dear {{1}}, you paid {{2}} on {{3}}. Thank you!";
    let example = json!({"body_text": [["Bob", "$1", "May 1"]]});
    let given = vec![Component::Body(vec![
        Parameter::text("Ada"),
        ParameterValue::Currency { fallback_value: "$12.50".to_owned(), code: "USD".to_owned(), amount_1000: 12_500 }
            .into(),
        ParameterValue::DateTime { fallback_value: "July 9".to_owned() }.into(),
    ])];
    let made = json!([{"type": "BODY", "text": text, "example": example}]);
    let text = "Dear Ada, you paid $12.50 on July 9. Thank you!";
    Case { category: "UTILITY", text, ..case("with_numbers", made, given) }
}

fn carousel(samples: &Samples) -> Case {
    let image = json!({"type": "HEADER", "format": "IMAGE", "example": {"header_handle": [samples.image]}});
    let card = |text: &str| {
        let body = json!({"type": "BODY", "text": text, "example": {"body_text": [["one"]]}});
        json!({"components": [image.clone(), body, {"type": "BUTTONS", "buttons": [reply("Take"), link("See")]}]})
    };
    let filled = |value: &str| CarouselCard {
        components: vec![
            Component::Header(
                ParameterValue::Image(MediaRef::Link(format!("https://shop.example/{value}.png"))).into(),
            ),
            Component::Body(vec![Parameter::text(value)]),
            at(0, Button::QuickReply { payload: format!("take-{value}") }),
            at(1, Button::Url { text: value.to_owned() }),
        ],
    };
    let made = json!([body(), {"type": "CAROUSEL", "cards": [card("First: {{1}} now"), card("Then: {{1}} later")]}]);
    let tappable = |value: &str| {
        [inbox_button("quick_reply", "Take", None), inbox_button("url", "See", Some(&format!("{SHOP}{value}")))]
    };
    let buttons = tappable("tea").into_iter().chain(tappable("cake")).collect();
    let given = vec![Component::Carousel(vec![filled("tea"), filled("cake")])];
    Case { text: "All is well\nFirst: tea now\nThen: cake later", buttons, ..case("with_cards", made, given) }
}

fn offer() -> Case {
    let made = json!([
        body(),
        {"type": "LIMITED_TIME_OFFER", "limited_time_offer": {"text": "Only today", "has_expiration": true}},
        {"type": "BUTTONS", "buttons": [{"type": "COPY_CODE", "text": "Copy code", "example": "SAVE10"}, link("Shop now")]},
    ]);
    let given = vec![
        Component::LimitedTimeOffer { expiration_time_ms: 4_000_000_000_000 },
        at(0, Button::CopyCode { coupon_code: "SAVE20".to_owned() }),
        at(1, Button::Url { text: "today".to_owned() }),
    ];
    let link = inbox_button("url", "Shop now", Some(&format!("{SHOP}today")));
    Case { buttons: json!([inbox_button("copy_code", "Copy code", None), link]), ..case("with_an_offer", made, given) }
}

/// A one-time password, whose text the network prescribes.
fn code() -> Case {
    let made = json!([
        {"type": "BODY", "text": "*{{1}}* is your verification code.", "add_security_recommendation": false},
        {"type": "BUTTONS", "buttons": [{"type": "OTP", "otp_type": "COPY_CODE", "text": "Copy code"}]},
    ]);
    let given = vec![Component::Body(vec![Parameter::text("4711")]), at(0, Button::Url { text: "4711".to_owned() })];
    let buttons = json!([inbox_button("otp", "Copy code", None)]);
    let text = "*4711* is your verification code.";
    Case { category: "AUTHENTICATION", text, buttons, ..case("with_a_code", made, given) }
}

fn order_status() -> Case {
    let given = vec![Component::OrderStatus(news("order-1", OrderState::Shipped))];
    Case { category: "UTILITY", ..case("with_order_status", json!([body()]), given) }
}

fn headers(picture: &str, samples: &Samples) -> Vec<Case> {
    let link = |name: &str| MediaRef::Link(format!("https://shop.example/{name}"));
    let document = Document { source: link("d.pdf"), caption: None, filename: Some("d.pdf".to_owned()) };
    let place =
        Location { latitude: 1.5, longitude: 2.0, name: Some("Here".to_owned()), address: Some("1 Way".to_owned()) };
    let product = ParameterValue::Product { catalog_id: "c1".to_owned(), product_retailer_id: "p1".to_owned() };
    let headers = [
        ("with_image", "IMAGE", ParameterValue::Image(MediaRef::Id(picture.to_owned()))),
        ("with_video", "VIDEO", ParameterValue::Video(link("v.mp4"))),
        ("with_document", "DOCUMENT", ParameterValue::Document(document)),
        ("with_location", "LOCATION", ParameterValue::Location(place)),
        ("with_product", "PRODUCT", product),
    ];
    let made = |(name, format, value): (&'static str, &str, ParameterValue)| {
        let mut header = json!({"type": "HEADER", "format": format});
        let sample = match format {
            "IMAGE" => Some(&samples.image),
            "VIDEO" => Some(&samples.video),
            "DOCUMENT" => Some(&samples.document),
            _ => None,
        };
        if let Some(sample) = sample {
            header["example"] = json!({"header_handle": [sample]});
        }
        case(name, json!([header, body()]), vec![Component::Header(value.into())])
    };
    headers.into_iter().map(made).collect()
}

fn buttons() -> Vec<Case> {
    let section = ProductSection { title: Some("New".to_owned()), product_retailer_ids: vec!["p1".to_owned()] };
    let several = Button::MultiProduct { thumbnail_product_retailer_id: "p1".to_owned(), sections: vec![section] };
    let catalog = Button::Catalog { thumbnail_product_retailer_id: Some("p1".to_owned()) };
    let flow = Button::Flow { token: Some("t-1".to_owned()), data: json!({"a": 1}).as_object().cloned() };
    let form =
        json!({"type": "FLOW", "text": "Go", "flow_id": "1234", "navigate_screen": "FIRST", "flow_action": "navigate"});
    let buttons = [
        ("with_flow", form, flow),
        ("with_catalog", json!({"type": "CATALOG", "text": "Go"}), catalog),
        ("with_products", json!({"type": "MPM", "text": "Go"}), several),
        (
            "with_order",
            json!({"type": "ORDER_DETAILS", "text": "Go"}),
            Button::OrderDetails(Box::new(order("order-2"))),
        ),
    ];
    let made = |(name, made, button): (&'static str, Value, Button)| {
        let shown = json!([inbox_button(button.kind(), "Go", None)]);
        let made = json!([body(), {"type": "BUTTONS", "buttons": [made]}]);
        Case { buttons: shown, ..case(name, made, vec![at(0, button)]) }
    };
    buttons.into_iter().map(made).collect()
}
