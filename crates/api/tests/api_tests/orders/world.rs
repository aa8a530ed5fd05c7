//! A shop with a channel of the sandbox, a template for orders and one for their status, and people.

use std::time::Duration;

use app::Command;
use app::messages::{SendProgress, SendingAccount};
use axum::body::Body;
use sandbox::driver::{InboxMessage, Outcome, Pay, Say};
use serde_json::{Value, json};
use store::{Statement, params};
use testkit::application::{Answer, TestApp, request};
use testkit::database::TestDb;

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

pub struct Shop {
    pub app: TestApp,
    pub token: String,
}

impl Shop {
    pub async fn new(test: TestDb) -> Self {
        // The sandbox posts for all tenants, so each test has a database of its own.
        let app = TestApp::with_sandbox(TestDb::alone(test.db.engine()).await).await;
        let scopes = ["payment:write", "messagetemplatev3:write"];
        let token = app.token(app.tenant(), &scopes).await;
        let shop = Self { app, token };
        let pay = json!([{"type": "order_details", "parameter": {"text": "Review and pay"}}]);
        shop.template("order_ready", &pay).await;
        shop.template("order_news", &json!([])).await;
        shop.go_on(5).await;
        shop.say(ADA).await;
        shop
    }

    async fn template(&self, name: &str, buttons: &Value) {
        let new = json!({"name": name, "category": "UTILITY", "language": "en", "buttons": buttons,
            "body": "Hello {{name}}, your order is ready.", "custom_params": [{"name": "name", "value": "Ada"}]});
        self.good("/api/ext/v3/messageTemplates", &new).await;
    }

    pub async fn send(&self, method: &str, path: &str, body: &Value) -> Answer {
        let request = request(method, path, Some(&self.token)).header("content-type", "application/json");
        self.app.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, body).await
    }

    #[track_caller]
    fn ok(path: &str, answer: &Answer) -> Value {
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.json()
    }

    pub async fn good(&self, path: &str, body: &Value) -> Value {
        Self::ok(path, &self.post(path, body).await)
    }

    pub async fn put(&self, path: &str, body: &Value) -> Value {
        Self::ok(path, &self.send("PUT", path, body).await)
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.app.get(path, &self.token).await
    }

    pub async fn read(&self, path: &str) -> Value {
        Self::ok(path, &self.get(path).await)
    }

    pub fn v1(&self, rest: &str) -> String {
        format!("/{}/api/v1/{rest}", self.app.tenant())
    }

    /// Advances the clock and applies what the network posts meanwhile.
    pub async fn go_on(&self, seconds: u64) {
        self.app.test.clock.advance(Duration::from_secs(seconds));
        self.app.sandbox.as_ref().unwrap().post_due().await.unwrap();
        self.app.app.process_inbound(&|| false).await.unwrap();
    }

    async fn say(&self, who: &str) {
        let say = Say { text: Some("Hello?".to_owned()), ..Say::default() };
        self.app.sandbox.as_ref().unwrap().say(self.app.tenant(), who, say).await.unwrap();
        self.go_on(2).await;
    }

    /// Runs the sender, then returns the messages that a person has received, the newest last.
    pub async fn inbox(&self, who: &str) -> Vec<InboxMessage> {
        let tenant = self.app.tenant();
        let channel = self.app.app.channels().list(&Command(tenant)).await.unwrap().remove(0);
        let account = SendingAccount { tenant, account_id: channel.account_id, channels: vec![channel.id] };
        while let SendProgress::Until(at) = self.app.app.send_due(&account, &|| false).await.unwrap() {
            let micros = at.micros() - self.app.app.now().micros();
            self.app.test.clock.advance(Duration::from_micros(u64::try_from(micros).unwrap_or(0).max(1)));
        }
        self.go_on(2).await;
        self.app.sandbox.as_ref().unwrap().inbox(tenant, who, 100).await.unwrap().messages
    }

    /// Lets a person pay the order, and the network report it.
    pub async fn pay(&self, who: &str, reference: &str, outcome: Outcome) {
        self.inbox(who).await;
        let pay = Pay { reference_id: Some(reference.to_owned()), outcome, ..Pay::default() };
        self.app.sandbox.as_ref().unwrap().pay(self.app.tenant(), who, pay).await.unwrap();
        self.go_on(2).await;
    }

    /// Runs the payment look-ups that are due.
    pub async fn look_up(&self) {
        self.app.app.payments().look_up_due(&|| false).await.unwrap();
    }

    pub async fn payment(&self, reference: &str) -> Value {
        self.read(&format!("/api/ext/v3/payments/{reference}")).await
    }

    /// The number of orders, outbound messages and outbox rows together.
    pub async fn stored(&self) -> i64 {
        self.app.test.db.row(&STORED, params![self.app.tenant()], store::read::<i64>).await.unwrap().unwrap()
    }
}

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
