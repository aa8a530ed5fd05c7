//! A business that sells tea over the sandbox, and a person who pays with any outcome.

use std::ops::Deref;

use app::orders::{MessageForm, OrderSend, OrderStatusSend};
use channels::signature;
use domain::ChannelId;
use domain::events::{EventType, EventTypes};
use domain::messages::MessageSource;
use domain::money::Amount;
use domain::orders::{NewContent, NewItem, NewOrder};
use domain::payments::{Payment, PaymentSource, PaymentStatus};
use sandbox::driver::{Outcome, Paid, Pay};
use serde_json::{Value, json};
use store::inbound::ParkedRecord;
use testkit::database::TestDb;

use crate::sending::world::{ADA, World};

pub const TOTAL: i64 = 21_000;
/// The app secret of the channel of `testkit::network::WiredApp`.
pub const APP_SECRET: &str = "simulated-app-secret";
/// Seconds after which an order without a webhook is looked up for the first time.
pub const SWEEP: u64 = 15 * 60;

#[derive(Debug)]
pub struct Shop(World);

impl Deref for Shop {
    type Target = World;

    fn deref(&self) -> &World {
        &self.0
    }
}

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

impl Shop {
    pub async fn new(test: TestDb) -> Self {
        Self(World::new(test).await)
    }

    /// A shop with one order that has reached Ada.
    pub async fn with_order(test: TestDb, reference: &str) -> Self {
        let shop = Self::new(test).await;
        shop.orders(reference).await;
        shop
    }

    pub async fn orders(&self, reference: &str) {
        self.say(ADA, "I want tea").await;
        let send = OrderSend {
            target: ADA.to_owned(),
            member: "target",
            channel: None,
            order: order(reference),
            form: free("Two cups of tea"),
            source: MessageSource::Api,
            local_id: None,
            dry_run: false,
            several: app::conversations::SeveralOpen::Refuse,
        };
        self.app().orders().create(&self.caller(), send).await.unwrap();
        self.drain().await;
        self.advance(2).await;
    }

    pub async fn cancels(&self, reference: &str) {
        let send = OrderStatusSend {
            reference: reference.to_owned(),
            status: "canceled".to_owned(),
            description: None,
            form: free("Sorry, no tea"),
            source: MessageSource::Api,
            dry_run: false,
        };
        self.app().orders().set_status(&self.caller(), send).await.unwrap();
    }

    /// Ada pays; webhooks that the network sends at once are processed.
    pub async fn pays(&self, reference: &str, outcome: Outcome) -> Paid {
        let pay = Pay { reference_id: Some(reference.to_owned()), outcome, ..Pay::default() };
        let paid = self.wired.sandbox.pay(self.wired.tenant, ADA, pay).await.unwrap();
        self.wired.settle().await;
        paid
    }

    /// Runs the look-ups that are due, as the worker does.
    pub async fn looks(&self) {
        self.app().payments().look_up_due(&|| false).await.unwrap();
    }

    pub async fn payment(&self, reference: &str) -> Payment {
        self.app().payments().find(&self.caller(), reference).await.unwrap().payment
    }

    /// The confirmed status, and the unconfirmed one.
    pub async fn stands(&self, reference: &str) -> (PaymentStatus, Option<PaymentStatus>) {
        let payment = self.payment(reference).await;
        (payment.status, payment.pending_confirmation)
    }

    pub async fn sources(&self, reference: &str) -> Vec<PaymentSource> {
        self.payment(reference).await.sources
    }

    /// The conflict as the API shows it.
    pub async fn conflict(&self, reference: &str) -> Value {
        serde_json::to_value(self.payment(reference).await.conflict).unwrap()
    }

    /// The payloads of the events of orders and payments, in order.
    pub async fn events(&self) -> Vec<Value> {
        while self.app().events().number_log(self.wired.tenant).await.unwrap() {}
        let types = EventTypes::from_iter([EventType::PaymentCaptured, EventType::OrderUpdated]);
        let page = self.app().events().pull(&self.caller(), 0, types, 1000).await.unwrap();
        page.events.iter().map(|event| serde_json::from_str(event.payload()).unwrap()).collect()
    }

    pub async fn event_names(&self) -> Vec<String> {
        self.events().await.iter().map(|event| event["eventType"].as_str().unwrap().to_owned()).collect()
    }

    /// Posts a body to the shop's channel as the network would, and processes it.
    pub async fn arrives(&self, body: Vec<u8>) {
        self.posts_to(self.wired.channel.id, body, APP_SECRET).await.unwrap();
        self.app().process_inbound(&|| false).await.unwrap();
    }

    pub async fn posts_to(&self, channel: ChannelId, body: Vec<u8>, secret: &str) -> Result<(), app::inbound::Refused> {
        let signed = signature::sign(secret.as_bytes(), &body);
        self.app().inbound().signed_post(channel, Some(&signed)).await?.accept(body).await
    }

    pub async fn parked(&self) -> Vec<ParkedRecord> {
        self.app().inbound().parked(&self.caller(), 100).await.unwrap()
    }
}
