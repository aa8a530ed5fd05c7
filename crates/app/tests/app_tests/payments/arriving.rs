//! Webhooks about payments that must not count: forged, about an unknown order, unreadable, of another tenant, or
//! repeated.

use app::Command;
use app::messaging::inbound::Refused;
use domain::TenantId;
use domain::commerce::payments::{PaymentSource, PaymentStatus};
use sandbox::driver::{Fail, Outcome};
use serde_json::json;
use testkit::{World, both_databases};

use crate::orders::shop::Orders as _;
use crate::payments::shop::{Payments as _, envelope, payment_webhook, tea_shop};

async fn is_untouched(shop: &World, reference: &str) {
    assert_eq!(shop.stands(reference).await, (PaymentStatus::Pending, None));
    assert_eq!(shop.sources(reference).await, [PaymentSource::Business]);
    assert_eq!(shop.event_names().await, Vec::<String>::new());
}

both_databases! {
    async fn a_forged_webhook_is_refused(shop = tea_shop) {
        let body = envelope(&payment_webhook("tea-1", "captured", shop.now().seconds()));
        let forged = shop.post_hook_of(shop.channel().id, body.clone(), "a-guess").await;
        assert!(matches!(forged, Err(Refused::Forged)), "{forged:?}");
        shop.process_inbound().await;
        is_untouched(&shop, "tea-1").await;
        assert_eq!(shop.parked().await.len(), 0);
        // With the right signature it is a claim that is not confirmed yet.
        shop.arrives(body).await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
        shop.look_up().await;
        assert_eq!(shop.stands("tea-1").await, (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
    }

    async fn a_reference_that_no_order_has_is_parked(shop = tea_shop) {
        shop.arrives(envelope(&payment_webhook("tea-2", "captured", shop.now().seconds()))).await;
        let parked = shop.parked().await;
        assert_eq!(parked.len(), 1);
        assert!(parked[0].reason.contains("unknown order"), "{}", parked[0].reason);
        is_untouched(&shop, "tea-1").await;
        // Retried after the order was created, the report is applied.
        shop.orders("tea-2").await;
        shop.app.messaging().inbound().retry(&Command(shop.tenant()), parked[0].id).await.unwrap();
        shop.process_inbound().await;
        assert_eq!(shop.stands("tea-2").await, (PaymentStatus::Pending, Some(PaymentStatus::Captured)));
        assert_eq!(shop.parked().await.len(), 0);
    }

    async fn an_unreadable_report_is_parked_with_the_member(shop = tea_shop) {
        let second = shop.now().seconds();
        for (pointer, value, place) in [
            ("/status", json!("won"), "status"),
            ("/payment/amount/value", json!(-1), "payment.amount.value"),
            ("/payment/amount/value", json!(0.5), "payment.amount.value"),
            ("/payment/amount/offset", json!(0), "payment.amount.offset"),
            ("/payment/transaction/status", json!("won"), "payment.transaction.status"),
        ] {
            let mut status = payment_webhook("tea-1", "captured", second);
            *status.pointer_mut(pointer).unwrap() = value.clone();
            shop.arrives(envelope(&status)).await;
            let parked = shop.parked().await;
            assert!(parked[0].reason.contains(place), "{pointer} {value}: {}", parked[0].reason);
            is_untouched(&shop, "tea-1").await;
        }
        assert_eq!(shop.parked().await.len(), 5);
    }

    async fn another_tenants_webhook_does_nothing_here(shop = tea_shop) {
        let other = TenantId::from_number(100_139);
        let new = app::platform::tenants::NewTenant { name: "Other".to_owned(), plan: None, with_sandbox: false };
        shop.app.platform().tenants().create(&Command(other), new).await.unwrap();
        let (channel, secrets) = shop.second_channel(other).await;
        let status = payment_webhook("tea-1", "captured", shop.now().seconds());
        let body = String::from_utf8(envelope(&status)).unwrap();
        let body = body.replace("106540352242922", "106540352242923").replace("102290129340398", "102290129340399");
        // With its own app secret, the other tenant may post to its own channel only.
        let refused = shop.post_hook_of(shop.channel().id, body.clone().into_bytes(), &secrets.app_secret).await;
        assert!(matches!(refused, Err(Refused::Forged)), "{refused:?}");
        shop.post_hook_of(channel.id, body.into_bytes(), &secrets.app_secret).await.unwrap();
        // A report that names the shop's number has no effect either.
        shop.post_hook_of(channel.id, envelope(&status), &secrets.app_secret).await.unwrap();
        shop.process_inbound().await;
        is_untouched(&shop, "tea-1").await;
        assert_eq!(shop.app.messaging().inbound().parked(&Command(other), 100).await.unwrap().len(), 2);
        assert_eq!(shop.parked().await.len(), 0);
    }

    async fn a_webhook_that_arrives_three_times_emits_one_event(shop = tea_shop) {
        let fail = Fail { kind: "duplicate".to_owned(), copies: Some(3), ..Fail::default() };
        shop.sandbox().fail(shop.tenant(), fail).await.unwrap();
        shop.pays("tea-1", Outcome::Captured).await;
        assert_eq!(shop.event_names().await, ["orderUpdated"]);
        shop.look_up().await;
        assert_eq!(shop.event_names().await, ["orderUpdated", "paymentCaptured", "orderUpdated"]);
        assert_eq!(shop.payment("tea-1").await.transactions.len(), 1);
    }
}
