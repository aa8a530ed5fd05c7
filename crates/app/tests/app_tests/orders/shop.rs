//! A shop that sends orders over the sandbox and reads their payments.

use std::time::Duration;

use app::idempotency::{Begun, HeldKey, IdempotencyScope};
use app::orders::{CreatedOrder, MessageForm, OrderSend, OrderStatusSend, OrderView, UpdatedOrder};
use app::templates::TemplateCreation;
use app::{ActsFor, Error, Result};
use domain::events::{EventType, EventTypes};
use domain::messages::{Message, MessageSource};
use domain::money::Amount;
use domain::orders::{Charge, NewContent, NewItem, NewOrder};
use domain::payments::Payment;
use domain::templates::{NewButton, NewTemplate};
use domain::{MessageId, TenantId};
use sandbox::driver::{Outcome, Paid, Pay};
use serde_json::{Value, json};

use crate::sending::world::{ADA, World, param};

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
        member: "target",
        channel: None,
        order: new_order(reference),
        form,
        source: MessageSource::Api,
        local_id: None,
        dry_run: false,
        several: app::conversations::SeveralOpen::Refuse,
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

/// A caller whose request has an idempotency key.
#[derive(Debug, Clone)]
pub struct Keyed(pub TenantId, pub IdempotencyScope);

impl ActsFor for Keyed {
    fn tenant(&self) -> TenantId {
        self.0
    }

    fn idempotency_scope(&self) -> Option<&IdempotencyScope> {
        Some(&self.1)
    }
}

impl Keyed {
    pub fn new(world: &World, operation: &str) -> Self {
        let scope = IdempotencyScope::new(world.wired.tenant, "token:1".to_owned(), operation, "key-1".to_owned());
        scope.arrived([1; 32]);
        Self(world.wired.tenant, scope)
    }

    pub async fn hold(&self, world: &World) -> HeldKey {
        match world.app().idempotency().begin(&self.1, Duration::from_secs(30)).await.unwrap() {
            Begun::Held(held) => held,
            other => panic!("{other:?}"),
        }
    }
}

/// The member of the request that an error names.
pub fn parameter(error: Error) -> String {
    match error {
        Error::Invalid { parameter, .. } | Error::Conflict { parameter, .. } | Error::Refused { parameter, .. } => {
            parameter
        }
        other => panic!("{other:?}"),
    }
}

impl World {
    /// A world in which Ada has just written, so that her window is open.
    pub async fn shop(test: testkit::database::TestDb) -> Self {
        let world = Self::new(test).await;
        world.say(ADA, "I would like two mugs").await;
        world
    }

    pub async fn bill(&self) {
        let button = NewButton { kind: "order_details".to_owned(), ..NewButton::default() };
        let template = NewTemplate {
            name: BILL.to_owned(),
            category: "UTILITY".to_owned(),
            language: "en".to_owned(),
            body: Some("Hello {{1}}, here is your bill.".to_owned()),
            samples: vec![param("1", "Ada")],
            buttons: vec![button],
            ..NewTemplate::default()
        };
        let input = TemplateCreation { channel: None, template, public_url: None };
        self.app().templates().create(&self.caller(), input).await.unwrap();
        self.advance(5).await;
    }

    pub async fn create(&self, send: OrderSend) -> Result<CreatedOrder> {
        self.app().orders().create(&self.caller(), send).await
    }

    /// Creates an order and lets its message reach the person.
    pub async fn ordered(&self, reference: &str) -> CreatedOrder {
        let sent = self.create(order_send(reference, free())).await.unwrap();
        self.drain().await;
        self.advance(3).await;
        sent
    }

    pub async fn says(&self, send: OrderStatusSend) -> Result<UpdatedOrder> {
        self.app().orders().set_status(&self.caller(), send).await
    }

    pub async fn order(&self, reference: &str) -> OrderView {
        self.app().orders().find(&self.caller(), reference).await.unwrap()
    }

    pub async fn payment(&self, reference: &str) -> Payment {
        let shown = self.app().payments().find(&self.caller(), reference).await.unwrap();
        assert_eq!(shown.reference_id, reference);
        let stored = self.order(reference).await;
        assert_eq!((&stored.payment, stored.order.payment_status), (&shown.payment, shown.payment.status));
        shown.payment
    }

    /// The person pays; webhooks that the network sends at once are processed.
    pub async fn pay(&self, reference: &str, outcome: Outcome) -> Paid {
        let pay = Pay { reference_id: Some(reference.to_owned()), outcome, ..Pay::default() };
        let paid = self.wired.sandbox.pay(self.wired.tenant, ADA, pay).await.unwrap();
        self.advance(3).await;
        paid
    }

    pub async fn look_up(&self) {
        self.app().payments().look_up_due(&|| false).await.unwrap();
    }

    /// Advances the clock until the next look-up is due, and runs it.
    pub async fn confirm(&self) {
        self.advance(10).await;
        self.look_up().await;
    }

    /// Advances the clock hour by hour and runs the look-ups that are due.
    pub async fn days_pass(&self, days: u64) {
        for _ in 0..days * 24 {
            self.advance(3600).await;
            self.look_up().await;
        }
    }

    /// Every event about orders as text: its type, the order's status, the payment's status and the unconfirmed status.
    pub async fn order_events(&self) -> Vec<String> {
        while self.app().events().number_log(self.caller().tenant()).await.unwrap() {}
        let types = EventTypes::from_iter([EventType::PaymentCaptured, EventType::OrderUpdated]);
        let page = self.app().events().pull(&self.caller(), 0, types, 1000).await.unwrap();
        let line = |event: &domain::events::Event| {
            let payload: Value = serde_json::from_str(event.payload()).unwrap();
            let payment = &payload["payment"];
            let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
            let order = text(&payload["order"]["order"]["status"]);
            let conflict = if payment["conflict"].is_object() { " !" } else { "" };
            let (status, pending) = (text(&payment["status"]), text(&payment["pending_confirmation"]));
            format!("{} {order} {status} {pending}{conflict}", event.kind.name())
        };
        page.events.iter().map(line).collect()
    }

    /// Posts a webhook about a payment, as the network would over the tenant's channel.
    pub async fn report(&self, reference: &str, status: &str, payment: Value) {
        let channel = &self.wired.channel;
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
        self.wired.sandbox.inject(self.wired.tenant, None, change).await.unwrap();
        self.advance(1).await;
    }

    /// The reasons of parked records, the newest first.
    pub async fn parked(&self) -> Vec<String> {
        let parked = self.app().inbound().parked(&self.caller(), 100).await.unwrap();
        parked.into_iter().map(|one| one.reason).collect()
    }

    /// The messages of the business in the conversation of this message.
    pub async fn messages(&self, of: &Message) -> Vec<MessageId> {
        let conversation = of.conversation_id.unwrap();
        let all = store::messages::history(
            self.app().db(),
            self.wired.tenant,
            conversation,
            domain::messages::HistoryRange::default(),
            100,
            0,
        )
        .await
        .unwrap();
        let ours =
            |one: &Message| one.content.is_some() && one.direction == domain::messages::MessageDirection::Outbound;
        all.into_iter().filter(ours).map(|one| one.id).collect()
    }
}
