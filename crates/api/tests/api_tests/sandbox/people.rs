//! Actions of people, and the posts that the business receives for them.

use serde_json::{Value, json};

use crate::sandbox::{ADA, SANDBOX, Stage, developer, good, normalized};

/// The types of all messages in all posts.
fn kinds(posted: &[Value]) -> Vec<String> {
    let inside = |value: &'static str| move |one: &Value| one[value].as_array().cloned().unwrap_or_default();
    let changes = posted.iter().flat_map(inside("entry")).flat_map(|entry| inside("changes")(&entry));
    let messages = changes.flat_map(|change| inside("messages")(&change["value"]));
    messages.map(|message| message["type"].as_str().unwrap().to_owned()).collect()
}

testkit::both_databases! {
    async fn the_people_of_a_tenant_are_its_own(test) {
        let stage = Stage::new(test).await;
        let people = stage.get("people").await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("person", normalized(people["people"][0].clone())); }
        assert_eq!(people["people"][0]["phone"], ADA);
        let added = stage.post("people", json!({"name": "Kim Larsen", "phone": "+1 415 555 0177", "username": "@Kim.Larsen"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("added", normalized(added.clone())); }
        let other = stage.app.test.new_tenant("unlimited").await;
        let jwt = developer(&stage.app, other).await;
        let theirs = good(&stage.app.get(&format!("{SANDBOX}/people"), &jwt).await);
        assert!(!theirs["people"].as_array().unwrap().contains(&added));
        assert_ne!(theirs["people"][0]["bsuid"], people["people"][0]["bsuid"]);
    }

    async fn a_person_writes_and_reads_and_taps(test) {
        let stage = Stage::new(test).await;
        let said = stage.post(&format!("people/{ADA}/say"), json!({"text": "Where is my order?"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("said", normalized(said)); }
        let buttons = json!({"buttons": [{"type": "reply", "reply": {"id": "yes", "title": "Yes"}}, {"type": "reply", "reply": {"id": "no", "title": "No"}}]});
        let asked = json!({"type": "button", "body": {"text": "Shall we call?"}, "action": buttons});
        let id = stage.business_sends("interactive", asked).await;
        let inbox = stage.get("people/ada.winter/inbox").await;
        assert_eq!(inbox["messages"][0]["id"], id);
        insta::allow_duplicates! { insta::assert_json_snapshot!("inbox", normalized(inbox)); }
        let tapped = stage.post(&format!("people/{ADA}/tap"), json!({"button": "Yes"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("tapped", normalized(tapped)); }
        stage.post(&format!("people/{ADA}/tap"), json!({"button": 1, "message": id})).await;
        stage.post(&format!("people/{ADA}/say"), json!({"reaction": "👍", "reply_to": id})).await;
        stage.post("people/%40ada.winter/say", json!({"location": {"latitude": 52.52, "longitude": 13.405, "name": "Home"}})).await;
        stage.post("people/Ada%20Winter/say", json!({"image": {"caption": "Like this"}})).await;
        let posted = stage.journalled().await;
        assert_eq!(kinds(&posted), ["text", "interactive", "interactive", "reaction", "location", "image"]);
    }

    async fn a_link_is_opened_as_a_browser_does(test) {
        let stage = Stage::new(test).await;
        stage.post(&format!("people/{ADA}/say"), json!({"text": "Hello"})).await;
        let link = json!({"name": "cta_url", "parameters": {"display_text": "Is it up?", "url": "http://switchboard.test/healthz"}});
        let id = stage.business_sends("interactive", json!({"type": "cta_url", "body": {"text": "Look"}, "action": link})).await;
        let opened = stage.post(&format!("people/{ADA}/open"), json!({"report": true})).await;
        assert_eq!(opened, json!({"message": id, "button": "Is it up?", "hops": [{"url": "http://switchboard.test/healthz", "status": 200}]}));
        let by_tap = stage.post(&format!("people/{ADA}/tap"), json!({"button": "is it up?"})).await;
        assert_eq!(by_tap, json!({"hops": opened["hops"]}));
    }

    async fn a_call_that_is_made_and_one_that_is_missed(test) {
        let stage = Stage::new(test).await;
        let called = stage.post(&format!("people/{ADA}/call"), json!({"seconds": 95})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("called", normalized(called)); }
        let missed = stage.post(&format!("people/{ADA}/call"), json!({"missed": true})).await;
        assert_eq!(missed["answered_at"], Value::Null);
    }

    async fn marketing_is_stopped_and_resumed(test) {
        let stage = Stage::new(test).await;
        for (marketing, event) in [(false, "stop"), (true, "resume")] {
            let preferred = stage.post(&format!("people/{ADA}/prefer"), json!({"marketing": marketing})).await;
            assert_eq!(preferred["marketing"], marketing, "{preferred}");
            let posted = stage.journalled().await;
            let change = &posted.last().unwrap()["entry"][0]["changes"][0];
            assert_eq!(change["field"], "user_preferences");
            assert_eq!(change["value"]["user_preferences"][0]["value"], event);
        }
    }

    async fn an_order_is_paid_once(test) {
        let stage = Stage::new(test).await;
        stage.post(&format!("people/{ADA}/say"), json!({"text": "I take it"})).await;
        let amount = |value: i64| json!({"value": value, "offset": 100});
        let item = json!({"retailer_id": "tea-1", "name": "Tea", "amount": amount(21_000), "quantity": 1});
        let parameters = json!({
            "reference_id": "order-42", "type": "digital-goods", "payment_type": "upi", "payment_configuration": "main",
            "currency": "INR", "total_amount": amount(21_000),
            "order": {"status": "pending", "items": [item], "subtotal": amount(21_000)},
        });
        let action = json!({"name": "review_and_pay", "parameters": parameters});
        stage.business_sends("interactive", json!({"type": "order_details", "body": {"text": "Your order"}, "action": action})).await;
        let paid = stage.post(&format!("people/{ADA}/pay"), json!({"reference_id": "order-42"})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("paid", normalized(paid)); }
        let again = stage.send("POST", &format!("people/{ADA}/pay"), &json!({"reference_id": "order-42"})).await;
        assert_eq!((again.status.as_u16(), again.reason().as_str()), (409, "conflict"), "{}", again.text);
    }
}
