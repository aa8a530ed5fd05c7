//! V3: sends that are refused, with the member and the code of each refusal. None of them stores anything.

use app::messaging::channels::Secrets;
use domain::messaging::channels::{NewChannel, SANDBOX};
use serde_json::{Value, json};

use crate::sending::bad_interactive;
use crate::sending::world::{
    ADA, BEN, FILE_VIA_URL, MAX, NO_TARGET, SCHEDULE, SEND, Stage as _, TEXT, filled, peopled, stage, text, update,
};

pub type Row = (&'static str, Value, u64, &'static str, &'static str);

/// Path, body, code, member, and the message after the member's name.
#[expect(clippy::too_many_lines, reason = "a table")]
fn texts() -> Vec<Row> {
    vec![
        (
            TEXT,
            text(BEN, "Hi"),
            40010,
            "target",
            "the person has not messaged you in the last 24 hours; send a template with POST /api/ext/v3/messageTemplates/send",
        ),
        (
            TEXT,
            text("14155550199", "Hi"),
            40010,
            "target",
            "the person has not messaged you in the last 24 hours; send a template with POST /api/ext/v3/messageTemplates/send",
        ),
        (TEXT, text(MAX, "Hi"), 40012, "target", "the contact is blocked"),
        (TEXT, text("nobody", "Hi"), 40001, "target", NO_TARGET),
        (TEXT, text("11111111111", "Hi"), 40001, "target", "11111111111 is not a valid phone number in any country"),
        (TEXT, text("685bd235e6119686e693a093", "Hi"), 40401, "target", "there is no such contact or conversation"),
        (TEXT, text("Elsewhere:14155550132", "Hi"), 40401, "target", "there is no channel \"Elsewhere\""),
        (TEXT, text(ADA, ""), 40001, "text", "is empty"),
        (TEXT, text(ADA, " \n "), 40001, "text", "is empty"),
        (TEXT, text(ADA, &"ä".repeat(4097)), 40001, "text", "4097 characters, at most 4096"),
        (TEXT, json!({"target": ADA}), 40002, "text", "is required"),
        (TEXT, json!({"text": "Hi"}), 40002, "target", "is required"),
        (TEXT, json!({"target": ADA, "text": 7}), 40002, "text", "expected a string"),
        (TEXT, json!({"target": ADA, "text": "Hi", "is_bot": "yes"}), 40002, "is_bot", "expected true or false"),
        (
            TEXT,
            json!({"target": ADA, "text": "Hi", "local_message_id": ""}),
            40001,
            "local_message_id",
            "expected 1 to 64 characters",
        ),
        (
            TEXT,
            json!({"target": ADA, "text": "Hi", "local_message_id": "x".repeat(65)}),
            40001,
            "local_message_id",
            "expected 1 to 64 characters",
        ),
        (
            TEXT,
            json!({"target": ADA, "text": "Hi", "reply_context_id": "wamid.nothing"}),
            40401,
            "replyContextId",
            "there is no such message",
        ),
        (
            FILE_VIA_URL,
            json!({"target": ADA, "file_url": "ftp://example.com/a.pdf"}),
            40015,
            "file_url",
            "only http:// and https:// URLs can be fetched",
        ),
        (
            FILE_VIA_URL,
            json!({"target": ADA, "file_url": "plan.pdf"}),
            40015,
            "file_url",
            "expected a URL such as https://example.com/plan.pdf",
        ),
        (
            FILE_VIA_URL,
            json!({"target": ADA, "file_url": "https://me:secret@example.com/a.pdf"}),
            40015,
            "file_url",
            "an address may not carry a user name or password",
        ),
        (
            FILE_VIA_URL,
            json!({"target": ADA, "file_url": "https://example.com/a.pdf", "caption": "x".repeat(1025)}),
            40001,
            "caption",
            "1025 characters, at most 1024",
        ),
        (FILE_VIA_URL, json!({"target": ADA}), 40002, "file_url", "is required"),
    ]
}

fn with(member: &str, value: Value) -> Value {
    let mut body = update(&json!([filled(ADA)]));
    body[member] = value;
    body
}

fn without(member: &str) -> Value {
    let mut body = update(&json!([filled(ADA)]));
    body.as_object_mut().unwrap().remove(member);
    body
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn templates() -> Vec<Row> {
    let soon = "2020-01-01T00:00:00Z";
    vec![
        (SEND, with("template_name", "nothing".into()), 40001, "template_name", "there is no such template"),
        (SEND, with("template_name", " ".into()), 40001, "template_name", "is required"),
        (
            SEND,
            with("template_name", "pending_one".into()),
            40011,
            "template_name",
            "the template is PENDING; only an approved one can be sent",
        ),
        (SEND, with("language", "de".into()), 40001, "template_name", "there is no such template"),
        (SEND, with("channel", "Elsewhere".into()), 40001, "channel", "there is no channel \"Elsewhere\""),
        (SEND, with("broadcast_name", "".into()), 40001, "broadcast_name", "expected 1 to 200 characters"),
        (SEND, with("broadcast_name", "x".repeat(201).into()), 40001, "broadcast_name", "expected 1 to 200 characters"),
        (SEND, with("broadcast_name", "a\u{7}b".into()), 40001, "broadcast_name", "expected 1 to 200 characters"),
        (SEND, with("recipients", json!([])), 40001, "recipients", "expected at least one recipient"),
        (SEND, with("receivers", json!([])), 40002, "receivers", "cannot be combined with recipients"),
        (SEND, with("recipients", json!({})), 40002, "recipients", "expected a list"),
        (SEND, with("recipients", json!([filled(ADA), 5])), 40002, "recipients[1]", "expected an object"),
        (
            SEND,
            with("recipients", json!([{"phone_number": ADA, "custom_params": [{"name": [], "value": "x"}]}])),
            40002,
            "recipients[0].custom_params[0].name",
            "expected a string",
        ),
        (
            SEND,
            with("scheduled_at", soon.into()),
            40001,
            "scheduled_at",
            "is only allowed with POST /api/ext/v3/messageTemplates/schedule",
        ),
        (SEND, without("template_name"), 40002, "template_name", "is required"),
        (SEND, without("broadcast_name"), 40002, "broadcast_name", "is required"),
        (SEND, without("recipients"), 40002, "recipients", "is required"),
        (SCHEDULE, without("scheduled_at"), 40002, "scheduled_at", "is required"),
        (SCHEDULE, with("scheduled_at", soon.into()), 40001, "scheduled_at", "is in the past"),
        (
            SCHEDULE,
            with("scheduled_at", "tomorrow".into()),
            40001,
            "scheduled_at",
            "expected a time such as 2026-05-01T09:00:00Z",
        ),
        (
            SCHEDULE,
            with("scheduled_at", "2090-05-01".into()),
            40001,
            "scheduled_at",
            "expected a time such as 2026-05-01T09:00:00Z",
        ),
        (
            SCHEDULE,
            with("scheduled_at", "2090-05-01T09:00:00Z".into()),
            40001,
            "scheduled_at",
            "is more than 365 days in the future",
        ),
    ]
}

testkit::both_databases! {
    async fn each_is_refused_with_its_place_and_code(stage = peopled) {
        let rows: Vec<Row> = [texts(), bad_interactive::rows(), templates()].concat();
        assert!(rows.len() >= 60, "{}", rows.len());
        for (path, body, code, place, message) in rows {
            let answer = stage.post(path, &body).await;
            let reply = answer.json();
            let expected = format!("{place}: {message}");
            assert_eq!(
                (u64::from(answer.status.as_u16()), &reply["code"], &reply["parameter"], &reply["message"]),
                (code / 100, &json!(code), &json!(place), &json!(expected)),
                "{path} {body}",
            );
        }
        assert_eq!(stage.stored().await, 0);
    }

    async fn a_body_that_is_no_json_or_too_much_of_it(stage = stage) {
        for (path, mime, body, code) in [
            (TEXT, "application/json", "{".to_owned(), 40002),
            (TEXT, "text/html", "{}".to_owned(), 41501),
            (TEXT, "application/json", format!("{{\"text\":\"{}\"}}", "x".repeat(1 << 20)), 41301),
            (SEND, "application/json", format!("{{\"text\":\"{}\"}}", "x".repeat(8 << 20)), 41301),
            (SEND, "multipart/form-data", "{}".to_owned(), 41501),
        ] {
            let answer = stage.raw("POST", path, mime, body).await;
            assert_eq!(answer.json()["code"], code, "{}", answer.text);
        }
        let answer = stage.post(&format!("{TEXT}?dry_run=perhaps"), &text(ADA, "Hi")).await;
        assert_eq!(answer.json()["message"], "dry_run: expected true or false");
        assert_eq!(stage.stored().await, 0);
    }

    async fn the_same_key_with_another_body_sends_nothing(stage = peopled) {
        let keyed = |body: Value| {
            let request = testkit::world::request("POST", TEXT, Some(&stage.token));
            let request = request.header("content-type", "application/json").header("idempotency-key", "k-1");
            stage.send(request.body(body.to_string().into()).unwrap())
        };
        let first = keyed(text(ADA, "Once")).await;
        assert_eq!(keyed(text(ADA, "Once")).await.text, first.text);
        let other = keyed(text(ADA, "Twice")).await;
        assert_eq!((other.status.as_u16(), other.json()["code"].as_u64()), (409, Some(40902)), "{}", other.text);
        let shown: Vec<_> = stage.inbox(ADA).await.into_iter().map(|message| message.text).collect();
        assert_eq!(shown, ["Once"]);
    }

    async fn a_target_that_may_mean_several_conversations(stage = peopled) {
        let tenant = stage.tenant();
        let new = NewChannel {
            name: "Second".to_owned(),
            phone_number: "14155550101".to_owned(),
            phone_number_id: "2".to_owned(),
            account_id: "2".to_owned(),
            network: SANDBOX.to_owned(),
        };
        let secret = |text: &str| text.to_owned().into();
        let secrets = Secrets { access_token: secret("second-access"), app_secret: secret("second-secret"), verify_token: secret("second-verify") };
        let second = stage.app.messaging().channels().add(&app::Command(tenant), new, &secrets).await.unwrap();
        let contact = stage.get(&format!("/api/ext/v3/contacts/{ADA}")).await.json();
        let contact = contact["id"].as_str().unwrap().parse().unwrap();
        let talk = domain::messaging::conversations::Conversation::new(second.id, contact, stage.now());
        let write = stage.test.db.write((tenant, [talk]), |tx, (tenant, talks)| {
            Box::pin(store::messaging::conversations::insert_many(tx, *tenant, talks))
        });
        write.await.unwrap();
        let answer = stage.post(TEXT, &text(ADA, "Which?")).await;
        let reply = answer.json();
        assert_eq!((reply["code"].as_u64(), reply["conversations"].as_array().map(Vec::len)), (Some(40904), Some(2)), "{reply}");
        // V1 takes the most recently active conversation, whose window is closed; if the request names a channel, that
        // one is used.
        let legacy = stage.v1(&format!("sendSessionMessage/{ADA}?messageText=Hi"));
        assert_eq!(stage.bare(&legacy).await.json()["info"], "Ticket has been expired.");
        assert_eq!(stage.bare(&format!("{legacy}&channelPhoneNumber=14155550100")).await.json()["ok"], true);
        assert_eq!(stage.good(TEXT, &text(&format!("Sandbox:{ADA}"), "This one")).await["message"]["text"], "This one");
    }
}
