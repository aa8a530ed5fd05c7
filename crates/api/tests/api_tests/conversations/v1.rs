//! V1: `getMessages`, `assignOperator`, `updateChatStatus` and one message.

use serde_json::json;

use crate::conversations::{ADA, FILE, Talking, normalized};

testkit::both_databases! {
    async fn messages_have_the_shape_of_the_hosted_platforms(world = Talking::new) {
        world.fill().await;
        let page = world.get(&format!("v1/getMessages/{ADA}")).await;
        assert_eq!(page.status, 200, "{}", page.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("messages", normalized(page.json())); }
        let file = format!("https://switchboard.example/{}/api/file/showFile?fileName={FILE}", world.tenant());
        assert_eq!(page.json()["messages"]["items"][1]["data"], file);
        let paged = world.get(&format!("v1/getMessages/+{ADA}?pageSize=3&pageNumber=1")).await.json();
        assert_eq!(paged["messages"]["items"].as_array().unwrap().len(), 3);
        assert_eq!((&paged["messages"]["total"], &paged["link"]["prevPage"]), (&json!(4), &json!(null)));
        let next = paged["link"]["nextPage"].as_str().unwrap();
        assert!(next.ends_with("pageSize=3&pageNumber=2"), "{next}");
        let rest = world.world.get(next).await.json();
        assert_eq!(rest["messages"]["items"].as_array().unwrap().len(), 1);
        assert_eq!(rest["link"]["nextPage"], json!(null));
    }

    async fn the_number_is_found_wherever_it_stands(world = Talking::new) {
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

    async fn a_history_has_a_range_and_pages_from_zero(world = Talking::new) {
        let begin = world.now();
        world.fill().await;
        let at = |seconds: i64| begin.to_millis().plus_seconds(seconds).to_rfc3339();
        let plain = |seconds: i64| at(seconds)[..23].replace('T', "%20");
        for (query, texts) in [
            ("pageNumber=0&pageSize=2".to_owned(), vec!["Sale!", "A cat"]),
            ("pageSize=9000".to_owned(), vec!["Sale!", "A cat", "The ticket was opened", "Hello"]),
            (format!("from={}", at(3)), vec!["Sale!", "A cat"]),
            (format!("from={}&to={}", at(2), at(3)), vec!["A cat", "The ticket was opened"]),
            (format!("to={}", plain(2)), vec!["The ticket was opened", "Hello"]),
            (format!("from={}", &at(0)[..10]), vec!["Sale!", "A cat", "The ticket was opened", "Hello"]),
            ("to=2020-01-01".to_owned(), vec![]),
        ] {
            let page = world.get(&format!("v1/getMessages/{ADA}?{query}")).await.json();
            let items = page["messages"]["items"].as_array().unwrap();
            assert_eq!(items.iter().map(|one| one["text"].as_str().unwrap()).collect::<Vec<_>>(), texts, "{query}");
            assert_eq!(page["messages"]["pageNumber"], 1, "{query}");
        }
        for (query, parameter) in [("from=yesterday", "from"), ("from=2026-04-02&to=2026-04-01", "from"), ("pageNumber=-1", "pageNumber")] {
            let refused = world.get(&format!("v1/getMessages/{ADA}?{query}")).await;
            assert_eq!((refused.status.as_u16(), refused.json()["parameter"].clone()), (400, json!(parameter)), "{query}");
        }
        let received = world.get(&format!("v1/getMessages/{ADA}")).await.json()["messages"]["items"][3].clone();
        assert_eq!((&received["text"], &received["statusString"]), (&json!("Hello"), &json!("SENT")));
        for member in ["data", "replySourceMessage", "messageReferral", "contacts", "messageProducts", "orderProducts", "interactiveData", "orderDetailsViewModel"] {
            assert_eq!(received.get(member), Some(&json!(null)), "{member}");
        }
    }

    /// Nothing that a person sends is invisible: V1 and V3 show the same `data`.
    async fn what_is_not_text_arrives_as_data(world = Talking::new) {
        let kinds = [
            ("location", json!({"latitude": 52.5, "longitude": 13.4, "name": "Workshop", "address": "Invalidenstr. 1"}),
                json!({"latitude": 52.5, "longitude": 13.4, "name": "Workshop", "address": "Invalidenstr. 1"})),
            ("reaction", json!({"message_id": "wamid.1", "emoji": "👍"}), json!({"emoji": "👍", "messageId": "wamid.1"})),
            ("order", json!({"catalog_id": "610", "text": "A present", "product_items": [
                {"product_retailer_id": "kettle", "quantity": 2, "item_price": 30, "currency": "USD"}]}),
                json!({"catalogId": "610", "text": "A present", "productItems": [
                {"productRetailerId": "kettle", "quantity": 2, "itemPrice": 30, "currency": "USD"}]})),
            ("interactive", json!({"type": "nfm_reply", "nfm_reply": {"name": "flow", "body": "Sent", "response_json": "{\"day\":1}"}}),
                json!({"name": "flow", "body": "Sent", "responseJson": "{\"day\":1}"})),
            ("contacts", json!([{"name": {"formatted_name": "Bob"}, "phones": [{"phone": "+1 415"}]}]),
                json!([{"name": {"formatted_name": "Bob"}, "phones": [{"phone": "+1 415"}]}])),
            ("hologram", json!({"depth": 3}), json!({"type": "hologram", "hologram": {"depth": 3}})),
        ];
        for (kind, content, _) in &kinds {
            world.received(kind, &json!({"type": kind, (*kind): content})).await;
        }
        let v1 = world.get(&format!("v1/getMessages/{ADA}")).await.json()["messages"]["items"].clone();
        let v3 = world.get(&format!("/{ADA}/messages")).await.json()["message_list"].clone();
        for (place, (kind, _, data)) in kinds.iter().rev().enumerate() {
            assert_eq!((&v1[place]["type"], &v1[place]["data"]), (&json!(kind), data));
            assert_eq!((&v3[place]["type"], &v3[place]["data"]), (&json!(kind), data));
        }
        assert_eq!((&v1[1]["contacts"], &v1[3]["orderProducts"]), (&kinds[4].2, &kinds[2].2["productItems"]));
    }

    async fn one_message_by_its_senders_id(world = Talking::new) {
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

    async fn operators(world = Talking::new) {
        for email in ["grace@example.com", "linus@example.com"] {
            world.operator(email).await;
        }
        let done = json!({"result": true});
        for operation in [
            format!("assignOperator?email=Grace@example.com&whatsappNumber={ADA}"),
            format!("assignOperator/{ADA}?email=grace@example.com"),
            format!("assignOperator?email=linus@example.com&whatsappNumber={ADA}&takeOver=true"),
            format!("assignOperator?email=grace@example.com&whatsappNumber={ADA}&from=linus@example.com"),
            // Without `email` the conversation goes to the bot.
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

    async fn statuses_and_a_number_with_several_conversations(world = Talking::new) {
        let done = json!({"result": true});
        for status in ["SOLVED", "open", "PENDING", "BLOCK"] {
            let body = json!({"whatsappNumber": ADA, "ticketStatus": status});
            assert_eq!(world.post("v1/updateChatStatus", &body).await.json(), done, "{status}");
        }
        let body = json!({"whatsappNumber": ADA, "ticketStatus": "OPEN"});
        world.post("v1/updateChatStatus", &body).await;
        let sales = world.talk_over_sales().await;
        // Without a channel the most recently active open conversation is meant.
        let body = json!({"whatsappNumber": ADA, "ticketStatus": "SOLVED"});
        assert_eq!(world.post("v1/updateChatStatus", &body).await.json(), done);
        let shown = world.get("").await.json()["conversations"].clone();
        let status = |id: String| shown.as_array().unwrap().iter().find(|one| one["id"] == json!(id)).unwrap()["status"].clone();
        assert_eq!((status(sales.id.to_string()), status(world.talk.id.to_string())), (json!("solved"), json!("open")));
        let other = world.put(&format!("/{ADA}/status"), &json!({"new_status": "open"})).await;
        assert_eq!(other.status, 200, "only one is open: {}", other.text);
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
