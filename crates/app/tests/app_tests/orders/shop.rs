//! A shop that sends orders over the sandbox and reads their payments.

use app::commerce::orders::{CreatedOrder, MessageForm, OrderSend, OrderStatusSend, OrderView, UpdatedOrder};
use app::{Error, Result};
use domain::MessageId;
use domain::commerce::money::Amount;
use domain::commerce::orders::{Charge, NewContent, NewItem, NewOrder};
use domain::commerce::payments::Payment;
use domain::delivery::events::EventType;
use domain::messaging::messages::{HistoryKind, HistoryRange, Message, MessageDirection, MessageSource};
use domain::messaging::templates::{NewButton, NewTemplate};
use sandbox::driver::{Outcome, Paid, Pay};
use serde_json::{Value, json};
use testkit::world::OnWorld;
use testkit::{Engine, World};

use crate::sending::world::{ADA, business, greeting};

/// A template with an order details button.
pub const BILL: &str = "your_bill";

pub fn new_order(reference: &str) -> NewOrder {
    let item = NewItem {
        retailer_id: "mug-blue".to_owned(),
        name: "Mug, blue".to_owned(),
        amount: Some(Amount::new(1000)),
        quantity: Some(2),
        ..NewItem::default()
    };
    NewOrder {
        reference_id: reference.to_owned(),
        goods: "physical-goods".to_owned(),
        currency: "INR".to_owned(),
        total_amount: Some(Amount::new(2150)),
        order: NewContent { items: vec![item], tax: Some(Charge::new(Amount::new(150))), ..NewContent::default() },
        payment_configuration: Some("main".to_owned()),
        payment_type: None,
    }
}

pub fn free() -> MessageForm {
    MessageForm::Free { header: None, body: "Please pay".to_owned(), footer: Some("Thank you".to_owned()) }
}

pub fn template(name: &str) -> MessageForm {
    MessageForm::Template { name: name.to_owned(), language: None, params: vec![("1".to_owned(), "Ada".to_owned())] }
}

pub fn order_send(reference: &str, form: MessageForm) -> OrderSend {
    OrderSend {
        target: ADA.to_owned(),
        channel: None,
        order: new_order(reference),
        form,
        source: MessageSource::Api,
        local_id: None,
        dry_run: false,
        several: app::messaging::conversations::SeveralOpen::Refuse,
    }
}

pub fn status_send(reference: &str, status: &str, form: MessageForm) -> OrderStatusSend {
    OrderStatusSend {
        reference: reference.to_owned(),
        status: status.to_owned(),
        description: None,
        form,
        source: MessageSource::Api,
        dry_run: false,
    }
}

/// The member of the request that an error names.
pub fn parameter(error: Error) -> String {
    match error {
        Error::Invalid { place, .. } | Error::Conflict { place, .. } | Error::Refused { place, .. } => {
            place.to_string()
        }
        other => panic!("{other:?}"),
    }
}

/// Ada has just written, so that her window is open.
pub async fn shop(engine: Engine) -> World {
    let world = business(engine).await;
    world.say(ADA, "I would like two mugs").await;
    world
}

/// A shop with an order that has reached Ada.
pub async fn ordered_shop(engine: Engine) -> World {
    let world = shop(engine).await;
    world.ordered("order-1").await;
    world
}

pub trait Orders: OnWorld {
    async fn bill(self) {
        let button = NewButton { kind: "order_details".to_owned(), ..NewButton::default() };
        let body = Some("Hello {{1}}, here is your bill.".to_owned());
        let template = NewTemplate { body, buttons: vec![button], ..greeting(BILL, "UTILITY") };
        self.create_template(None, template).await.unwrap();
        self.later(5).await;
    }

    async fn create_order(self, send: OrderSend) -> Result<CreatedOrder> {
        self.app.commerce().orders().create(&self.me(), send).await
    }

    /// Creates an order and lets its message reach the person.
    async fn ordered(self, reference: &str) -> CreatedOrder {
        let sent = self.create_order(order_send(reference, free())).await.unwrap();
        self.drain().await;
        self.later(3).await;
        sent
    }

    async fn set_order(self, send: OrderStatusSend) -> Result<UpdatedOrder> {
        self.app.commerce().orders().set_status(&self.me(), send).await
    }

    async fn order(self, reference: &str) -> OrderView {
        self.app.commerce().orders().find(&self.me(), reference).await.unwrap()
    }

    async fn payment(self, reference: &str) -> Payment {
        let shown = self.app.commerce().payments().find(&self.me(), reference).await.unwrap();
        assert_eq!(shown.reference_id, reference);
        let stored = self.order(reference).await;
        assert_eq!((&stored.payment, stored.order.payment_status), (&shown.payment, shown.payment.status));
        shown.payment
    }

    /// The person pays; webhooks that the network sends at once are processed.
    async fn pay(self, reference: &str, outcome: Outcome) -> Paid {
        let pay = Pay { reference_id: Some(reference.to_owned()), outcome, ..Pay::default() };
        let paid = self.sandbox().pay(self.tenant(), ADA, pay).await.unwrap();
        self.later(3).await;
        paid
    }

    async fn look_up(self) {
        self.app.commerce().payments().look_up_due(&|| false).await.unwrap();
    }

    /// Advances the clock until the next look-up is due, and runs it.
    async fn confirm(self) {
        self.later(10).await;
        self.look_up().await;
    }

    /// Advances the clock hour by hour and runs the look-ups that are due.
    async fn days_pass(self, days: u64) {
        for _ in 0..days * 24 {
            self.later(3600).await;
            self.look_up().await;
        }
    }

    /// Every event about orders as text: its type, the order's status, the payment's status and the unconfirmed status.
    async fn order_events(self) -> Vec<String> {
        let line = |payload: &Value| {
            let payment = &payload["payment"];
            let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let order = text(&payload["order"]["order"]["status"]);
            let conflict = if payment["conflict"].is_object() { " !" } else { "" };
            let (status, pending) = (text(&payment["status"]), text(&payment["pending_confirmation"]));
            format!("{} {order} {status} {pending}{conflict}", text(&payload["eventType"]))
        };
        let types = [EventType::PaymentCaptured, EventType::OrderUpdated];
        self.payloads(&types).await.iter().map(line).collect()
    }

    /// Posts a webhook about a payment, as the network would over the tenant's channel.
    async fn report(self, reference: &str, status: &str, payment: Value) {
        let channel = self.channel();
        let mut payment = payment;
        payment["reference_id"] = json!(reference);
        let status = json!({
            "id": "wamid.asked", "type": "payment", "status": status, "recipient_id": ADA,
            "timestamp": self.now().seconds().to_string(), "payment": payment,
        });
        let metadata =
            json!({"display_phone_number": channel.phone_number, "phone_number_id": channel.phone_number_id});
        let value = json!({"messaging_product": "whatsapp", "metadata": metadata, "statuses": [status]});
        let change = sandbox::Change { field: "messages".to_owned(), value };
        self.sandbox().inject(self.tenant(), None, change).await.unwrap();
        self.later(1).await;
    }

    /// The reasons of parked records, the newest first.
    async fn parked_reasons(self) -> Vec<String> {
        self.parked().await.into_iter().map(|one| one.reason).collect()
    }

    /// The messages of the business in the conversation of this message.
    async fn our_messages(self, of: &Message) -> Vec<MessageId> {
        let conversation = of.conversation_id.unwrap();
        let (db, range) = (self.app.db(), HistoryRange::default());
        let all = store::messaging::messages::history(db, self.tenant(), conversation, range, 100, 0).await.unwrap();
        let is_sent = |one: &Message| one.content.is_some() && one.direction == MessageDirection::Outbound;
        let ours = |one: &Message| is_sent(one) && one.event != HistoryKind::Ticket;
        all.into_iter().filter(ours).map(|one| one.id).collect()
    }
}

impl Orders for &World {}
