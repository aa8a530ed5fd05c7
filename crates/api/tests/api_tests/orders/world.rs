//! A shop with a channel of the sandbox, a template for orders and one for their status, and people.

use sandbox::driver::{InboxMessage, Outcome, Pay};
use serde_json::{Value, json};
use store::{Statement, params};
use testkit::database::TestDb;
use testkit::network::NetworkSettings;
use testkit::world::OnWorld;
use testkit::{Engine, World};

/// The number of a person who has written, so that the window is open.
pub const ADA: &str = "14155550132";
/// The number of a person who has never written.
pub const BEN: &str = "442079460123";

pub const ORDERS: &str = "/api/ext/v3/orders";

static STORED: Statement = Statement::new(
    "test.stored",
    "SELECT (SELECT COUNT(*) FROM orders WHERE tenant_id = $1) + (SELECT COUNT(*) FROM outbox WHERE tenant_id = $1)
     + (SELECT COUNT(*) FROM messages WHERE tenant_id = $1 AND direction = 'outbound' AND event <> 'ticket')",
);

pub async fn shop(engine: Engine) -> World {
    // The sandbox posts for all tenants, so each test has a database of its own.
    let shop = World::with_network(TestDb::alone(engine).await, NetworkSettings::default()).await;
    let shop = shop.with_token(&["payment:write", "messagetemplatev3:write"]).await;
    let pay = json!([{"type": "order_details", "parameter": {"text": "Review and pay"}}]);
    shop.template("order_ready", &pay).await;
    shop.template("order_news", &json!([])).await;
    shop.later(5).await;
    shop.say(ADA, "Hello?").await;
    shop
}

pub trait Shop: OnWorld {
    async fn template(self, name: &str, buttons: &Value) {
        let new = json!({"name": name, "category": "UTILITY", "language": "en", "buttons": buttons,
            "body": "Hello {{name}}, your order is ready.", "custom_params": [{"name": "name", "value": "Ada"}]});
        self.good("/api/ext/v3/messageTemplates", &new).await;
    }

    /// Runs the sender, then returns the messages that a person has received, the newest last.
    async fn inbox(self, who: &str) -> Vec<InboxMessage> {
        self.drain().await;
        self.later(2).await;
        self.received(who).await
    }

    /// Lets a person pay the order, and the network report it.
    async fn pay(self, who: &str, reference: &str, outcome: Outcome) {
        self.inbox(who).await;
        let pay = Pay { reference_id: Some(reference.to_owned()), outcome, ..Pay::default() };
        self.sandbox().pay(self.tenant(), who, pay).await.unwrap();
        self.later(2).await;
    }

    /// Runs the payment look-ups that are due.
    async fn look_up(self) {
        self.app.commerce().payments().look_up_due(&|| false).await.unwrap();
    }

    async fn payment(self, reference: &str) -> Value {
        self.get(&format!("/api/ext/v3/payments/{reference}")).await.ok()
    }

    /// The number of orders, outbound messages and outbox rows together.
    async fn stored(self) -> i64 {
        self.test.db.row(&STORED, params![self.tenant()], store::read::<i64>).await.unwrap().unwrap()
    }
}

impl Shop for &World {}

pub fn amount(value: i64) -> Value {
    json!({"value": value, "offset": 100})
}

/// Two packets of tea, and a cup at a reduced price: 2 × 100.00 + 45.00 + 24.50 tax + 30.00 shipping − 20.00 discount.
pub fn order(reference: &str) -> Value {
    json!({
        "reference_id": reference,
        "type": "physical-goods",
        "currency": "INR",
        "total_amount": amount(27_950),
        "payment_configuration": "shop-upi",
        "payment_type": "upi",
        "order": {
            "status": "pending",
            "items": [
                {"retailer_id": "tea-250", "name": "Darjeeling, 250 g", "amount": amount(10_000), "quantity": 2},
                {"retailer_id": "cup", "name": "Cup", "amount": amount(5_000), "sale_amount": amount(4_500), "quantity": 1},
            ],
            "subtotal": amount(24_500),
            "tax": {"value": 2_450, "offset": 100, "description": "GST"},
            "shipping": {"value": 3_000, "offset": 100},
            "discount": {"value": 2_000, "offset": 100, "discount_program_name": "Regulars"},
        },
    })
}

pub fn with(mut body: Value, members: &Value) -> Value {
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    body
}

/// A V3 order to Ada, whose window is open.
pub fn to_ada(reference: &str) -> Value {
    with(order(reference), &json!({"target": ADA, "body": "Your order is ready to be paid.", "footer": "Acme"}))
}

/// A V3 order with a template.
pub fn by_template(who: &str, reference: &str) -> Value {
    let params = json!([{"name": "name", "value": "Ben"}]);
    with(
        order(reference),
        &json!({"target": who, "template_name": "order_ready", "language": "en", "custom_params": params}),
    )
}
