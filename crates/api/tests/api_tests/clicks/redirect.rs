//! `GET /c/{code}`.

use serde_json::json;

use super::{PHONE, PREVIEW, Tracked, delete_contact};

const URL: &str = "https://shop.example/orders?id=1%26x%3Dhttps%3A%2F%2Fevil.example%2F";

testkit::both_databases! {
    async fn a_link_leads_to_the_buttons_address_and_nowhere_else(world = Tracked::new) {
        assert_eq!(world.codes.len(), 2);
        for method in ["GET", "HEAD"] {
            let answer = world.open(method, &world.codes[0], &[("user-agent", PHONE), ("accept", "text/html")]).await;
            assert_eq!(answer.status, 302, "{}", answer.text);
            assert_eq!(answer.headers["location"], URL);
            assert_eq!(answer.headers["cache-control"], "no-store");
            assert_eq!(answer.headers["referrer-policy"], "no-referrer");
            assert_eq!(answer.text, "");
        }
        let other = world.open("GET", &world.codes[1], &[("user-agent", PHONE)]).await;
        assert_eq!(other.headers["location"], "https://shop.example/");
        // The query has no effect, and the letter case of `/c/` does not matter.
        let path = format!("/C/{}?u=https://evil.example", world.codes[1]);
        let asked = testkit::world::request("GET", &path, None).body(axum::body::Body::empty()).unwrap();
        let answer = world.send(asked).await;
        assert_eq!((answer.status.as_u16(), &answer.headers["location"]), (302, &"https://shop.example/".parse().unwrap()));
    }

    async fn what_is_kept_of_a_hit_is_shown(world = Tracked::new) {
        let headers =
            [("user-agent", PHONE), ("accept", "text/html"), ("referer", "https://web.whatsapp.com/?phone=1"), ("cookie", "secret=1")];
        world.open("GET", &world.codes[0], &headers).await;
        let page = world.page("").await;
        let click = &page["clicks"][0];
        assert_eq!(page["clicks"].as_array().unwrap().len(), 1);
        assert_eq!((&click["class"], &click["source"], &click["method"]), (&json!("human"), &json!("redirect"), &json!("GET")));
        assert_eq!((&click["message_id"], &click["local_message_id"]), (&json!(world.message), &json!("order-1")));
        assert_eq!((&click["template_id"], &click["template_name"]), (&json!(world.template), &json!("spring_offer")));
        assert_eq!((&click["button_index"], &click["button_text"]), (&json!(0), &json!("Track it")));
        // The address that the trusted proxy forwards.
        assert_eq!((&click["address"], &click["user_agent"]), (&json!("198.51.100.7"), &json!(PHONE)));
        assert_eq!(click["referer"], "https://web.whatsapp.com");
        assert!(click.get("card_index").is_none() && !page.to_string().contains("secret"));
        assert!(click["bsuid"].as_str().unwrap().starts_with("US."));
    }

    async fn people_and_machines_have_different_classes(world = Tracked::new) {
        let looks = [
            ("GET", vec![("user-agent", PREVIEW)], "preview"),
            ("GET", vec![("user-agent", PHONE), ("sec-purpose", "prefetch")], "prefetch"),
            ("HEAD", vec![("user-agent", PHONE)], "scanner"),
            ("GET", vec![("user-agent", "curl/8.5.0")], "scanner"),
            ("GET", vec![], "scanner"),
            ("GET", vec![("user-agent", PHONE)], "human"),
            ("GET", vec![("user-agent", PHONE)], "repeat"),
        ];
        for (method, headers, _) in &looks {
            world.advance(1);
            assert_eq!(world.open(method, &world.codes[0], headers).await.status, 302);
        }
        let page = world.page("").await;
        let classes: Vec<_> = page["clicks"].as_array().unwrap().iter().rev().map(|one| one["class"].clone()).collect();
        assert_eq!(classes, looks.map(|(_, _, class)| json!(class)));
    }

    async fn a_message_that_is_gone_leads_nowhere(world = Tracked::new) {
        world.open("GET", &world.codes[0], &[("user-agent", PHONE)]).await;
        delete_contact(&world).await;
        let answer = world.open("GET", &world.codes[0], &[("user-agent", PHONE), ("accept", "text/html,*/*")]).await;
        assert_eq!((answer.status.as_u16(), answer.headers.get("location")), (404, None));
        assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
        assert!(answer.text.contains("no longer exists") && answer.headers["cache-control"] == "no-store");
        let page = world.page("").await;
        assert_eq!(page["clicks"].as_array().unwrap().len(), 2);
        for click in page["clicks"].as_array().unwrap() {
            for member in ["address", "user_agent", "referer", "bsuid", "contact_name", "contact_phone"] {
                assert!(click.get(member).is_none(), "{click}");
            }
        }
    }
}
