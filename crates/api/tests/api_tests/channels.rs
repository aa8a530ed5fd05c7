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
}
