//! Channels over the wire, on both databases.

use serde_json::json;
use testkit::application::TestApp;

const CHANNELS: &str = "/api/ext/v3/channels";

testkit::both_databases! {
    async fn the_tenants_own_channels_oldest_first_and_no_secret(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["channelsv3:read"]).await;
        assert_eq!(app.get(CHANNELS, &token).await.json(), json!({"channels": []}));
        let (support, _) = app.channel(app.tenant(), "Support", "14155550100").await;
        app.test.clock.advance(std::time::Duration::from_secs(1));
        let (sales, _) = app.channel(app.tenant(), "Sales", "14155550101").await;
        app.channel(app.test.new_tenant("unlimited").await, "Foreign", "14155550102").await;
        let answer = app.get(CHANNELS, &token).await;
        let shown = |id: domain::ChannelId, name: &str| {
            json!({"id": id.to_string(), "name": name, "channel": "Whatsapp", "platform_id": "106540352242922", "enabled": true})
        };
        assert_eq!(answer.json(), json!({"channels": [shown(support.id, "Support"), shown(sales.id, "Sales")]}));
        assert!(!answer.text.contains("-of-"));
    }

    async fn a_channel_that_the_network_does_not_serve_says_why(test) {
        let app = TestApp::new(test);
        let token = app.token(app.tenant(), &["channelsv3:read"]).await;
        let (support, _) = app.channel(app.tenant(), "Support", "14155550100").await;
        let since = domain::Timestamp::from_seconds(1_776_000_000);
        for code in [Some(190), None] {
            let problem = domain::channels::ChannelProblem { message: format!("out of order {code:?}"), code, since };
            let input = (app.tenant(), support.id, problem.clone());
            let write = app.test.db.write(input, |tx, (tenant, id, problem)| {
                Box::pin(store::channels::set_problem(tx, *tenant, *id, problem))
            });
            write.await.unwrap();
            let shown = app.get(CHANNELS, &token).await.json()["channels"][0]["problem"].clone();
            let mut expected = json!({"message": problem.message, "since": "2026-04-12T13:20:00.000Z"});
            if let Some(code) = code {
                expected["code"] = json!(code);
            }
            assert_eq!(shown, expected);
        }
    }
}
