//! A business that sells tea over the sandbox, and a person who pays with any outcome.

use app::commerce::orders::{MessageForm, OrderSend, OrderStatusSend};
use domain::commerce::money::Amount;
use domain::commerce::orders::{NewContent, NewItem, NewOrder};
use domain::commerce::payments::{PaymentSource, PaymentStatus};
use domain::delivery::events::EventType;
use domain::messaging::messages::MessageSource;
use sandbox::driver::{Outcome, Paid, Pay};
use serde_json::{Value, json};
use testkit::world::OnWorld;
use testkit::{Engine, World};

use crate::orders::shop::Orders as _;
use crate::sending::world::{ADA, business};

pub const TOTAL: i64 = 21_000;
/// Seconds after which an order without a webhook is looked up for the first time.
pub const SWEEP: u64 = 15 * 60;

pub fn order(reference: &str) -> NewOrder {
    let item = NewItem {
        retailer_id: "tea".to_owned(),
        name: "Tea".to_owned(),
        amount: Some(Amount::new(TOTAL / 2)),
        sale_amount: None,
        quantity: Some(2),
    };
    NewOrder {
        reference_id: reference.to_owned(),
        goods: "digital-goods".to_owned(),
        currency: "INR".to_owned(),
        total_amount: Some(Amount::new(TOTAL)),
        order: NewContent { items: vec![item], ..NewContent::default() },
        payment_configuration: Some("shop".to_owned()),
        payment_type: Some("upi".to_owned()),
    }
}

pub fn free(body: &str) -> MessageForm {
    MessageForm::Free { header: None, body: body.to_owned(), footer: None }
}

/// A status of a payment as the network posts it.
pub fn payment_webhook(reference: &str, status: &str, second: i64) -> Value {
    json!({
        "id": "wamid.told", "type": "payment", "status": status, "timestamp": second.to_string(),
        "recipient_id": ADA,
        "payment": {
            "reference_id": reference,
            "amount": {"value": TOTAL, "offset": 100},
            "currency": "INR",
            "transaction": {"id": "order_told", "type": "razorpay", "status": "success"},
        },
    })
}

pub fn envelope(status: &Value) -> Vec<u8> {
    let body = json!({
        "object": "whatsapp_business_account",
        "entry": [{"id": "102290129340398", "changes": [{"field": "messages", "value": {
            "messaging_product": "whatsapp",
            "metadata": {"display_phone_number": "14155550100", "phone_number_id": "106540352242922"},
            "statuses": [status],
        }}]}],
    });
    body.to_string().into_bytes()
}

/// A shop with the order `tea-1`, which has reached Ada.
pub async fn tea_shop(engine: Engine) -> World {
    let shop = business(engine).await;
    shop.orders("tea-1").await;
    shop
}

pub trait Payments: OnWorld {
    async fn orders(self, reference: &str) {
        self.say(ADA, "I want tea").await;
        let send = OrderSend {
            target: ADA.to_owned(),
            channel: None,
            order: order(reference),
            form: free("Two cups of tea"),
            source: MessageSource::Api,
            local_id: None,
            dry_run: false,
            several: app::messaging::conversations::SeveralOpen::Refuse,
        };
        self.app.commerce().orders().create(&self.me(), send).await.unwrap();
        self.drain().await;
        self.later(2).await;
    }

    async fn cancels(self, reference: &str) {
        let send = OrderStatusSend {
            reference: reference.to_owned(),
            status: "canceled".to_owned(),
            description: None,
            form: free("Sorry, no tea"),
            source: MessageSource::Api,
            dry_run: false,
        };
        self.app.commerce().orders().set_status(&self.me(), send).await.unwrap();
    }

    /// Ada pays; webhooks that the network sends at once are processed.
    async fn pays(self, reference: &str, outcome: Outcome) -> Paid {
        let pay = Pay { reference_id: Some(reference.to_owned()), outcome, ..Pay::default() };
        let paid = self.sandbox().pay(self.tenant(), ADA, pay).await.unwrap();
        self.settle().await;
        paid
    }

    /// The confirmed status, and the unconfirmed one.
    async fn stands(self, reference: &str) -> (PaymentStatus, Option<PaymentStatus>) {
        let payment = self.payment(reference).await;
        (payment.status, payment.pending_confirmation)
    }

    async fn sources(self, reference: &str) -> Vec<PaymentSource> {
        self.payment(reference).await.sources
    }

    /// The conflict as the API shows it.
    async fn conflict(self, reference: &str) -> Value {
        serde_json::to_value(self.payment(reference).await.conflict).unwrap()
    }

    /// The payloads of the events of orders and payments, in order.
    async fn payment_events(self) -> Vec<Value> {
        self.payloads(&[EventType::PaymentCaptured, EventType::OrderUpdated]).await
    }

    async fn event_names(self) -> Vec<String> {
        self.payment_events().await.iter().map(|event| event["eventType"].as_str().unwrap().to_owned()).collect()
    }

    /// Posts a body to the shop's channel as the network would, and processes it.
    async fn arrives(self, body: Vec<u8>) {
        self.post_hook(body).await.unwrap();
        self.process_inbound().await;
    }
}

impl Payments for &World {}
