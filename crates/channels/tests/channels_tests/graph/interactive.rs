//! The JSON of interactive messages.

use channels::graph::*;
use serde_json::{Value, json};

use crate::graph::contents::{assert_request, id, link};

fn plain(interaction: Interaction) -> Interactive {
    Interactive { header: None, body: Some("Choose".to_owned()), footer: None, interaction }
}

#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn assert_interactive(interaction: Interaction, action: Value) {
    let kind = interaction.kind();
    let expected = json!({"type": kind, "body": {"text": "Choose"}, "action": action});
    assert_request(Content::Interactive(Box::new(plain(interaction))), expected);
}

fn button(id: &str, title: &str) -> ReplyButton {
    ReplyButton { id: id.to_owned(), title: title.to_owned() }
}

#[test]
fn buttons_with_header_and_footer() {
    let document = Document { source: id("20"), caption: None, filename: Some("menu.pdf".to_owned()) };
    let headers = [
        (Header::Text("Menu".to_owned()), json!({"type": "text", "text": "Menu"})),
        (Header::Image(id("18")), json!({"type": "image", "image": {"id": "18"}})),
        (
            Header::Video(link("https://example.com/v")),
            json!({"type": "video", "video": {"link": "https://example.com/v"}}),
        ),
        (Header::Document(document), json!({"type": "document", "document": {"id": "20", "filename": "menu.pdf"}})),
    ];
    for (header, expected) in headers {
        let interactive = Interactive {
            header: Some(header),
            body: Some("Choose".to_owned()),
            footer: Some("Thanks".to_owned()),
            interaction: Interaction::Buttons(vec![button("yes", "Yes"), button("no", "No")]),
        };
        let expected = json!({
            "type": "button", "header": expected, "body": {"text": "Choose"}, "footer": {"text": "Thanks"},
            "action": {"buttons": [
                {"type": "reply", "reply": {"id": "yes", "title": "Yes"}},
                {"type": "reply", "reply": {"id": "no", "title": "No"}},
            ]},
        });
        assert_request(Content::Interactive(Box::new(interactive)), expected);
    }
}

#[test]
fn list() {
    let row = |id: &str, description: Option<&str>| ListRow {
        id: id.to_owned(),
        title: format!("Row {id}"),
        description: description.map(str::to_owned),
    };
    let section = ListSection { title: Some("First".to_owned()), rows: vec![row("1", Some("One")), row("2", None)] };
    let list = Interaction::List { button: "Open".to_owned(), sections: vec![section] };
    let rows = json!([{"id": "1", "title": "Row 1", "description": "One"}, {"id": "2", "title": "Row 2"}]);
    assert_interactive(list, json!({"button": "Open", "sections": [{"title": "First", "rows": rows}]}));
}

#[test]
fn url() {
    let url = CtaUrl { display_text: "Open".to_owned(), url: "https://example.com".to_owned() };
    let parameters = json!({"display_text": "Open", "url": "https://example.com"});
    assert_interactive(Interaction::CtaUrl(url), json!({"name": "cta_url", "parameters": parameters}));
}

#[test]
fn flows() {
    let data = json!({"name": "Ada"}).as_object().cloned();
    let navigate = Flow {
        flow: FlowId::Id("1234".to_owned()),
        button: "Sign up".to_owned(),
        token: Some("t-1".to_owned()),
        draft: true,
        action: FlowAction::Navigate { screen: Some("FIRST".to_owned()), data },
    };
    let parameters = json!({
        "flow_message_version": "3", "flow_id": "1234", "flow_cta": "Sign up", "flow_token": "t-1", "mode": "draft",
        "flow_action": "navigate", "flow_action_payload": {"screen": "FIRST", "data": {"name": "Ada"}},
    });
    assert_interactive(Interaction::Flow(Box::new(navigate)), json!({"name": "flow", "parameters": parameters}));
    let exchange = Flow {
        flow: FlowId::Name("signup".to_owned()),
        button: "Go".to_owned(),
        token: None,
        draft: false,
        action: FlowAction::DataExchange,
    };
    let parameters = json!({
        "flow_message_version": "3", "flow_name": "signup", "flow_cta": "Go", "mode": "published",
        "flow_action": "data_exchange",
    });
    assert_interactive(Interaction::Flow(Box::new(exchange)), json!({"name": "flow", "parameters": parameters}));
}

#[test]
fn products() {
    let one = Interaction::Product { catalog_id: "c1".to_owned(), product_retailer_id: "p1".to_owned() };
    assert_interactive(one, json!({"catalog_id": "c1", "product_retailer_id": "p1"}));
    let section =
        ProductSection { title: Some("New".to_owned()), product_retailer_ids: vec!["p1".to_owned(), "p2".to_owned()] };
    let several = Interaction::ProductList { catalog_id: "c1".to_owned(), sections: vec![section] };
    let items = json!([{"product_retailer_id": "p1"}, {"product_retailer_id": "p2"}]);
    assert_interactive(several, json!({"catalog_id": "c1", "sections": [{"title": "New", "product_items": items}]}));
    let catalog = Interaction::Catalog { thumbnail_product_retailer_id: Some("p1".to_owned()) };
    let parameters = json!({"thumbnail_product_retailer_id": "p1"});
    assert_interactive(catalog, json!({"name": "catalog_message", "parameters": parameters}));
    let bare = Interaction::Catalog { thumbnail_product_retailer_id: None };
    assert_interactive(bare, json!({"name": "catalog_message"}));
}

#[test]
fn requests() {
    assert_interactive(Interaction::LocationRequest, json!({"name": "send_location"}));
    assert_interactive(Interaction::CallPermissionRequest, json!({"name": "call_permission_request"}));
}

pub fn order_details() -> (OrderDetails, Value) {
    let amount = |value| Amount { value, offset: 100 };
    let charge = |value| Charge { amount: amount(value), description: None, discount_program_name: None };
    let gateway = Gateway {
        kind: "razorpay".to_owned(),
        configuration_name: "main".to_owned(),
        extra: json!({"receipt": "r-1"}).as_object().cloned(),
    };
    let item = OrderItem {
        retailer_id: "1234".to_owned(),
        name: "Book".to_owned(),
        amount: amount(10_000),
        sale_amount: Some(amount(9_000)),
        quantity: 2,
    };
    let order = OrderContents {
        status: OrderState::Pending,
        catalog_id: Some("c1".to_owned()),
        expiration: Some(Expiration { timestamp: "1760000000".to_owned(), description: Some("Soon".to_owned()) }),
        items: vec![item],
        subtotal: amount(18_000),
        tax: Charge { description: Some("VAT".to_owned()), ..charge(1_000) },
        shipping: Some(charge(500)),
        discount: Some(Charge { discount_program_name: Some("Summer".to_owned()), ..charge(1_500) }),
    };
    let details = OrderDetails {
        reference_id: "ref-1".to_owned(),
        goods: Goods::PhysicalGoods,
        payment_type: None,
        payment_configuration: None,
        payment_settings: vec![PaymentSetting::PaymentGateway(gateway)],
        currency: "INR".to_owned(),
        total_amount: amount(18_000),
        beneficiaries: Vec::new(),
        order,
    };
    let of = |value: i64| json!({"value": value, "offset": 100});
    let gateway = json!({"type": "razorpay", "configuration_name": "main", "razorpay": {"receipt": "r-1"}});
    let expected = json!({
        "reference_id": "ref-1", "type": "physical-goods", "currency": "INR", "total_amount": of(18_000),
        "payment_settings": [{"type": "payment_gateway", "payment_gateway": gateway}],
        "order": {
            "status": "pending", "catalog_id": "c1",
            "expiration": {"timestamp": "1760000000", "description": "Soon"},
            "items": [{
                "retailer_id": "1234", "name": "Book", "amount": of(10_000), "sale_amount": of(9_000), "quantity": 2,
            }],
            "subtotal": of(18_000), "tax": {"value": 1_000, "offset": 100, "description": "VAT"}, "shipping": of(500),
            "discount": {"value": 1_500, "offset": 100, "discount_program_name": "Summer"},
        },
    });
    (details, expected)
}

#[test]
fn orders() {
    let (details, parameters) = order_details();
    let action = json!({"name": "review_and_pay", "parameters": parameters});
    assert_interactive(Interaction::OrderDetails(Box::new(details)), action);
    let status = OrderStatus {
        reference_id: "ref-1".to_owned(),
        order: OrderUpdate { status: OrderState::PartiallyShipped, description: Some("On its way".to_owned()) },
        payment: Some(PaymentUpdate { status: PaymentState::Captured, timestamp: Some(1_760_000_000) }),
    };
    let parameters = json!({
        "reference_id": "ref-1", "order": {"status": "partially_shipped", "description": "On its way"},
        "payment": {"status": "captured", "timestamp": 1_760_000_000},
    });
    assert_interactive(Interaction::OrderStatus(status), json!({"name": "review_order", "parameters": parameters}));
}

#[test]
fn ways_to_pay() {
    let pix = Pix {
        code: "0002".to_owned(),
        merchant_name: "Shop".to_owned(),
        key: "k".to_owned(),
        key_type: "CPF".to_owned(),
    };
    let table = [
        (
            PaymentSetting::UpiIntentLink { link: "upi://pay".to_owned() },
            "upi_intent_link",
            json!({"link": "upi://pay"}),
        ),
        (PaymentSetting::PaymentLink { uri: "https://pay".to_owned() }, "payment_link", json!({"uri": "https://pay"})),
        (PaymentSetting::Boleto { digitable_line: "0339".to_owned() }, "boleto", json!({"digitable_line": "0339"})),
        (
            PaymentSetting::PixDynamicCode(pix),
            "pix_dynamic_code",
            json!({"code": "0002", "merchant_name": "Shop", "key": "k", "key_type": "CPF"}),
        ),
    ];
    for (setting, kind, value) in table {
        let mut expected = json!({"type": kind});
        expected[kind] = value;
        assert_eq!(serde_json::to_value(setting).unwrap(), expected);
    }
}
