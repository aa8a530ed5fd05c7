//! Objects by id, and access to them.

use channels::transport::{empty, full};
use http::Request;
use serde_json::json;

use crate::graph::net::{ADA, Net, message, text};

testkit::both_databases! {
    async fn a_number_an_account_and_their_edges(net = Net::new) {
        let (number, account) = (net.channel.phone_number_id.clone(), net.channel.account_id.clone());
        let shown = net.get(&number).await.json();
        assert_eq!((&shown["id"], &shown["display_phone_number"]), (&json!(number), &json!("14155550100")));
        assert_eq!((&shown["verified_name"], &shown["quality_rating"]), (&json!("Lucky Shrub"), &json!("GREEN")));
        let only = net.get(&format!("{number}?fields=verified_name")).await.json();
        assert_eq!(only, json!({ "id": number, "verified_name": "Lucky Shrub" }));
        assert_eq!(net.get(&account).await.json()["id"], account);
        assert_eq!(net.get(&format!("{account}/phone_numbers")).await.json()["data"][0]["id"], number);
        let profile = net.get(&format!("{number}/whatsapp_business_profile?fields=about")).await.json();
        assert_eq!(profile, json!({ "data": [{ "about": "Lucky Shrub", "messaging_product": "whatsapp" }] }));
        let apps = format!("{account}/subscribed_apps");
        assert_eq!(net.post(&apps, &json!({})).await.json(), json!({ "success": true }));
        assert_eq!(net.get(&apps).await.json()["data"][0]["whatsapp_business_api_data"]["name"], "switchboard");
    }

    async fn only_the_channels_token_opens_it(net = Net::new) {
        let (number, account) = (net.channel.phone_number_id.clone(), net.channel.account_id.clone());
        let template = json!({ "name": "hi", "language": "en", "category": "UTILITY",
            "components": [{ "type": "BODY", "text": "Hello there" }] });
        let made = net.approved(&template).await;
        let paths = [number.clone(), format!("{number}/whatsapp_business_profile"), account.clone(), made,
            format!("{account}/message_templates"), format!("{account}/phone_numbers"), format!("{number}/payments/a/b")];
        for path in &paths {
            let get = |token: Option<&str>| {
                let request = Request::get(format!("/v23.0/{path}"));
                let request = match token {
                    Some(token) => request.header("authorization", format!("Bearer {token}")),
                    None => request,
                };
                net.call(request.body(empty()).unwrap())
            };
            assert_eq!(get(None).await.refusal(), (401, 104), "{path}");
            let wrong = get(Some("EAAwrong")).await;
            assert_eq!((wrong.refusal(), wrong.headers.contains_key("www-authenticate")), ((401, 190), true), "{path}");
            assert_eq!(wrong.json()["error"]["type"], "OAuthException");
            assert!(wrong.json()["error"]["fbtrace_id"].is_string());
        }
        let query = format!("/v19.0/{number}?access_token={}", net.token);
        assert_eq!(net.call(Request::get(query).body(empty()).unwrap()).await.status, 200, "as older clients do");
        let sent = Request::post(format!("/v23.0/{number}/messages")).header("authorization", "Bearer x");
        let sent = sent.body(full(message(ADA, text("x")).to_string())).unwrap();
        assert_eq!(net.call(sent).await.refusal(), (401, 190));
    }

    async fn unknown_objects_have_the_networks_errors(net = Net::new) {
        let number = net.channel.phone_number_id.clone();
        for path in ["1", "1/messages", &format!("{number}/nothing"), "a/b/c/d/e", "media/1/content", "%00", "../x"] {
            for method in ["GET", "POST", "DELETE", "PUT", "PATCH"] {
                let request = net.request(method, path).body(full("{}")).unwrap();
                let answer = net.call(request).await;
                assert_eq!(answer.refusal(), (400, 100), "{method} {path}");
                assert!(answer.json()["error"]["message"].as_str().unwrap().contains("Unsupported"), "{method} {path}");
            }
        }
        let root = net.call(Request::get("/v23.0/").body(empty()).unwrap()).await;
        assert_eq!(root.refusal(), (404, 100));
    }
}
