//! Actions of people, and the posts that the business receives for them.

use axum::body::Bytes;
use serde_json::{Value, json};

use crate::sandbox::{ADA, Driving as _, SANDBOX, developer, driver, normalized};

/// The beginning of a PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01";

/// The types of all messages in all posts.
fn kinds(posted: &[Value]) -> Vec<String> {
    let inside = |value: &'static str| move |one: &Value| one[value].as_array().cloned().unwrap_or_default();
    let changes = posted.iter().flat_map(inside("entry")).flat_map(|entry| inside("changes")(&entry));
    let messages = changes.flat_map(|change| inside("messages")(&change["value"]));
    messages.map(|message| message["type"].as_str().unwrap().to_owned()).collect()
}

testkit::both_databases! {
    async fn the_people_of_a_tenant_are_its_own(stage = driver) {
        let people = stage.read("people").await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("person", normalized(people["people"][0].clone())); }
        assert_eq!(people["people"][0]["phone"], ADA);
        let added = stage.act("people", json!({"name": "Kim Larsen", "phone": "+1 415 555 0177", "username": "@Kim.Larsen"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("added", normalized(added.clone())); }
        let other = stage.test.new_tenant("unlimited").await;
        let jwt = developer(&stage, other).await;
        let theirs = stage.by(&jwt).get(&format!("{SANDBOX}/people")).await.ok();
        assert!(!theirs["people"].as_array().unwrap().contains(&added));
        assert_ne!(theirs["people"][0]["bsuid"], people["people"][0]["bsuid"]);
    }

    async fn a_person_writes_and_reads_and_taps(stage = driver) {
        let said = stage.act(&format!("people/{ADA}/say"), json!({"text": "Where is my order?"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("said", normalized(said)); }
        let buttons = json!({"buttons": [{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}, {"type": "reply", "reply": {"id": "no", "title": "No"}}]});
        let asked = json!({"type": "button", "body": {"text": "Shall we call?"}, "action": buttons});
        let id = stage.business_sends("interactive", asked).await;
        let inbox = stage.read("people/ada.winter/inbox").await;
        assert_eq!(inbox["messages"][0]["id"], id);
        insta::allow_duplicates! { insta::assert_json_snapshot!("inbox", normalized(inbox)); }
        let tapped = stage.act(&format!("people/{ADA}/tap"), json!({"button": "Yes"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("tapped", normalized(tapped)); }
        stage.act(&format!("people/{ADA}/tap"), json!({"button": 1, "message": id})).await;
        stage.act(&format!("people/{ADA}/say"), json!({"reaction": "👍", "reply_to": id})).await;
        stage.act("people/%40ada.winter/say", json!({"location": {"latitude": 52.52, "longitude": 13.405, "name": "Home"}})).await;
        stage.act("people/Ada%20Winter/say", json!({"image": {"caption": "Like this"}})).await;
        let posted = stage.journalled().await;
        assert_eq!(kinds(&posted), ["text", "interactive", "interactive", "reaction", "location", "image"]);
    }

    async fn a_link_is_opened_as_a_browser_does(stage = driver) {
        stage.act(&format!("people/{ADA}/say"), json!({"text": "Hello"})).await;
        let link = json!({"name": "cta_url", "parameters": {"display_text": "Is it up?", "url": "http://switchboard.test/healthz"}});
        let id = stage.business_sends("interactive", json!({"type": "cta_url", "body": {"text": "Look"}, "action": link})).await;
        let opened = stage.act(&format!("people/{ADA}/open"), json!({"report": true})).await;
        assert_eq!(opened, json!({"message": id, "button": "Is it up?", "hops": [{"url": "http://switchboard.test/healthz", "status": 200}]}));
        let by_tap = stage.act(&format!("people/{ADA}/tap"), json!({"button": "is it up?"})).await;
        assert_eq!(by_tap, json!({"hops": opened["hops"]}));
    }

    async fn a_call_that_is_made_and_one_that_is_missed(stage = driver) {
        let called = stage.act(&format!("people/{ADA}/call"), json!({"seconds": 95})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("called", normalized(called)); }
        let missed = stage.act(&format!("people/{ADA}/call"), json!({"missed": true})).await;
        assert_eq!(missed["answered_at"], Value::Null);
    }

    async fn marketing_is_stopped_and_resumed(stage = driver) {
        for (marketing, event) in [(false, "stop"), (true, "resume")] {
            let preferred = stage.act(&format!("people/{ADA}/prefer"), json!({"marketing": marketing})).await;
            assert_eq!(preferred["marketing"], marketing, "{preferred}");
            let posted = stage.journalled().await;
            let change = &posted.last().unwrap()["entry"][0]["changes"][0];
            assert_eq!(change["field"], "user_preferences");
            assert_eq!(change["value"]["user_preferences"][0]["value"], event);
        }
    }

    async fn an_order_is_paid_once(stage = driver) {
        stage.act(&format!("people/{ADA}/say"), json!({"text": "I take it"})).await;
        let amount = |value: i64| json!({"value": value, "offset": 100});
        let item = json!({"retailer_id": "tea-1", "name": "Tea", "amount": amount(21_000), "quantity": 1});
        let parameters = json!({
            "reference_id": "order-42", "type": "digital-goods", "payment_type": "upi", "payment_configuration": "main",
            "currency": "INR", "total_amount": amount(21_000),
            "order": {"status": "pending", "items": [item], "subtotal": amount(21_000)},
        });
        let action = json!({"name": "review_and_pay", "parameters": parameters});
        stage.business_sends("interactive", json!({"type": "order_details", "body": {"text": "Your order"}, "action": action})).await;
        let paid = stage.act(&format!("people/{ADA}/pay"), json!({"reference_id": "order-42"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("paid", normalized(paid)); }
        let again = stage.attempt("POST", &format!("people/{ADA}/pay"), &json!({"reference_id": "order-42"})).await;
        assert_eq!((again.status.as_u16(), again.reason().as_str()), (409, "conflict"), "{}", again.text);
    }

    async fn the_phone_shows_headers_footers_and_files(stage = driver) {
        stage.act(&format!("people/{ADA}/say"), json!({"text": "Hello"})).await;
        let (sandbox, tenant) = (stage.sandbox(), stage.tenant());
        let channel = stage.app.messaging().channels().list(&app::Command(tenant)).await.unwrap()[0].id;
        let stored = async |bytes: &'static [u8]| {
            sandbox.add_media(tenant, channel, "image/png", &Bytes::from_static(bytes)).await.unwrap().id
        };
        let header = json!({"type": "image", "image": {"id": stored(PNG).await}});
        let action = json!({"buttons": [{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}]});
        let offer = json!({"type": "button", "header": header, "body": {"text": "New teas"}, "footer": {"text": "Reply STOP"}, "action": action});
        stage.business_sends("interactive", offer).await;
        let plan = json!({"link": "https://shop.example/plan.pdf", "filename": "Räume.pdf", "caption": "The plan"});
        stage.business_sends("document", plan).await;
        stage.business_sends("image", json!({"id": stored(b"<script>alert(1)</script>").await})).await;
        stage.business_sends("image", json!({"link": "https://shop.example/missing.png"})).await;
        let plain = stage.business_sends("text", json!({"body": "Bye"})).await;
        let inbox = stage.read(&format!("people/{ADA}/inbox")).await;
        let [offer, plan, page, missing, bye] = inbox["messages"].as_array().unwrap().as_slice() else { panic!("{inbox}") };
        assert_eq!((&offer["text"], &offer["body"], &offer["footer"]), (&json!("New teas\nReply STOP"), &json!("New teas"), &json!("Reply STOP")));
        assert_eq!((&offer["header"]["type"], offer.get("media")), (&json!("image"), None));
        assert_eq!((&plan["media"]["type"], &plan["media"]["file_name"], &plan["body"]), (&json!("document"), &json!("Räume.pdf"), &json!("The plan")));
        assert_eq!((bye.get("header"), bye.get("media"), bye.get("footer"), &bye["body"]), (None, None, None, &json!("Bye")));
        let open = async |url: &Value| stage.get(url.as_str().unwrap()).await;
        for (url, mime, disposition) in [
            (&offer["header"]["url"], "image/png", "inline; filename="),
            (&plan["media"]["url"], "application/pdf", "attachment; filename=\"R_ume.pdf\""),
            (&page["media"]["url"], "application/octet-stream", "attachment; filename="),
        ] {
            let file = open(url).await;
            let header = |name: &str| file.headers[name].to_str().unwrap().to_owned();
            assert_eq!((file.status.as_u16(), header("content-type").as_str()), (200, mime), "{}", file.text);
            assert!(header("content-disposition").starts_with(disposition), "{}", header("content-disposition"));
            assert_eq!(header("x-content-type-options"), "nosniff");
            assert_eq!(header("content-security-policy"), "default-src 'none'; sandbox");
        }
        let refused = open(&missing["media"]["url"]).await;
        assert_eq!((refused.status.as_u16(), refused.reason().as_str()), (400, "url_refused"), "{}", refused.text);
        let own = offer["header"]["url"].as_str().unwrap();
        let others = format!("{SANDBOX}/people/deepa_rao/inbox/{}/file", own.split('/').nth_back(1).unwrap());
        for path in [others, format!("{SANDBOX}/people/{ADA}/inbox/{plain}/file"), format!("{SANDBOX}/people/{ADA}/inbox/x/file")] {
            assert_eq!(stage.get(&path).await.status, 404, "{path}");
        }
        let other = stage.test.new_tenant("unlimited").await;
        let jwt = developer(&stage, other).await;
        assert_eq!(stage.by(&jwt).get(own).await.status, 404);
    }

    async fn a_template_shows_its_texts_apart(stage = driver) {
        let components = json!([
            {"type": "HEADER", "format": "LOCATION"},
            {"type": "BODY", "text": "Hello {{1}}, come by.", "example": {"body_text": [["Ada"]]}},
            {"type": "FOOTER", "text": "Your shop"},
        ]);
        stage.ask_graph("{account}/message_templates", json!({"name": "visit", "language": "en", "category": "UTILITY", "components": components})).await;
        stage.test.clock.advance(std::time::Duration::from_mins(1));
        let place = json!({"latitude": 1.5, "longitude": 2.5, "name": "Shop", "address": "Quay 1"});
        let given = json!([
            {"type": "header", "parameters": [{"type": "location", "location": place}]},
            {"type": "body", "parameters": [{"type": "text", "text": "Ada"}]},
        ]);
        stage.business_sends("template", json!({"name": "visit", "language": {"code": "en"}, "components": given})).await;
        let message = stage.read(&format!("people/{ADA}/inbox")).await["messages"][0].clone();
        assert_eq!(message["header"], json!({"type": "location", "text": "Shop, Quay 1"}));
        assert_eq!((&message["body"], &message["footer"]), (&json!("Hello Ada, come by."), &json!("Your shop")));
    }
}
