//! V1: `getMessages`, `assignOperator`, `updateChatStatus` and one message.

use serde_json::json;

use crate::conversations::{ADA, FILE, World, normalized};

testkit::both_databases! {
    async fn messages_have_the_shape_of_the_hosted_platforms(test) {
        let world = World::new(test).await;
        world.fill().await;
        let page = world.get(&format!("v1/getMessages/{ADA}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("messages", normalized(page.json())); }
        assert_eq!(page.json()["messages"]["items"][1]["data"], FILE);
        let paged = world.get(&format!("v1/getMessages/+{ADA}?pageSize=3&pageNumber=1")).await.json();
        assert_eq!(paged["messages"]["items"].as_array().unwrap().len(), 3);
        assert_eq!((&paged["messages"]["total"], &paged["link"]["prevPage"]), (&json!(4), &json!(null)));
        let next = paged["link"]["nextPage"].as_str().unwrap();
        assert!(next.ends_with("pageSize=3&pageNumber=2"), "{next}");
        let rest = world.app.get(next, &world.token).await.json();
        assert_eq!(rest["messages"]["items"].as_array().unwrap().len(), 1);
        assert_eq!(rest["link"]["nextPage"], json!(null));
    }

    async fn the_number_is_found_wherever_it_stands(test) {
        let world = World::new(test).await;
        world.fill().await;
        world.talk_over_sales().await;
        for operation in [
            format!("getMessages/{ADA}?channelPhoneNumber=14155550100"),
            format!("getmessages?whatsappNumber={ADA}&channelNumber=Support"),
            format!("getMessages?whatsappNumber=%2B{ADA}&channel_number=%2B14155550100"),
            format!("getMessages/14155559999?target={}", world.talk.id),
            format!("getMessages/Support:{ADA}?channelPhoneNumber=14155550101"),
        ] {
            let page = world.get(&format!("v1/{operation}")).await;
            assert_eq!(page.json()["messages"]["total"], 4, "{operation}: {}", page.text);
        }
    }

    async fn one_message_by_its_senders_id(test) {
        let world = World::new(test).await;
        world.fill().await;
        for number in [ADA, "14155550100"] {
            let found = world.get(&format!("v1/whatsapp/messages/{number}/cat-1")).await;
            assert_eq!(found.status, 200, "{}", found.text);
            insta::allow_duplicates! { insta::assert_json_snapshot!("message", normalized(found.json())); }
        }
        for (number, id) in [("14155550101", "cat-1"), (ADA, "cat-2"), ("x", "cat-1")] {
            let missing = world.get(&format!("v1/whatsApp/messages/{number}/{id}")).await;
            assert_eq!(missing.json(), json!({"result": false, "info": "There is no such message"}), "{number} {id}");
        }
    }

    async fn operators(test) {
        let world = World::new(test).await;
        for email in ["grace@example.com", "linus@example.com"] {
            world.operator(email).await;
        }
        let done = json!({"result": true});
        for operation in [
            format!("assignOperator?email=Grace@example.com&whatsappNumber={ADA}"),
            format!("assignOperator/{ADA}?email=grace@example.com"),
            format!("assignOperator?email=linus@example.com&whatsappNumber={ADA}&takeOver=true"),
            format!("assignOperator?email=grace@example.com&whatsappNumber={ADA}&from=linus@example.com"),
            // Without an address: the bot.
            format!("assignOperator?whatsappNumber={ADA}"),
        ] {
            assert_eq!(world.post(&format!("v1/{operation}"), &json!({})).await.json(), done, "{operation}");
        }
        let body = json!({"email": "linus@example.com", "whatsappNumber": ADA});
        assert_eq!(world.post("v1/assignOperator", &body).await.json(), done);
        let wanted = format!("v1/assignOperator?email=grace@example.com&whatsappNumber={ADA}&takeOver=false");
        let taken = world.post(&wanted, &json!({})).await;
        assert_eq!(taken.status, 200);
        insta::allow_duplicates! { insta::assert_json_snapshot!("taken", taken.json()); }
        for (operation, info) in [
            (format!("assignOperator?email=nobody@example.com&whatsappNumber={ADA}"), "email: there is no such operator"),
            ("assignOperator?email=grace@example.com&whatsappNumber=14155552699".to_owned(), "There is no such conversation"),
            (format!("assignOperator?email=grace@example.com&whatsappNumber={ADA}&channelPhoneNumber=1"), "whatsappNumber: there is no channel \"1\""),
        ] {
            let failed = world.post(&format!("v1/{operation}"), &json!({})).await.json();
            assert_eq!(failed, json!({"result": false, "info": info}), "{operation}");
        }
        let wrong = world.post(&format!("v1/assignOperator?whatsappNumber={ADA}&takeOver=yes"), &json!({})).await;
        assert_eq!((wrong.status.as_u16(), wrong.json()["parameter"].clone()), (400, json!("takeOver")));
    }

    async fn statuses_and_an_ambiguous_number(test) {
        let world = World::new(test).await;
        let done = json!({"result": true});
        for status in ["SOLVED", "open", "PENDING", "BLOCK"] {
            let body = json!({"whatsappNumber": ADA, "ticketStatus": status});
            assert_eq!(world.post("v1/updateChatStatus", &body).await.json(), done, "{status}");
        }
        let body = json!({"whatsappNumber": ADA, "ticketStatus": "OPEN"});
        world.post("v1/updateChatStatus", &body).await;
        world.talk_over_sales().await;
        let failed = world.post("v1/updateChatStatus", &body).await;
        assert_eq!(failed.status, 200);
        insta::allow_duplicates! { insta::assert_json_snapshot!("ambiguous", failed.json()); }
        let body = json!({"whatsappNumber": ADA, "ticketStatus": "OPEN", "channelPhoneNumber": "14155550101"});
        assert_eq!(world.post("v1/updateChatStatus", &body).await.json(), done);
        for (body, parameter) in [
            (json!({"whatsappNumber": ADA}), "ticketStatus"),
            (json!({"whatsappNumber": ADA, "ticketStatus": "CLOSED"}), "ticketStatus"),
            (json!({"ticketStatus": "OPEN"}), "whatsappNumber"),
        ] {
            let answer = world.post("v1/updateChatStatus", &body).await;
            assert_eq!((answer.status.as_u16(), answer.json()["parameter"].clone()), (400, json!(parameter)), "{body}");
        }
    }
}
