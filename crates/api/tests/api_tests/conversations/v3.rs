//! V3: lists, histories, operators, statuses.

use std::sync::Arc;

use serde_json::json;

use crate::conversations::{ADA, Talking, assert_refused, normalized};

testkit::both_databases! {
    async fn a_page_of_conversations_has_the_documented_shape(world = Talking::new) {
        world.operator("grace@example.com").await;
        world.put(&format!("/{ADA}/operator"), &json!({"assignee_email": "grace@example.com"})).await;
        world.talk_over_sales().await;
        let page = world.get("").await;
        assert_eq!(page.status, 200, "{}", page.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("conversations", normalized(page.json())); }
        for (query, expected) in [
            ("status=open", 2),
            ("status=SOLVED", 0),
            ("assignee=grace@example.com", 1),
            ("assignee=unassigned", 1),
            ("assignee=bot", 0),
            ("channel=support", 1),
            ("channel=14155550101&search=love", 1),
            ("search=bob", 0),
            ("pageSize=1", 1),
            ("page_size=1&page_number=3", 0),
        ] {
            let answer = world.get(&format!("?{query}")).await;
            assert_eq!(answer.json()["conversations"].as_array().map(Vec::len), Some(expected), "{query}: {}", answer.text);
        }
    }

    async fn bad_parameters_are_named(world = Talking::new) {
        let long = format!("?search={}", "x".repeat(10_000));
        for (path, status, reason, parameter) in [
            ("?status=closed", 400, "invalid_parameter", "status"),
            ("?assignee=nobody@example.com", 400, "invalid_parameter", "assignee"),
            ("?assignee=No%20Team", 400, "invalid_parameter", "assignee"),
            ("?channel=Press", 400, "invalid_parameter", "channel"),
            ("?page_size=101", 400, "invalid_parameter", "page_size"),
            ("?page_number=0", 400, "invalid_parameter", "page_number"),
            ("?page_number=101&page_size=100", 400, "invalid_parameter", "page_number"),
            (&long, 400, "invalid_parameter", "search"),
            ("/14155552671/messages?page_number=10001", 400, "invalid_parameter", "page_number"),
            ("/14155552671/messages?page_number=501", 400, "invalid_parameter", "page_number"),
            ("/Press:14155552671/messages", 404, "not_found", "target"),
        ] {
            assert_refused(&world.get(path).await, status, reason, parameter);
        }
        for target in ["14155552699", "nonsense", "507f1f77bcf86cd799439011", "US.77"] {
            let answer = world.get(&format!("/{target}/messages")).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{target}");
        }
    }

    async fn messages_have_the_documented_shape(world = Talking::new) {
        world.fill().await;
        world.put(&format!("/{ADA}/operator"), &json!({"assignee_email": "grace@example.com"})).await;
        let page = world.get(&format!("/{}/messages?page_size=10", world.talk.id)).await;
        assert_eq!(page.status, 200, "{}", page.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("messages", normalized(page.json())); }
        let short = world.get(&format!("/{ADA}/messages?page_size=2&page_number=2")).await.json();
        assert_eq!(short["message_list"].as_array().unwrap().len(), 2);
        assert_eq!(short["page_number"], 2);
    }

    async fn an_ambiguous_target_lists_its_conversations(world = Talking::new) {
        world.talk_over_sales().await;
        let answer = world.get(&format!("/{ADA}/messages")).await;
        assert_refused(&answer, 409, "ambiguous_target", "target");
        insta::allow_duplicates! { insta::assert_json_snapshot!("ambiguous", normalized(answer.json())); }
        for (method, body) in [("operator", json!({"assignee_email": null})), ("status", json!({"new_status": "solved"}))] {
            assert_refused(&world.put(&format!("/{ADA}/{method}"), &body).await, 409, "ambiguous_target", "target");
            let chosen = world.put(&format!("/Support:{ADA}/{method}"), &body).await;
            assert_eq!((chosen.status.as_u16(), chosen.json()), (200, json!({"result": true})));
        }
        // One of the two conversations is solved, so the target means the other.
        assert_eq!(world.get(&format!("/{ADA}/messages")).await.status, 200);
    }

    async fn operators_and_their_conflicts(world = Talking::new) {
        for email in ["grace@example.com", "linus@example.com"] {
            world.operator(email).await;
        }
        let path = format!("/{ADA}/operator");
        for (body, status, reason, parameter) in [
            (json!({}), 400, "invalid_parameter", "assignee_email"),
            (json!({"assignee_email": 7}), 400, "invalid_body", "assignee_email"),
            (json!({"assignee_email": "nobody@example.com"}), 400, "invalid_parameter", "assignee_email"),
            (json!({"team": "Sales"}), 400, "invalid_parameter", "team"),
            (json!({"assignee_email": "grace@example.com", "team": "Sales"}), 400, "invalid_parameter", "team"),
            (json!({"assignee_email": "grace@example.com", "take_over": "yes"}), 400, "invalid_body", "take_over"),
            (json!({"assignee_email": "grace@example.com", "from": "bot"}), 409, "conflict", "from"),
        ] {
            assert_refused(&world.put(&path, &body).await, status, reason, parameter);
        }
        for body in [
            json!({"assignee_email": "grace@example.com"}),
            json!({"assignee_email": "grace@example.com"}),
            json!({"assignee_email": "linus@example.com", "take_over": true}),
            json!({"assignee_email": "grace@example.com", "from": "linus@example.com"}),
            json!({"assignee_email": null}),
            json!({"assignee_email": "linus@example.com"}),
            // Reassigning from one operator to another needs neither `from` nor `take_over`.
            json!({"assignee_email": "grace@example.com"}),
            json!({"assignee_email": "linus@example.com"}),
        ] {
            let answer = world.put(&path, &body).await;
            assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"result": true})), "{body}");
        }
        let taken = world.put(&path, &json!({"assignee_email": "grace@example.com", "take_over": false})).await;
        assert_refused(&taken, 409, "conflict", "assignee_email");
        assert!(taken.text.contains("linus@example.com has taken the conversation"), "{}", taken.text);
    }

    async fn of_twenty_who_take_it_at_once_one_gets_it(test) {
        let world = Arc::new(Talking::new(test.db.engine()).await);
        for n in 0..20 {
            world.operator(&format!("operator{n}@example.com")).await;
        }
        let start = Arc::new(tokio::sync::Barrier::new(20));
        let takers = (0..20).map(|n| {
            let (world, start) = (world.clone(), start.clone());
            tokio::spawn(async move {
                start.wait().await;
                let body = json!({"assignee_email": format!("operator{n}@example.com"), "from": "unassigned"});
                world.put(&format!("/{ADA}/operator"), &body).await.status.as_u16()
            })
        });
        let mut answers = Vec::new();
        for taker in takers.collect::<Vec<_>>() {
            answers.push(taker.await.unwrap());
        }
        answers.sort_unstable();
        assert_eq!(answers, [vec![200], vec![409; 19]].concat());
    }

    async fn statuses(world = Talking::new) {
        let path = format!("/{}/status", world.talk.id);
        for status in ["solved", "OPEN", "pending", "block", "block"] {
            let answer = world.put(&path, &json!({"new_status": status})).await;
            assert_eq!((answer.status.as_u16(), answer.json()), (200, json!({"result": true})), "{status}");
            let shown = world.get("").await.json()["conversations"][0]["status"].clone();
            assert_eq!(shown, status.to_lowercase());
        }
        assert_refused(&world.put(&path, &json!({"new_status": "closed"})).await, 400, "invalid_parameter", "new_status");
        assert_refused(&world.put(&path, &json!({})).await, 400, "invalid_body", "new_status");
        assert_eq!(world.put("/14155552699/status", &json!({"new_status": "open"})).await.status, 404);
    }

    async fn conversations_of_a_contact_are_listed(world = Talking::new) {
        let sales = world.talk_over_sales().await;
        let ids = async |query: &str| {
            let page = world.get(&format!("?contact={ADA}{query}")).await.json();
            let list = page["conversations"].as_array().unwrap_or_else(|| panic!("{page}"));
            let mut ids: Vec<String> = list.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect();
            ids.sort();
            ids
        };
        let mut both = vec![world.talk.id.to_string(), sales.id.to_string()];
        both.sort();
        assert_eq!(ids("").await, both);
        assert_eq!(ids("&channel=Sales").await, [sales.id.to_string()]);
        assert_eq!(ids("&page_number=1&page_size=1").await.len(), 1);
        assert_eq!(ids("&status=solved").await, Vec::<String>::new());
        assert_eq!(world.get("?contact=19995552671").await.status, 404);
        for (query, parameter) in [("&cursor=x", "cursor"), ("&search=a", "search"), ("&unread=true", "unread")] {
            let refused = world.get(&format!("?contact={ADA}{query}")).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(parameter)));
        }
    }

    async fn a_history_is_read_from_a_message_on(world = Talking::new) {
        world.fill().await;
        let messages = async |query: &str| world.get(&format!("/{}/messages{query}", world.talk.id)).await;
        let whole = messages("?page_size=100").await.json()["message_list"].as_array().unwrap().clone();
        assert!(whole.len() > 3);
        let id = |one: &serde_json::Value| one["id"].as_str().unwrap().to_owned();
        let mut seen = vec![whole[0].clone()];
        loop {
            let page = messages(&format!("?page_size=2&before={}", id(&seen[seen.len() - 1]))).await.json();
            let more = page["message_list"].as_array().unwrap().clone();
            if more.is_empty() {
                break;
            }
            seen.extend(more);
        }
        assert_eq!(seen, whole);
        for query in ["?before=x".to_owned(), "?before=507f1f77bcf86cd799439011".to_owned(), format!("?page_number=1&before={}", id(&whole[0]))] {
            let refused = messages(&query).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!("before")), "{query}");
        }
    }
}
