//! Faults: each kind becomes its error class, and the next request succeeds.

use axum::http::Method;
use channels::graph::{Class, Content};
use serde_json::{Value, json};

use super::on_both_sides;
use super::world::{ADA, Network, ada};

async fn add_fault(network: &Network, fault: Value) {
    network.ask(Method::POST, "faults", &fault).await;
}

/// Adds the fault and checks that the next send fails with this class, and the send after it succeeds.
async fn assert_class(network: &Network, fault: Value, class: Class, status: Option<u16>, code: Option<i32>) {
    add_fault(network, fault.clone()).await;
    let error = network.send(ada(), Content::text("Lost")).await.unwrap_err();
    assert_eq!((error.class, error.status, error.code), (class, status, code), "{fault}: {error}");
    let sent = network.send(ada(), Content::text("Found")).await.unwrap();
    network.arrived(ADA, &sent.message_id).await;
}

async fn texts(network: &Network) -> Vec<String> {
    network.inbox(ADA).await.into_values().map(|(text, _)| text).collect()
}

on_both_sides! {
    async fn refusals_are_classed_by_their_code(network) {
        network.says(ADA).await;
        for (code, status, class) in [
            (131_026, 400, Class::Refuse),
            (190, 401, Class::Refuse),
            (130_429, 429, Class::RetryLater),
            (131_056, 429, Class::RetryLater),
            (80_007, 429, Class::RetryLater),
            (131_000, 500, Class::Retry),
            (2, 503, Class::Retry),
        ] {
            let fault = json!({"kind": "refuse", "code": code, "person": ADA});
            assert_class(network, fault, class, Some(status), Some(code)).await;
        }
        assert!(!texts(network).await.contains(&"Lost".to_owned()));
    }

    async fn without_an_answer_the_outcome_is_unknown(network) {
        network.says(ADA).await;
        for status in [500, 502, 504] {
            let fault = json!({"kind": "server_error", "status": status});
            assert_class(network, fault, Class::Unknown, Some(status), None).await;
        }
        assert_class(network, json!({"kind": "reset"}), Class::Unknown, None, None).await;
        assert!(!texts(network).await.contains(&"Lost".to_owned()));
    }

    async fn a_message_accepted_before_a_reset_arrives(network) {
        network.says(ADA).await;
        assert_class(network, json!({"kind": "accept_then_reset"}), Class::Unknown, None, None).await;
        let lost = async || texts(network).await.contains(&"Lost".to_owned()).then_some(());
        network.until("what was taken", lost).await;
    }

    async fn a_breaker_pauses_after_failures_in_a_row(network) {
        network.says(ADA).await;
        add_fault(network, json!({"kind": "reset", "count": 5})).await;
        for _ in 0..5 {
            assert_eq!(network.send(ada(), Content::text("Lost")).await.unwrap_err().class, Class::Unknown);
        }
        let error = network.send(ada(), Content::text("Not sent")).await.unwrap_err();
        assert!(error.class == Class::RetryLater && error.retry_after.is_some() && error.status.is_none(), "{error}");
        // Another client has its own breaker, and the network works again.
        network.graph_with(network.token).number().await.unwrap();
    }
}
