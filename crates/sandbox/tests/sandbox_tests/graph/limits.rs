//! The network's rate limits, on the clock of the test.

use sandbox::Rates;
use serde_json::json;

use crate::graph::net::{ADA, BOB, Net, text};

testkit::both_databases! {
    async fn a_number_is_limited_per_second(test) {
        let rates = Rates { throughput: 3, pair_burst: 0, pair_seconds: 0 };
        let net = Net::with_rates(test, rates).await;
        net.person_writes(1).await;
        for _ in 0..3 {
            assert_eq!(net.send(ADA, text("x")).await.status, 200);
        }
        let refused = net.send(BOB, text("x")).await;
        assert_eq!(refused.refusal(), (429, 130_429));
        assert_eq!(refused.json()["error"]["message"], "(#130429) Rate limit hit");
        net.advance(1000);
        assert_eq!(net.send(ADA, text("x")).await.status, 200);
    }

    async fn a_person_is_not_written_to_too_often(test) {
        let rates = Rates { throughput: 0, ..Rates::default() };
        let net = Net::with_rates(test, rates).await;
        net.person_writes(1).await;
        for _ in 0..45 {
            assert_eq!(net.send(ADA, text("x")).await.status, 200);
        }
        assert_eq!(net.send("+14155552671", text("x")).await.refusal(), (429, 131_056), "however it is spelled");
        assert_eq!(net.send(BOB, text("x")).await.status, 200, "another person");
        net.advance(6000);
        assert_eq!(net.send(ADA, text("x")).await.status, 200);
        assert_eq!(net.send(ADA, text("x")).await.refusal(), (429, 131_056));
    }

    async fn a_wrong_request_does_not_count(test) {
        let rates = Rates { throughput: 1, pair_burst: 0, pair_seconds: 0 };
        let net = Net::with_rates(test, rates).await;
        assert_eq!(net.send(ADA, json!({ "type": "text" })).await.refusal(), (400, 131_008));
        assert_eq!(net.send(ADA, text("x")).await.status, 200);
    }
}
