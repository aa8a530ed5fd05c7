//! V1 and V2: business failures are answered with status 200, malformed requests with 400.

use serde_json::{Value, json};

use crate::sending::world::{ADA, BEN, MAX, NO_TARGET, Stage as _, peopled};

const CLOSED: &str = "Ticket has been expired.";

fn template(members: &Value) -> Value {
    let mut body =
        json!({"template_name": "offer", "broadcast_name": "Spring", "parameters": [{"name": "1", "value": "x"}]});
    body.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    body
}

/// Path, body, and `info` of the answer.
fn answered_with_200() -> Vec<(String, Value, String)> {
    rows().into_iter().map(|(path, body, info)| (path, body, info.replace("{no_target}", NO_TARGET))).collect()
}

#[expect(clippy::too_many_lines, reason = "a table")]
fn rows() -> Vec<(String, Value, &'static str)> {
    let send = |who: &str| format!("sendTemplateMessage?whatsappNumber={who}");
    let many = |count: usize| json!({"template_name": "offer", "broadcast_name": "S", "receivers": vec![json!({"whatsappNumber": ADA}); count]});
    vec![
        (format!("sendSessionMessage/{BEN}"), json!({"messageText": "Hi"}), CLOSED),
        (format!("sendSessionMessage/{MAX}"), json!({"messageText": "Hi"}), "whatsappNumber: the contact is blocked"),
        (
            "sendSessionMessage/11111111111".to_owned(),
            json!({"messageText": "Hi"}),
            "whatsappNumber: 11111111111 is not a valid phone number in any country",
        ),
        ("sendSessionMessage/nobody".to_owned(), json!({"messageText": "Hi"}), "whatsappNumber: {no_target}"),
        (
            format!("sendSessionMessage/{ADA}"),
            json!({"messageText": "x".repeat(4097)}),
            "messageText: 4097 characters, at most 4096",
        ),
        (
            format!("sendSessionMessage/{ADA}?channelPhoneNumber=Elsewhere"),
            json!({"messageText": "Hi"}),
            "whatsappNumber: there is no channel \"Elsewhere\"",
        ),
        (
            format!("sendSessionFileViaUrl/{ADA}"),
            json!({"fileUrl": "ftp://example.com/a.pdf"}),
            "fileUrl: only http:// and https:// URLs can be fetched",
        ),
        (
            format!("sendInteractiveButtonsMessage?whatsappNumber={ADA}"),
            json!({"body": "x"}),
            "buttons: expected 1 to 3 buttons",
        ),
        (
            format!("sendInteractiveButtonsMessage?whatsappNumber={BEN}"),
            json!({"body": "x", "buttons": [{"text": "Yes"}]}),
            CLOSED,
        ),
        (
            format!("sendInteractiveListMessage?whatsappNumber={ADA}"),
            json!({"body": "x", "sections": [{"rows": [{"title": "a"}]}]}),
            "buttonText: is empty",
        ),
        (
            format!("sendDirectSendMessage/{ADA}"),
            json!({"interactive": {"type": "poll"}}),
            "interactive.type: expected button, list, cta_url, product or product_list",
        ),
        (
            format!("sendDirectSendMessage/{ADA}"),
            json!({"interactive": {"type": "button", "body": {"text": "x"}, "action": {"buttons": [{"reply": {"id": "a"}}]}}}),
            "interactive.action.buttons[0].reply.title: is empty",
        ),
        (
            format!("sendDirectSendMessage/{ADA}"),
            json!({"media": {"url": "https://example.com"}, "interactive": {"type": "button"}}),
            "media: cannot be combined with interactive",
        ),
        (format!("sendDirectSendMessage/{BEN}"), json!({"text": "Hi"}), CLOSED),
        (send(ADA), template(&json!({"template_name": "nothing"})), "template_name: there is no such template"),
        (
            send(ADA),
            template(&json!({"template_name": "pending_one"})),
            "template_name: the template is PENDING; only an approved one can be sent",
        ),
        (
            send(ADA),
            template(&json!({"channel_number": "14155559999"})),
            "channel_number: there is no channel \"14155559999\"",
        ),
        (send(ADA), template(&json!({"parameters": []})), "parameters: no value for \"1\""),
        (
            send(ADA),
            template(&json!({"parameters": "[{\"name\":\"2\",\"value\":\"x\"}]"})),
            "parameters: no value for \"1\"",
        ),
        (send("12"), template(&json!({})), "whatsappNumber: expected a phone number, a contact id or a BSUID"),
        (send(MAX), template(&json!({})), "whatsappNumber: the contact is blocked"),
        ("sendTemplateMessages".to_owned(), many(1001), "receivers: 1001 receivers, at most 1000"),
        ("sendTemplateMessages".to_owned(), many(0), "receivers: expected at least one recipient"),
    ]
}

/// Path, body, and the member that the error names.
fn refused_with_400() -> Vec<(String, Value, &'static str)> {
    vec![
        (format!("sendSessionMessage/{ADA}"), json!({}), "messageText"),
        ("sendSessionMessage".to_owned(), json!({"messageText": "Hi"}), "whatsappNumber"),
        (format!("sendSessionMessage/{ADA}"), json!({"messageText": []}), "messageText"),
        (format!("sendSessionFileViaUrl/{ADA}"), json!({}), "fileUrl"),
        (format!("sendInteractiveButtonsMessage/{ADA}"), json!({"body": "x", "buttons": "Yes"}), "buttons"),
        (format!("sendDirectSendMessage/{ADA}"), json!({}), "text"),
        (
            format!("sendDirectSendMessage/{ADA}"),
            json!({"interactive": {"type": "button", "action": {"buttons": [5]}}}),
            "interactive.action.buttons[0]",
        ),
        (format!("sendTemplateMessage?whatsappNumber={ADA}"), json!({"broadcast_name": "S"}), "template_name"),
        (format!("sendTemplateMessage?whatsappNumber={ADA}"), json!({"template_name": "offer"}), "broadcast_name"),
        (format!("sendTemplateMessage?whatsappNumber={ADA}"), template(&json!({"parameters": "Ada"})), "parameters"),
        ("sendTemplateMessages".to_owned(), json!({"template_name": "offer", "broadcast_name": "S"}), "receivers"),
        (
            "sendTemplateMessageCSV".to_owned(),
            json!({"template_name": "offer", "broadcast_name": "S"}),
            "whatsapp_numbers_csv",
        ),
    ]
}

testkit::both_databases! {
    async fn each_says_why_not(stage = peopled) {
        for (path, body, info) in answered_with_200() {
            let answer = stage.good(&stage.v1(&path), &body).await;
            assert_eq!((&answer["result"], &answer["info"]), (&json!(false), &json!(info)), "{path} {body}");
            if path.starts_with("sendTemplate") {
                let answer = stage.good(&stage.v2(&path), &body).await;
                let error = answer["error"].as_str().unwrap().to_owned();
                let one = answer["receivers"][0]["errors"][0].as_str().map(|text| text.replace("customParams", "parameters"));
                assert_eq!((&answer["result"], one.unwrap_or(error)), (&json!(false), info), "{path} {body}");
            }
        }
        for (path, body, place) in refused_with_400() {
            let answer = stage.post(&stage.v1(&path), &body).await;
            assert_eq!((answer.json()["code"].as_u64(), &answer.json()["parameter"]), (Some(40002), &json!(place)), "{path} {body}");
        }
        assert!(stage.inbox(ADA).await.is_empty());
    }
}
