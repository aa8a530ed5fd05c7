//! Labels, notes, canned replies, read marks, snoozes and changes of the ticket over the wire.

use axum::body::Body;
use domain::Id;
use domain::delivery::events::{Fact, FactCause, FactKind};
use domain::identity::roles::Role;
use serde_json::{Value, json};
use testkit::world::{Answer, request};

use crate::conversations::{ADA, Talking, assert_refused, normalized};

impl Talking {
    async fn v3(&self, method: &str, path: &str, body: &Value) -> Answer {
        self.call(method, &format!("/api/ext/v3/{path}"), body).await
    }

    /// Adds a small file to a canned reply and returns its id.
    async fn upload(&self, reply: &str) -> String {
        let body = "--b\r\ncontent-disposition: form-data; name=\"file\"; filename=\"prices.txt\"\r\n\
                    content-type: text/plain\r\n\r\nprices\r\n--b--\r\n";
        let path = format!("/api/ext/v3/cannedReplies/{reply}/files");
        let answer = self.raw("POST", &path, "multipart/form-data; boundary=b", body).await.ok();
        answer["files"][0]["id"].as_str().unwrap().to_owned()
    }

    /// Appends a fact of Ada's conversation to the event log.
    async fn happened(&self, kind: FactKind, body: &Value) {
        let at = self.now().to_millis();
        let event_count = u32::try_from(kind.event_types().len()).unwrap();
        let (channel_id, conversation_id) = (Some(self.channel().id), Some(self.talk.id));
        let fact = Fact {
            id: Id::first_of(at, 4),
            kind,
            event_count,
            at,
            channel_id,
            conversation_id,
            contact_id: None,
            cause: FactCause::System,
            depth: 0,
            body: body.to_string(),
        };
        let write = self.test.db.write((self.tenant(), fact), |tx, (tenant, fact)| {
            Box::pin(store::delivery::events::append(tx, *tenant, std::slice::from_ref(fact)))
        });
        write.await.unwrap();
        self.app.delivery().events().number_log(self.tenant()).await.unwrap();
    }

    async fn done(&self, method: &str, path: &str, body: &Value) -> Value {
        let answer = self.v3(method, path, body).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text);
        answer.json()
    }
}

testkit::both_databases! {
    async fn labels_have_the_documented_shape(world = Talking::new) {
        let vip = world.done("POST", "labels", &json!({"name": " VIP ", "color": "Amber"})).await;
        let id = vip["id"].as_str().unwrap().to_owned();
        insta::allow_duplicates! { insta::assert_json_snapshot!("label", normalized(vip)); }
        world.done("POST", "labels", &json!({"name": "orders"})).await;
        let renamed = world.done("PUT", &format!("labels/{id}"), &json!({"name": "vip", "color": "purple"})).await;
        assert_eq!((&renamed["name"], &renamed["color"]), (&json!("vip"), &json!("purple")));
        let all = world.done("GET", "labels", &Value::Null).await;
        assert_eq!(all["labels"].as_array().map(Vec::len), Some(2));
        let set = world.done("PUT", &format!("conversations/{ADA}/labels"), &json!({"labels": ["VIP", "orders"]})).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("labels_on", normalized(set)); }
        let fewer = world.done("PUT", &format!("conversations/{ADA}/labels"), &json!({"remove": ["orders"]})).await;
        assert_eq!(fewer["labels"].as_array().map(Vec::len), Some(1));
        world.done("PUT", &format!("contacts/{ADA}/labels"), &json!({"add": [id]})).await;
        let contact = world.done("GET", &format!("contacts/{ADA}"), &Value::Null).await;
        assert_eq!(contact["labels"], json!(["vip"]));
        for (path, expected) in [("contacts?label=vip", 1), ("contacts?label=orders", 0)] {
            assert_eq!(world.done("GET", path, &Value::Null).await["contact_list"].as_array().map(Vec::len), Some(expected));
        }
        for (path, expected) in [("?label=vip", 1), ("?label=orders", 0), ("?label=vip&search=ada", 1), ("?snoozed=true", 0)] {
            let answer = world.get(path).await;
            assert_eq!(answer.json()["conversations"].as_array().map(Vec::len), Some(expected), "{path}: {}", answer.text);
        }
        for (method, path, body, status, reason, parameter) in [
            ("POST", "labels".to_owned(), json!({"name": "Vip"}), 409, "conflict", "name"),
            ("POST", "labels".to_owned(), json!({"name": " "}), 400, "invalid_parameter", "name"),
            ("POST", "labels".to_owned(), json!({"name": "x", "color": "#fff"}), 400, "invalid_parameter", "color"),
            ("PUT", format!("labels/{id}"), json!({"name": "ORDERS"}), 409, "conflict", "name"),
            ("PUT", format!("conversations/{ADA}/labels"), json!({}), 400, "invalid_parameter", "labels"),
            ("PUT", format!("conversations/{ADA}/labels"), json!({"labels": [], "add": []}), 400, "invalid_parameter", "labels"),
            ("PUT", format!("conversations/{ADA}/labels"), json!({"add": ["vip", "none"]}), 400, "invalid_parameter", "add[1]"),
            ("PUT", format!("contacts/{ADA}/labels"), json!({"labels": ["none"]}), 400, "invalid_parameter", "labels[0]"),
            ("GET", "contacts?label=none".to_owned(), Value::Null, 400, "invalid_parameter", "label"),
            ("GET", "conversations?label=none".to_owned(), Value::Null, 400, "invalid_parameter", "label"),
            ("GET", "conversations?label=vip&page_number=1".to_owned(), Value::Null, 400, "invalid_parameter", "label"),
            ("GET", "conversations?cursor=x&search=ada".to_owned(), Value::Null, 400, "invalid_parameter", "cursor"),
            ("GET", "conversations?cursor=x".to_owned(), Value::Null, 400, "invalid_parameter", "cursor"),
            ("GET", "conversations?unread=yes".to_owned(), Value::Null, 400, "invalid_parameter", "unread"),
        ] {
            assert_refused(&world.v3(method, &path, &body).await, status, reason, parameter);
        }
        world.done("DELETE", &format!("labels/{id}"), &Value::Null).await;
        assert_eq!(world.v3("DELETE", &format!("labels/{id}"), &Value::Null).await.status, 404);
        assert!(world.done("GET", &format!("contacts/{ADA}"), &Value::Null).await.get("labels").is_none());
    }

    async fn a_list_is_marked_as_read_and_a_conversation_given_to_no_one(world = Talking::new) {
        world.operator("ben@example.com").await;
        let unread = || async { world.done("GET", &format!("conversations/{ADA}"), &Value::Null).await["unread"].clone() };
        world.done("PUT", &format!("conversations/{ADA}/read"), &json!({"read": false})).await;
        assert_eq!(unread().await, 1);
        let none = world.done("PUT", "conversations/read", &json!({"status": "solved"})).await;
        assert_eq!((none, unread().await), (json!({"marked": 0}), json!(1)));
        assert_eq!(world.done("PUT", "conversations/read", &json!({})).await, json!({"marked": 1}));
        assert_eq!(unread().await, 0);
        assert_eq!(world.done("PUT", "conversations/read", &json!({})).await, json!({"marked": 0}));
        for (body, parameter) in [
            (json!({"status": "x"}), "status"),
            (json!({"label": "none"}), "label"),
            (json!({"channel": "none"}), "channel"),
            (json!({"assignee": "none"}), "assignee"),
            (json!({"cursor": "x"}), "cursor"),
        ] {
            assert_refused(&world.v3("PUT", "conversations/read", &body).await, 400, "invalid_parameter", parameter);
        }
        let operators = world.done("GET", "operators", &Value::Null).await;
        let emails: Vec<_> = operators["operators"].as_array().unwrap().iter().map(|one| one["email"].clone()).collect();
        assert!(emails.contains(&json!("ben@example.com")), "{operators}");
        let path = format!("conversations/{ADA}/operator");
        world.done("PUT", &path, &json!({"assignee_email": "ben@example.com"})).await;
        world.done("PUT", &path, &json!({"unassigned": true})).await;
        assert_eq!(world.get("?assignee=unassigned").await.json()["conversations"].as_array().map(Vec::len), Some(1));
        let history = world.get(&format!("/{ADA}/messages")).await.json();
        assert!(history.to_string().contains("The ticket was assigned to nobody"), "{history}");
        let both = json!({"unassigned": true, "team": "Support"});
        assert_refused(&world.v3("PUT", &path, &both).await, 400, "invalid_parameter", "unassigned");
        assert_refused(&world.v3("PUT", &path, &json!({"unassigned": false})).await, 400, "invalid_parameter", "assignee_email");
    }

    async fn notes_have_the_documented_shape_and_v1_does_not_show_them(world = Talking::new) {
        world.operator("ben@example.com").await;
        let path = format!("conversations/{ADA}/notes");
        let note = world.done("POST", &path, &json!({"text": "Offer express. @ben", "mentions": ["ben@example.com"]})).await;
        let id = note["message"]["id"].as_str().unwrap().to_owned();
        insta::allow_duplicates! { insta::assert_json_snapshot!("note", normalized(note)); }
        let history = world.get(&format!("/{ADA}/messages")).await.json();
        assert_eq!(history["message_list"][0]["event_type"], "note");
        let v1 = world.get(&format!("v1/getMessages/{ADA}")).await.json();
        assert!(!v1.to_string().contains("Offer express"), "{v1}");
        let local = domain::messaging::messages::local_id::default_for(id.parse().unwrap());
        let single = world.get(&format!("v1/whatsApp/messages/{ADA}/{local}")).await;
        assert!(!single.text.contains("Offer express"), "{}", single.text);
        for (body, status, reason, parameter) in [
            (json!({"text": ""}), 400, "invalid_parameter", "text"),
            (json!({"text": "a", "mentions": ["nobody@example.com"]}), 400, "invalid_parameter", "mentions[0]"),
            (json!({"mentions": []}), 400, "invalid_body", "text"),
        ] {
            assert_refused(&world.v3("POST", &path, &body).await, status, reason, parameter);
        }
        let gone = world.done("DELETE", &format!("{path}/{id}"), &Value::Null).await;
        assert_eq!(gone, json!({"note_id": id, "deleted": true}));
        assert_eq!(world.v3("DELETE", &format!("{path}/{id}"), &Value::Null).await.status, 404);
        let message = world.get(&format!("/{ADA}/messages")).await.json()["message_list"][0]["id"].clone();
        if let Some(message) = message.as_str() {
            let other = world.v3("DELETE", &format!("{path}/{message}"), &Value::Null).await;
            assert_eq!(other.status, 404, "only notes can be deleted");
        }
    }

    async fn canned_replies_are_filled_in_and_their_files_are_sent(world = Talking::new) {
        let text = "Hello {{contact.first_name|there}}, {{contact.tier}}";
        let reply = world.done("POST", "cannedReplies", &json!({"shortcut": "/late", "text": text})).await;
        let id = reply["id"].as_str().unwrap().to_owned();
        let file = world.upload(&id).await;
        let listed = world.done("GET", "cannedReplies", &Value::Null).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("canned_replies", normalized(listed)); }
        let filled = world.done("GET", &format!("cannedReplies/{id}/filled?target={ADA}"), &Value::Null).await;
        assert_eq!((&filled["text"], &filled["missing"]), (&json!("Hello Ada, {{contact.tier}}"), &json!(["contact.tier"])));
        let bytes = world.v3("GET", &format!("cannedReplies/{id}/files/{file}"), &Value::Null).await;
        assert_eq!((bytes.status.as_u16(), bytes.text.as_str()), (200, "prices"));
        let body = json!({"target": ADA, "canned_reply_id": id, "file_id": file, "caption": "Our prices"});
        let sent = world.done("POST", "conversations/messages/cannedFile", &body).await;
        assert_eq!((&sent["message"]["type"], &sent["message"]["text"]), (&json!("document"), &json!("Our prices")));
        let refused = json!({"target": ADA, "canned_reply_id": id, "file_id": id});
        assert_refused(&world.v3("POST", "conversations/messages/cannedFile", &refused).await, 400, "invalid_parameter", "file_id");
        for (body, parameter) in [
            (json!({"shortcut": "two words", "text": "a"}), "shortcut"),
            (json!({"shortcut": "a", "text": "{{name}}"}), "text"),
            (json!({"shortcut": "a", "text": "{{contact.name"}), "text"),
        ] {
            assert_refused(&world.v3("POST", "cannedReplies", &body).await, 400, "invalid_parameter", parameter);
        }
        let twin = json!({"shortcut": "LATE", "text": "a"});
        assert_refused(&world.v3("POST", "cannedReplies", &twin).await, 409, "conflict", "shortcut");
        let changed = world.done("PUT", &format!("cannedReplies/{id}"), &json!({"text": "Soon"})).await;
        assert_eq!((&changed["text"], &changed["shortcut"]), (&json!("Soon"), &json!("late")));
        world.done("DELETE", &format!("cannedReplies/{id}/files/{file}"), &Value::Null).await;
        assert_eq!(world.v3("GET", &format!("cannedReplies/{id}/files/{file}"), &Value::Null).await.status, 404);
        let kept = world.get(&format!("/messages/file/{}", sent["message"]["id"].as_str().unwrap())).await;
        assert_eq!(kept.text, "prices", "the message keeps its file");
        world.done("DELETE", &format!("cannedReplies/{id}"), &Value::Null).await;
        assert_eq!(world.v3("DELETE", &format!("cannedReplies/{id}"), &Value::Null).await.status, 404);
    }

    async fn read_marks_snoozes_and_counts(world = Talking::new) {
        let path = |what: &str| format!("conversations/{ADA}/{what}");
        let counts = world.done("GET", "conversations/counts", &Value::Null).await;
        assert_eq!(counts["all"], json!({"open": 1, "unread": 1}), "{counts}");
        assert_eq!(world.done("PUT", &path("read"), &json!({"read": true})).await, json!({"unread": 0}));
        let one = world.done("GET", &format!("conversations/{ADA}"), &Value::Null).await;
        assert_eq!(one["unread"], 0, "{one}");
        insta::allow_duplicates! { insta::assert_json_snapshot!("conversation", normalized(one)); }
        assert_eq!(world.done("PUT", &path("read"), &json!({"read": false})).await, json!({"unread": 1}));
        let listed = world.get("?details=true").await.json();
        assert_eq!(listed["conversations"][0]["unread"], 1, "{listed}");
        assert!(world.get("").await.json()["conversations"][0].get("unread").is_none());
        assert_eq!(world.get("?unread=true").await.json()["conversations"].as_array().map(Vec::len), Some(1));
        let until = world.now().plus_seconds(3600).to_millis().to_rfc3339();
        world.done("PUT", &path("snooze"), &json!({"until": until})).await;
        let snoozed = world.get("?snoozed=true").await.json();
        assert_eq!(snoozed["conversations"][0]["snoozed_until"], json!(until));
        assert_eq!(world.done("GET", "conversations/counts", &Value::Null).await["all"], json!({"open": 0, "unread": 0}));
        for body in [json!({}), json!({"until": "tomorrow"}), json!({"until": "2020-01-01T00:00:00Z"})] {
            assert_refused(&world.v3("PUT", &path("snooze"), &body).await, 400, "invalid_parameter", "until");
        }
        world.done("PUT", &path("snooze"), &json!({"until": null})).await;
        world.put(&format!("/{ADA}/status"), &json!({"new_status": "solved"})).await;
        let refused = world.v3("PUT", &path("snooze"), &json!({"until": until})).await;
        assert_refused(&refused, 409, "conflict", "target");
    }

    async fn the_history_has_every_change_of_the_ticket_as_a_text_and_as_a_code(world = Talking::alone) {
        world.operator("grace@example.com").await;
        world.app.people().contacts().set_teams(&world.me(), ADA, vec!["Sales".to_owned()]).await.unwrap();
        let until = world.now().plus_seconds(3600).to_millis().to_rfc3339();
        let change = async |what: &str, body: Value| {
            world.advance(1);
            world.done("PUT", &format!("conversations/{}/{what}", world.talk.id), &body).await;
        };
        for status in ["pending", "solved", "open"] {
            change("status", json!({"new_status": status})).await;
        }
        change("operator", json!({"assignee_email": "grace@example.com"})).await;
        change("operator", json!({"team": "Sales"})).await;
        change("operator", json!({"assignee_email": null})).await;
        change("operator", json!({"unassigned": true})).await;
        for until in [Some(&until), None, Some(&until)] {
            change("snooze", json!({"until": until})).await;
        }
        world.advance(3600);
        assert_eq!(world.app.fire_timers().await.unwrap(), None);
        change("status", json!({"new_status": "block"})).await;

        let history = normalized(world.get(&format!("/{}/messages?page_size=100", world.talk.id)).await.json());
        let rows = history["message_list"].as_array().unwrap().iter().rev();
        let changes: Vec<_> = rows.map(|row| (row["text"].as_str().unwrap(), row["ticket_change"].clone())).collect();
        let snoozed = format!("The conversation was snoozed until {until}");
        let operator = json!({"type": "operator", "id": "[id]", "email": "grace@example.com", "name": "grace"});
        let team = json!({"type": "team", "id": "[id]", "name": "Sales"});
        assert_eq!(changes, [
            ("The ticket was set to pending", json!({"type": "pending"})),
            ("The ticket was solved", json!({"type": "solved"})),
            ("The ticket was opened again", json!({"type": "reopened"})),
            ("The ticket was assigned to grace", json!({"type": "assigned", "assignee": operator})),
            ("The ticket was assigned to the team Sales", json!({"type": "assigned", "assignee": team})),
            ("The ticket was assigned to the bot", json!({"type": "assigned", "assignee": {"type": "bot"}})),
            ("The ticket was assigned to nobody", json!({"type": "unassigned"})),
            (snoozed.as_str(), json!({"type": "snoozed", "until": until})),
            ("The conversation is no longer snoozed", json!({"type": "unsnoozed"})),
            (snoozed.as_str(), json!({"type": "snoozed", "until": until})),
            ("The snooze is over", json!({"type": "snooze_over"})),
            ("The conversation was blocked", json!({"type": "blocked"})),
        ]);
        let v1 = world.get(&format!("v1/getMessages/{ADA}?pageSize=100")).await.text;
        assert!(v1.contains("The ticket was solved") && !v1.contains("ticket_change"), "{v1}");
    }

    async fn presence_search_and_daily_activity(world = Talking::new) {
        let presence = format!("conversations/{ADA}/presence");
        for state in ["viewing", "writing", "gone"] {
            assert_eq!(world.done("PUT", &presence, &json!({"state": state})).await, json!({"present": []}));
        }
        let refused = world.v3("PUT", &presence, &json!({"state": "asleep"})).await;
        assert_refused(&refused, 400, "invalid_parameter", "state");
        let found = world.done("GET", "conversations/messages/search?query=hello", &Value::Null).await;
        assert_eq!(found, json!({"results": []}));
        let activity = world.done("GET", "activity/daily?date_from=2026-04-01&date_to=2026-04-30", &Value::Null).await;
        assert_eq!(activity, json!({"date_from": "2026-04-01", "date_to": "2026-04-30", "days": []}));
        let receipt = world.done("POST", &format!("conversations/{ADA}/receipt"), &json!({"typing": true})).await;
        assert_eq!(receipt, json!({"result": false}), "there is no message to mark");
        for (path, parameter) in [
            ("conversations/messages/search", "query"),
            ("conversations/messages/search?query=ab", "query"),
            ("conversations/messages/search?query=hello&cursor=x", "cursor"),
            ("conversations/messages/search?query=hello&limit=0", "limit"),
            ("activity/daily?date_from=2020-01-01&date_to=2026-01-01", "date_from"),
            ("activity/daily?date_from=yesterday", "date_from"),
            ("activity/messages", "measure"),
            ("activity/messages?measure=first_response_seconds", "measure"),
            ("activity/messages?measure=read&cursor=x", "cursor"),
            ("activity/messages?measure=first_responses&cursor=x", "cursor"),
            ("activity/messages?measure=read&channel_id=x", "channel_id"),
            ("activity/messages?measure=read&date_from=2020-01-01&date_to=2026-01-01", "date_from"),
        ] {
            assert_refused(&world.v3("GET", path, &Value::Null).await, 400, "invalid_parameter", parameter);
        }
    }

    async fn rows_of_activity_have_the_documented_shape(world = Talking::new) {
        let id = "69eb4e9a1f0c2d3e4a5b6c7d";
        let long = "Where is my order? ".repeat(10);
        world.happened(FactKind::Received, &json!({"id": id, "text": long, "type": "text", "waId": ADA})).await;
        let failed = json!({"id": id, "text": "On its way", "type": "session", "failedDetail": "Not reachable"});
        world.happened(FactKind::SessionFailed, &failed).await;
        let received = world.done("GET", "activity/messages?measure=received", &Value::Null).await;
        assert_eq!(received["rows"][0]["text"].as_str().map(|text| text.chars().count()), Some(100));
        let failed = world.done("GET", "activity/messages?measure=failed&limit=1", &Value::Null).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("activity_rows", [received, failed].map(normalized)); }
        let channel = format!("activity/messages?measure=failed&channel_id={}", world.sales.id);
        for path in [channel.as_str(), "activity/messages?measure=read", "activity/messages?measure=failed&date_to=2020-01-01"] {
            assert_eq!(world.done("GET", path, &Value::Null).await, json!({"rows": []}), "{path}");
        }
        let other = world.test.new_tenant("unlimited").await;
        let theirs = world.token(other, &["api"]).await;
        let answer = world.by(&theirs).get("/api/ext/v3/activity/messages?measure=received").await;
        assert_eq!(answer.json(), json!({"rows": []}));
    }

    async fn pages_follow_a_cursor(world = Talking::new) {
        world.talk_over_sales().await;
        let first = world.get("?page_size=1").await.json();
        let cursor = first["next_cursor"].as_str().unwrap();
        let second = world.get(&format!("?page_size=1&cursor={cursor}")).await.json();
        assert_ne!(first["conversations"][0]["id"], second["conversations"][0]["id"]);
        assert!(second.get("next_cursor").is_none(), "{second}");
        let stranger = world.token(world.test.new_tenant("unlimited").await, &["api"]).await;
        let foreign = world.by(&stranger).get(&format!("/api/ext/v3/conversations?cursor={cursor}")).await;
        assert_refused(&foreign, 400, "invalid_parameter", "cursor");
    }

    async fn other_tenants_see_nothing_of_it(world = Talking::new) {
        let label = world.done("POST", "labels", &json!({"name": "vip"})).await["id"].as_str().unwrap().to_owned();
        let reply = world.done("POST", "cannedReplies", &json!({"shortcut": "a", "text": "b"})).await;
        let reply = reply["id"].as_str().unwrap().to_owned();
        let note = world.done("POST", &format!("conversations/{ADA}/notes"), &json!({"text": "secret"})).await;
        let note = note["message"]["id"].as_str().unwrap().to_owned();
        let stranger = world.token(world.test.new_tenant("unlimited").await, &["api"]).await;
        let send = async |method: &str, path: &str, body: Value| {
            let builder = request(method, &format!("/api/ext/v3/{path}"), Some(&stranger));
            let builder = builder.header("content-type", "application/json");
            world.send(builder.body(Body::from(body.to_string())).unwrap()).await
        };
        for path in ["labels", "cannedReplies"] {
            let list = send("GET", path, Value::Null).await.json();
            assert!(list.as_object().unwrap().values().all(|rows| rows == &json!([])), "{list}");
        }
        let id = world.talk.id;
        for (method, path, body) in [
            ("PUT", format!("labels/{label}"), json!({"name": "mine"})),
            ("DELETE", format!("labels/{label}"), Value::Null),
            ("PUT", format!("cannedReplies/{reply}"), json!({"text": "mine"})),
            ("GET", format!("cannedReplies/{reply}/filled?target={ADA}"), Value::Null),
            ("GET", format!("conversations/{id}"), Value::Null),
            ("PUT", format!("conversations/{id}/labels"), json!({"labels": []})),
            ("PUT", format!("conversations/{id}/read"), json!({"read": true})),
            ("PUT", format!("conversations/{id}/snooze"), json!({"until": null})),
            ("DELETE", format!("conversations/{id}/notes/{note}"), Value::Null),
            ("PUT", format!("contacts/{}/labels", world.talk.contact_id), json!({"labels": []})),
        ] {
            let answer = send(method, &path, body).await;
            assert_eq!(answer.status, 404, "{method} {path}: {}", answer.text);
        }
    }

    async fn only_an_administrator_deletes_notes_of_others(world = Talking::new) {
        let note = world.done("POST", &format!("conversations/{ADA}/notes"), &json!({"text": "mine"})).await;
        let id = note["message"]["id"].as_str().unwrap();
        let tenant = world.tenant();
        for (role, status) in [(Role::Operator, 409), (Role::Administrator, 200)] {
            let email = format!("{}@example.com", role.name().to_lowercase());
            world.account(tenant, &email, role).await;
            let jwt = world.app.identity().tokens().legacy(&app::Command(tenant), &email).await.unwrap();
            let path = format!("/api/ext/v3/conversations/{ADA}/notes/{id}");
            let answer = world.send(request("DELETE", &path, Some(&jwt)).body(Body::empty()).unwrap()).await;
            assert_eq!(answer.status.as_u16(), status, "{role}: {}", answer.text);
        }
    }
}
