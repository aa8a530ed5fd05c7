//! Orders: sent, paid by a person, looked up, reported.

use channels::graph::*;
use serde_json::json;

use super::on_both_sides;
use super::world::{ADA, Network, ada};

fn amount(value: i64) -> Amount {
    Amount { value, offset: 100 }
}

fn charge(value: i64) -> Charge {
    Charge { amount: amount(value), description: Some("About it".to_owned()), discount_program_name: None }
}

/// Two books on sale, paid through the gateway configuration `main`.
pub fn order(reference_id: &str) -> OrderDetails {
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
    OrderDetails {
        reference_id: reference_id.to_owned(),
        goods: Goods::PhysicalGoods,
        payment_type: None,
        payment_configuration: None,
        payment_settings: vec![PaymentSetting::PaymentGateway(gateway)],
        currency: "INR".to_owned(),
        total_amount: amount(18_000),
        beneficiaries: vec![Beneficiary { name: "Ada".to_owned(), ..Beneficiary::default() }],
        order: OrderContents {
            status: OrderState::Pending,
            catalog_id: Some("c1".to_owned()),
            expiration: Some(Expiration { timestamp: "4000000000".to_owned(), description: Some("Soon".to_owned()) }),
            items: vec![item],
            subtotal: amount(18_000),
            tax: charge(1_000),
            shipping: Some(charge(500)),
            discount: Some(charge(1_500)),
        },
    }
}

pub fn news(reference_id: &str, status: OrderState) -> OrderStatus {
    OrderStatus {
        reference_id: reference_id.to_owned(),
        order: OrderUpdate { status, description: Some("On its way".to_owned()) },
        payment: Some(PaymentUpdate { status: PaymentState::Captured, timestamp: Some(1_760_000_000) }),
    }
}

pub async fn send(network: &Network, interaction: Interaction) -> Result<Sent, GraphError> {
    let body = Some("Your order".to_owned());
    let interactive = Interactive { header: None, body, footer: None, interaction };
    network.send(ada(), Content::Interactive(Box::new(interactive))).await
}

on_both_sides! {
    async fn an_order_is_paid_and_looked_up(network) {
        network.says(ADA).await;
        let asked = send(network, Interaction::OrderDetails(Box::new(order("order-1")))).await.unwrap();
        let button = json!([{"type": "order", "text": "Review and pay", "url": null}]);
        assert_eq!(network.arrived(ADA, &asked.message_id).await, ("Your order".to_owned(), button));
        let open = network.graph.payment("main", "order-1").await.unwrap().unwrap();
        assert_eq!((open.status.as_str(), open.transactions.len()), ("pending", 0));

        let paid = network.act(ADA, "pay", json!({"message": asked.message_id})).await;
        let payment = network.graph.payment("main", "order-1").await.unwrap().unwrap();
        assert_eq!((payment.status.as_str(), payment.amount), ("captured", Some(amount(18_000))));
        assert_eq!(payment.currency.as_deref(), Some("INR"));
        let transaction = &payment.transactions[0];
        assert_eq!(paid["transactions"], json!([transaction.id]));
        assert_eq!((transaction.status.as_deref(), transaction.kind.as_deref()), (Some("success"), Some("razorpay")));
        assert_eq!(transaction.method.as_deref(), Some("upi"));
        assert!(transaction.created.is_some() && transaction.updated.is_some());

        for status in [OrderState::Processing, OrderState::PartiallyShipped, OrderState::Shipped, OrderState::Completed] {
            let sent = send(network, Interaction::OrderStatus(news("order-1", status))).await.unwrap();
            assert_eq!(network.arrived(ADA, &sent.message_id).await.0, "Your order", "{status:?}");
        }
    }

    async fn a_payment_that_fails_says_why(network) {
        network.says(ADA).await;
        send(network, Interaction::OrderDetails(Box::new(order("order-2")))).await.unwrap();
        network.act(ADA, "pay", json!({"reference_id": "order-2", "outcome": "failed"})).await;
        let payment = network.graph.payment("main", "order-2").await.unwrap().unwrap();
        let error = payment.transactions[0].error.clone().unwrap();
        assert_eq!((payment.status.as_str(), error.code.as_deref()), ("failed", Some("payment_declined")));
        assert!(error.reason.is_some());
    }

    async fn invalid_orders_are_refused(network) {
        network.says(ADA).await;
        let cheap = OrderDetails { total_amount: amount(1), ..order("order-3") };
        let error = send(network, Interaction::OrderDetails(Box::new(cheap))).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(131_009)), "{error}");
        let error = send(network, Interaction::OrderStatus(news("nothing", OrderState::Shipped))).await.unwrap_err();
        assert_eq!((error.class, error.code), (Class::Refuse, Some(131_009)), "{error}");
        let error = network.graph.payment("main", "nothing").await.unwrap_err();
        assert_eq!((error.class, error.code, error.subcode), (Class::Refuse, Some(100), Some(33)), "{error}");
    }
}
