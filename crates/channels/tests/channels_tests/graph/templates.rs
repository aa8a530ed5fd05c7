//! The JSON of templates with each kind of component and parameter.

use channels::graph::*;
use serde_json::{Value, json};

use crate::graph::contents::{assert_request, id, link};
use crate::graph::interactive::order_details;

fn template(components: Vec<Component>) -> Content {
    let (name, language) = ("summer_sale".to_owned(), "en_US".to_owned());
    Content::Template(Box::new(Template { name, language, components }))
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn assert_template(component: Component, expected: Value) {
    let language = json!({"policy": "deterministic", "code": "en_US"});
    let expected = json!({"name": "summer_sale", "language": language, "components": [expected]});
    assert_request(template(vec![component]), expected);
}

#[test]
fn without_components() {
    let language = json!({"policy": "deterministic", "code": "en_US"});
    assert_request(template(Vec::new()), json!({"name": "summer_sale", "language": language}));
}

#[test]
fn headers() {
    let location = Location { latitude: 1.5, longitude: 2.0, name: Some("Here".to_owned()), address: None };
    let document =
        Document { source: link("https://example.com/d"), caption: None, filename: Some("d.pdf".to_owned()) };
    let product = ParameterValue::Product { catalog_id: "c1".to_owned(), product_retailer_id: "p1".to_owned() };
    let table = [
        (ParameterValue::Text("Ada".to_owned()), json!({"type": "text", "text": "Ada"})),
        (ParameterValue::Image(id("17")), json!({"type": "image", "image": {"id": "17"}})),
        (ParameterValue::Video(id("18")), json!({"type": "video", "video": {"id": "18"}})),
        (
            ParameterValue::Document(document),
            json!({"type": "document", "document": {"link": "https://example.com/d", "filename": "d.pdf"}}),
        ),
        (
            ParameterValue::Location(location),
            json!({"type": "location", "location": {"latitude": "1.5", "longitude": "2", "name": "Here"}}),
        ),
        (product, json!({"type": "product", "product": {"catalog_id": "c1", "product_retailer_id": "p1"}})),
    ];
    for (value, expected) in table {
        assert_template(Component::Header(value.into()), json!({"type": "header", "parameters": [expected]}));
    }
}

#[test]
fn bodies() {
    let currency =
        ParameterValue::Currency { fallback_value: "$1".to_owned(), code: "USD".to_owned(), amount_1000: 1_000 };
    let parameters = vec![
        Parameter::text("Ada"),
        Parameter::named("first_name", "Bob"),
        currency.into(),
        ParameterValue::DateTime { fallback_value: "May 1".to_owned() }.into(),
    ];
    let expected = json!({"type": "body", "parameters": [
        {"type": "text", "text": "Ada"}, {"type": "text", "parameter_name": "first_name", "text": "Bob"},
        {"type": "currency", "currency": {"fallback_value": "$1", "code": "USD", "amount_1000": 1_000}},
        {"type": "date_time", "date_time": {"fallback_value": "May 1"}},
    ]});
    assert_template(Component::Body(parameters), expected);
}

#[test]
fn buttons() {
    let section = ProductSection { title: Some("New".to_owned()), product_retailer_ids: vec!["p1".to_owned()] };
    let (details, order) = order_details();
    let data = json!({"a": 1}).as_object().cloned();
    let thumbnail = Some("p1".to_owned());
    let table = [
        (Button::QuickReply { payload: "yes".to_owned() }, "quick_reply", json!({"type": "payload", "payload": "yes"})),
        (Button::Url { text: "x/1".to_owned() }, "url", json!({"type": "text", "text": "x/1"})),
        (
            Button::CopyCode { coupon_code: "SAVE".to_owned() },
            "copy_code",
            json!({"type": "coupon_code", "coupon_code": "SAVE"}),
        ),
        (
            Button::Flow { token: Some("t".to_owned()), data },
            "flow",
            json!({"type": "action", "action": {"flow_token": "t", "flow_action_data": {"a": 1}}}),
        ),
        (
            Button::Catalog { thumbnail_product_retailer_id: thumbnail },
            "catalog",
            json!({"type": "action", "action": {"thumbnail_product_retailer_id": "p1"}}),
        ),
        (
            Button::MultiProduct { thumbnail_product_retailer_id: "p1".to_owned(), sections: vec![section] },
            "mpm",
            json!({"type": "action", "action": {
                "thumbnail_product_retailer_id": "p1",
                "sections": [{"title": "New", "product_items": [{"product_retailer_id": "p1"}]}],
            }}),
        ),
        (
            Button::OrderDetails(Box::new(details)),
            "order_details",
            json!({"type": "action", "action": {"order_details": order}}),
        ),
    ];
    for (button, kind, parameter) in table {
        let expected = json!({"type": "button", "sub_type": kind, "index": "3", "parameters": [parameter]});
        assert_template(Component::Button { index: 3, button }, expected);
    }
}

#[test]
fn carousel() {
    let card = |media: &str| CarouselCard {
        components: vec![
            Component::Header(ParameterValue::Image(id(media)).into()),
            Component::Button { index: 0, button: Button::Url { text: media.to_owned() } },
        ],
    };
    let expected = |index: usize, media: &str| {
        json!({"card_index": index, "components": [
            {"type": "header", "parameters": [{"type": "image", "image": {"id": media}}]},
            {"type": "button", "sub_type": "url", "index": "0", "parameters": [{"type": "text", "text": media}]},
        ]})
    };
    let carousel = Component::Carousel(vec![card("17"), card("18")]);
    assert_template(carousel, json!({"type": "carousel", "cards": [expected(0, "17"), expected(1, "18")]}));
}

#[test]
fn offers_and_orders() {
    let offer =
        json!({"type": "limited_time_offer", "limited_time_offer": {"expiration_time_ms": 1_760_000_000_000_i64}});
    let expected = json!({"type": "limited_time_offer", "parameters": [offer]});
    assert_template(Component::LimitedTimeOffer { expiration_time_ms: 1_760_000_000_000 }, expected);
    let status = OrderStatus {
        reference_id: "ref-1".to_owned(),
        order: OrderUpdate { status: OrderState::Shipped, description: None },
        payment: None,
    };
    let parameter =
        json!({"type": "order_status", "order_status": {"reference_id": "ref-1", "order": {"status": "shipped"}}});
    assert_template(Component::OrderStatus(status), json!({"type": "order_status", "parameters": [parameter]}));
}
