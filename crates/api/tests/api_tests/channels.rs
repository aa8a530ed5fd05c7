//! Channels over the wire, on both databases.

use serde_json::json;
use testkit::World;

const CHANNELS: &str = "/api/ext/v3/channels";

testkit::both_databases! {
    async fn the_tenants_own_channels_oldest_first_and_no_secret(test) {
        let app = World::on(test).with_token(&["channelsv3:read"]).await;
        assert_eq!(app.get(CHANNELS).await.json(), json!({"channels": []}));
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        app.advance(1);
        let (sales, _) = app.add_channel(app.tenant(), "Sales", "14155550101").await;
        app.add_channel(app.test.new_tenant("unlimited").await, "Foreign", "14155550102").await;
        let answer = app.get(CHANNELS).await;
        let shown = |channel: &domain::messaging::channels::Channel| {
            json!({
                "id": channel.id.to_string(), "name": channel.name, "channel": "Whatsapp",
                "platform_id": "106540352242922", "enabled": true, "phone_number": channel.phone_number,
                "account_id": channel.account_id, "network": channel.network, "is_default": channel.is_default,
                "created": channel.created_at.to_rfc3339(),
            })
        };
        assert_eq!(answer.json(), json!({"channels": [shown(&support), shown(&sales)]}));
        assert!(support.is_default && !sales.is_default);
        assert!(!answer.text.contains("-of-"));
    }

    async fn details_of_a_channel_are_its_rating_its_token_and_what_waits(test) {
        let app = World::on(test).with_token(&["channelsv3:read"]).await;
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        let at = app.now().to_millis();
        let quality = domain::messaging::channels::Quality { event: "UPGRADE".to_owned(), limit: Some("TIER_1K".to_owned()), at };
        let check = domain::messaging::channels::TokenCheck { is_valid: true, expires_at: Some(at.plus_seconds(60)), checked_at: at };
        app.test.db.write((app.tenant(), support.id, quality, check), |tx, (tenant, id, quality, check)| Box::pin(async move {
            store::messaging::channels::set_quality(tx, *tenant, *id, quality).await?;
            store::messaging::channel_tokens::save(tx, *tenant, *id, check).await
        })).await.unwrap();
        let shown = app.get(&format!("{CHANNELS}?details=true")).await.json()["channels"][0].clone();
        let at = at.to_rfc3339();
        assert_eq!(shown["quality"], json!({"event": "UPGRADE", "limit": "TIER_1K", "at": at}));
        assert_eq!(shown["token"], json!({"valid": true, "expires_at": app.now().to_millis().plus_seconds(60).to_rfc3339(), "checked_at": at}));
        assert_eq!(shown["traffic"], json!({"waiting": 0}));
        assert!(app.get(CHANNELS).await.json()["channels"][0].get("traffic").is_none());
        // A check of earlier secrets says nothing about new ones.
        app.advance(1);
        let secrets = app::messaging::channels::Secrets { access_token: "a-new-secret".to_owned().into(), app_secret: "a-new-secret".to_owned().into(), verify_token: "a-new-secret".to_owned().into() };
        app.app.messaging().channels().set_secrets(&app::Command(app.tenant()), "Support", &secrets).await.unwrap();
        assert!(app.get(CHANNELS).await.json()["channels"][0].get("token").is_none());
    }

    async fn a_channel_that_the_network_does_not_serve_says_why(test) {
        let app = World::on(test).with_token(&["channelsv3:read"]).await;
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        let since = domain::Timestamp::from_seconds(1_776_000_000);
        for code in [Some(190), None] {
            let problem = domain::messaging::channels::ChannelProblem { message: format!("out of order {code:?}"), code, since };
            let input = (app.tenant(), support.id, problem.clone());
            let write = app.test.db.write(input, |tx, (tenant, id, problem)| {
                Box::pin(store::messaging::channels::set_problem(tx, *tenant, *id, problem))
            });
            write.await.unwrap();
            let shown = app.get(CHANNELS).await.json()["channels"][0]["problem"].clone();
            let mut expected = json!({"message": problem.message, "since": "2026-04-12T13:20:00.000Z"});
            if let Some(code) = code {
                expected["code"] = json!(code);
            }
            assert_eq!(shown, expected);
        }
    }
}
