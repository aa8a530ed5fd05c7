//! Accounts of the network and their numbers, as V1 and V2 show them, on both databases.

use serde_json::{Value, json};
use testkit::World;

fn number(channel: &domain::messaging::channels::Channel) -> Value {
    json!({
        "id": channel.id.to_string(),
        "name": channel.name,
        "phoneNumber": channel.phone_number,
        "phoneNumberId": "106540352242922",
        "wabaId": "102290129340398",
        "isDefault": channel.is_default,
        "enabled": true,
        "quality": null,
        "messagingLimit": null,
        "phoneId": "106540352242922",
        "displayPhoneNumber": channel.phone_number,
        "verifiedName": channel.name,
        "status": "CONNECTED",
        "qualityRating": "UNKNOWN",
        "messagingLimitTier": null,
    })
}

fn number_v2(channel: &domain::messaging::channels::Channel) -> Value {
    json!({
        "bmId": null,
        "channelId": channel.id.to_string(),
        "channelName": channel.name,
        "channelType": "Whatsapp",
        "embeddedSignupType": null,
        "phoneNumber": channel.phone_number,
        "phoneNumberId": "106540352242922",
        "wabaContextId": null,
        "wabaId": "102290129340398",
    })
}

testkit::both_databases! {
    async fn the_tenants_own_numbers_and_their_accounts_and_no_secret(app = World::new) {
        let tenant = app.tenant();
        let token = app.token(tenant, &["whatsappaccounts:read"]).await;
        let (numbers, accounts) =
            (format!("/{tenant}/api/v1/whatsApp/phoneNumbers"), format!("/{tenant}/api/v1/whatsApp/businessAccounts"));
        assert_eq!(app.by(&token).get(&numbers).await.json(), json!({"ok": true, "result": []}));
        assert_eq!(app.by(&token).get(&accounts).await.json(), json!({"ok": true, "result": []}));
        let (support, _) = app.add_channel(tenant, "Support", "14155550100").await;
        app.advance(1);
        let (sales, _) = app.add_channel(tenant, "Sales", "14155550101").await;
        app.add_channel(app.test.new_tenant("unlimited").await, "Foreign", "14155550102").await;
        let both = json!([number(&support), number(&sales)]);
        for path in [&numbers, &numbers.to_lowercase()] {
            let answer = app.by(&token).get(path).await;
            assert_eq!(answer.json(), json!({"ok": true, "result": both}), "{path}");
            assert!(!answer.text.contains("-of-"));
        }
        let listed = app.by(&token).get(&format!("/{tenant}/api/v2/whatsapp/phoneNumbers")).await.json();
        assert_eq!(listed, json!([number_v2(&support), number_v2(&sales)]));
        let account = json!({"wabaId": "102290129340398", "phoneNumbers": both});
        assert_eq!(app.by(&token).get(&accounts).await.json(), json!({"ok": true, "result": [account]}));
    }

    async fn a_profile_is_the_networks(app = World::with_sandbox) {
        let tenant = app.tenant();
        let token = app.token(tenant, &["whatsappaccounts:read"]).await;
        let channel = app.app.messaging().channels().list(&app::Command(tenant)).await.unwrap().remove(0);
        let profile = |account: &str, number: &str| format!("/{tenant}/api/v2/whatsapp/{account}/{number}/profile");
        let shown = app.by(&token).get(&profile(&channel.account_id, "14155550100")).await;
        assert_eq!(shown.status, 200, "{}", shown.text);
        let expected = json!({
            "displayPhoneNumber": "14155550100",
            "phoneId": channel.phone_number_id,
            "qualityRating": "GREEN",
            "status": "CONNECTED",
            "verifiedName": channel.name,
            "wabaId": channel.account_id,
            "phoneNumber": "14155550100",
            "about": "Sandbox",
            "address": null,
            "description": "A number of the sandbox",
            "email": null,
            "profilePictureUrl": null,
            "websites": [],
            "vertical": "OTHER",
        });
        assert_eq!(shown.json(), expected);
        for number in ["%2B1%20415%20555%200100", &channel.phone_number_id] {
            assert_eq!(app.by(&token).get(&profile(&channel.account_id, number)).await.json(), expected, "{number}");
        }
        for (account, number) in [("1", "14155550100"), (channel.account_id.as_str(), "14155550199")] {
            let missing = app.by(&token).get(&profile(account, number)).await;
            assert_eq!((missing.status.as_u16(), missing.reason().as_str()), (404, "not_found"), "{account} {number}");
        }
    }

    async fn a_network_that_does_not_answer_is_not_ours_to_blame(app = World::new) {
        let tenant = app.tenant();
        let token = app.token(tenant, &["api"]).await;
        let (channel, _) = app.add_channel(tenant, "Support", "14155550100").await;
        let path = format!("/{tenant}/api/v2/whatsapp/{}/14155550100/profile", channel.account_id);
        let answer = app.by(&token).get(&path).await;
        assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (503, "network_unavailable"), "{}", answer.text);
        assert!(!answer.text.contains("-of-"));
    }
}
