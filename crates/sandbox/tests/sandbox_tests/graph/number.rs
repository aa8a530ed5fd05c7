//! What a business sets on its number: profile, settings, permission to call.

use sandbox::driver::PlaceCall;
use serde_json::{Value, json};

use crate::graph::net::{ADA, BOB, Net};

const SDP: &str = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\n";

fn edge(net: &Net, name: &str) -> String {
    format!("{}/{name}", net.channel.phone_number_id)
}

async fn profile(net: &Net) -> Value {
    let answer = net.get(&edge(net, "whatsapp_business_profile")).await.json();
    assert_eq!(answer["data"].as_array().unwrap().len(), 1, "{answer}");
    answer["data"][0].clone()
}

testkit::both_databases! {
    async fn a_profile_keeps_what_was_set_and_an_empty_value_clears(net = Net::new) {
        let path = edge(&net, "whatsapp_business_profile");
        let new = json!({ "about": "Lucky Shrub", "description": "A number of the sandbox", "vertical": "OTHER",
            "messaging_product": "whatsapp" });
        assert_eq!(profile(&net).await, new);
        let set = json!({
            "messaging_product": "whatsapp",
            "about": "Succulents for everyone",
            "address": "1 Hacker Way, Menlo Park, CA 94025",
            "description": "We sell plants",
            "email": "lucky@luckyshrub.com",
            "websites": ["https://www.luckyshrub.com", "https://www.facebook.com/luckyshrub"],
            "vertical": "RETAIL",
        });
        assert_eq!(net.post(&path, &set).await.json(), json!({ "success": true }));
        assert_eq!(profile(&net).await, set);
        let some = json!({ "messaging_product": "whatsapp", "email": "", "websites": [], "about": "Closed" });
        assert_eq!(net.post(&path, &some).await.json(), json!({ "success": true }));
        let left = json!({ "messaging_product": "whatsapp", "about": "Closed", "description": "We sell plants",
            "address": "1 Hacker Way, Menlo Park, CA 94025", "vertical": "RETAIL" });
        assert_eq!(profile(&net).await, left);
        let only = net.get(&format!("{path}?fields=about,email")).await.json();
        assert_eq!(only, json!({ "data": [{ "messaging_product": "whatsapp", "about": "Closed" }] }));
    }

    async fn a_bad_profile_is_refused_and_changes_nothing(net = Net::new) {
        let path = edge(&net, "whatsapp_business_profile");
        let before = profile(&net).await;
        for (member, value, code) in [
            ("about", json!(""), 131_009),
            ("about", json!("x".repeat(140)), 131_009),
            ("about", json!(5), 100),
            ("address", json!("x".repeat(257)), 131_009),
            ("email", json!("lucky"), 131_009),
            ("vertical", json!("PLANTS"), 131_009),
            ("websites", json!("https://a.example"), 100),
            ("websites", json!(["https://a.example", "https://b.example", "https://c.example"]), 131_009),
            ("websites", json!(["luckyshrub.com"]), 131_009),
            ("messaging_product", json!("sms"), 100),
        ] {
            let mut body = json!({ "messaging_product": "whatsapp", "description": "changed" });
            body[member] = value;
            assert_eq!(net.post(&path, &body).await.refusal(), (400, code), "{body}");
        }
        assert_eq!(profile(&net).await, before);
    }

    async fn settings_are_kept_one_feature_in_a_request(net = Net::new) {
        let path = edge(&net, "settings");
        let new = json!({
            "calling": { "status": "enabled", "call_icon_visibility": "visible", "ip_addresses": { "default": [] },
                "callback_permission_status": "enabled" },
            "payload_encryption": { "status": "disabled" },
            "storage_configuration": { "status": "default" },
        });
        assert_eq!(net.get(&path).await.json(), new);
        for body in [
            json!({ "calling": { "status": "ENABLED", "call_icon_visibility": "hidden", "video": { "status": "enabled" } } }),
            json!({ "calling": { "status": "enabled", "srtp_key_exchange_protocol": "DTLS-SRTP" } }),
            json!({ "payload_encryption": { "status": "enabled", "client_encryption_key": "a2V5" } }),
            json!({ "storage_configuration": { "enabled": true, "region": "us" } }),
            json!({ "user_identity_change": { "enabled": true } }),
        ] {
            assert_eq!(net.post(&path, &body).await.json(), json!({ "success": true }), "{body}");
        }
        let set = json!({
            "calling": { "status": "enabled", "call_icon_visibility": "hidden", "ip_addresses": { "default": [] },
                "callback_permission_status": "enabled", "srtp_key_exchange_protocol": "DTLS-SRTP",
                "video": { "status": "enabled" } },
            "payload_encryption": { "status": "enabled",
                "client_encryption_key_fingerprint": "SHA256:LHDhK3oGRvkiefQnx7OOczTY5Tic/xZ6HcMOc/gmtoM=" },
            "storage_configuration": { "status": "in_country_storage_enabled", "data_localization_region": "us" },
            "user_identity_change": { "enabled": true },
        });
        assert_eq!(net.get(&path).await.json(), set);
    }

    async fn bad_settings_are_refused(net = Net::new) {
        let path = edge(&net, "settings");
        let before = net.get(&path).await.json();
        for (body, code) in [
            (json!({}), 100),
            (json!({ "calling": { "status": "disabled" }, "user_identity_change": { "enabled": true } }), 100),
            (json!({ "calling": {} }), 131_008),
            (json!({ "calling": { "status": "on" } }), 131_009),
            (json!({ "calling": true }), 100),
            (json!({ "calling": { "status": "enabled", "video": {} } }), 131_008),
            (json!({ "payload_encryption": { "status": "enabled" } }), 131_008),
            (json!({ "payload_encryption": { "status": "enabled", "client_encryption_key": "not base64" } }), 131_009),
            (json!({ "storage_configuration": { "enabled": true } }), 131_008),
            (json!({ "user_identity_change": { "enabled": "yes" } }), 100),
        ] {
            assert_eq!(net.post(&path, &body).await.refusal(), (400, code), "{body}");
        }
        assert_eq!(net.get(&path).await.json(), before);
    }

    async fn permission_to_call_follows_the_settings(net = Net::new) {
        let path = edge(&net, &format!("call_permissions?user_wa_id={ADA}"));
        let answer = |can_call: bool| {
            json!({ "messaging_product": "whatsapp", "permission": { "status": "granted" }, "actions": [
                { "action_name": "start_call", "can_perform_action": can_call },
                { "action_name": "send_call_permission_request", "can_perform_action": false },
            ] })
        };
        assert_eq!(net.get(&path).await.json(), answer(true));
        assert_eq!(net.get(&edge(&net, "call_permissions")).await.refusal(), (400, 100));
        assert_eq!(net.get(&edge(&net, "call_permissions?user_wa_id=4915100000000")).await.refusal(), (400, 131_026));
        let calls = json!({ "messaging_product": "whatsapp", "to": ADA, "action": "connect",
            "session": { "sdp_type": "offer", "sdp": SDP } });
        net.post(&edge(&net, "settings"), &json!({ "calling": { "status": "DISABLED" } })).await;
        assert_eq!(net.get(&path).await.json(), answer(false));
        assert_eq!(net.post(&edge(&net, "calls"), &calls).await.refusal(), (400, 138_000));
        let called = net.sandbox.call(net.test.tenant, BOB, PlaceCall::default()).await;
        assert!(matches!(called, Err(app::Error::Conflict { .. })), "{called:?}");
        net.post(&edge(&net, "settings"), &json!({ "calling": { "status": "enabled" } })).await;
        assert_eq!(net.post(&edge(&net, "calls"), &calls).await.status, 200);
    }

    async fn only_the_token_of_the_number_opens_them(net = Net::new) {
        for (method, name) in [("GET", "settings"), ("POST", "settings"), ("GET", "call_permissions"),
            ("GET", "whatsapp_business_profile"), ("POST", "whatsapp_business_profile")] {
            let request = http::Request::builder().method(method).uri(format!("/v23.0/{}", edge(&net, name)));
            let request = request.header("authorization", "Bearer EAAwrong");
            let answer = net.call(request.body(channels::transport::full("{}")).unwrap()).await;
            assert_eq!(answer.refusal(), (401, 190), "{method} {name}");
        }
    }
}
