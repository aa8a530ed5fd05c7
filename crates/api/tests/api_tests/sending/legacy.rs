//! V1 and V2: the shapes of all answers, and the messages that arrive.

use serde_json::{Value, json};

use crate::sending::normalize::golden;
use crate::sending::world::{ADA, BEN, JACK, MAX, Stage as _, form, peopled};

fn params() -> Value {
    json!([{"name": "name", "value": "Ada"}, {"name": "order", "value": "A-1"}])
}

fn update() -> Value {
    json!({"template_name": "order_update", "broadcast_name": "May", "parameters": params()})
}

testkit::both_databases! {
    async fn session_messages_wherever_the_text_stands(stage = peopled) {
        let path = stage.v1(&format!("sendSessionMessage/{ADA}"));
        let sent = stage.bare(&format!("{path}?messageText=Good%20morning&localMessageId=mine-1")).await;
        golden!("session", sent.json());
        assert_eq!(stage.last(ADA).await.text, "Good morning");
        let (mime, body) = form(&[("messageText", "In a form")], None);
        assert_eq!(stage.raw("POST", &path, &mime, body).await.json()["ok"], true);
        assert_eq!(stage.last(ADA).await.text, "In a form");
        let urlencoded = "application/x-www-form-urlencoded";
        let bare = stage.v1("SENDsessionMESSAGE?channelPhoneNumber=14155550100");
        let sent = stage.raw("POST", &bare, urlencoded, format!("whatsappNumber=%2B{ADA}&messageText=Urlencoded")).await;
        assert_eq!((sent.json()["result"].as_str(), stage.last(ADA).await.text.as_str()), (Some("success"), "Urlencoded"));
        let closed = stage.bare(&stage.v1(&format!("sendSessionMessage/{BEN}?messageText=Hi"))).await;
        golden!("session_refused", closed.json());
    }

    async fn what_can_be_tapped(stage = peopled) {
        let buttons = json!({"header": {"type": "Text", "text": "Hi"}, "body": "Go on?", "footer": "", "buttons": [{"text": "Yes"}]});
        let path = stage.v1(&format!("sendInteractiveButtonsMessage?whatsappNumber={ADA}"));
        golden!("buttons_v1", stage.good(&path, &buttons).await);
        assert_eq!(stage.last(ADA).await.buttons[0].text, "Yes");
        let list = json!({"header": "Rooms", "body": "Which?", "footer": "x", "buttonText": "Choose",
            "sections": [{"title": "All", "rows": [{"title": "12", "description": ""}]}]});
        let path = stage.v1(&format!("sendInteractiveListMessage/{ADA}"));
        assert_eq!(stage.good(&path, &list).await["result"], "success");
        assert_eq!(stage.last(ADA).await.buttons[0].text, "12");
    }

    async fn direct_messages(stage = peopled) {
        let path = stage.v1(&format!("sendDirectSendMessage/{ADA}"));
        let said = json!({"text": "Hello {{name}}!", "localMessageId": "mine-9", "customParams": [{"name": "name", "value": "Ada"}]});
        golden!("direct", stage.good(&path, &said).await);
        assert_eq!(stage.last(ADA).await.text, "Hello Ada!");
        let link = json!({"text": "Look", "interactive": {"type": "cta_url",
            "action": {"name": "cta_url", "parameters": {"display_text": "Open", "url": "https://example.com/x"}}}});
        assert_eq!(stage.good(&path, &link).await["ok"], true);
        assert_eq!(stage.last(ADA).await.buttons[0].url.as_deref(), Some("https://example.com/x"));
        let buttons = json!({"interactive": {"type": "button", "body": {"text": "Go on?"}, "header": {"type": "text", "text": "Hi"},
            "action": {"buttons": [{"type": "reply", "reply": {"id": "y", "title": "Yes"}}]}}});
        assert_eq!(stage.good(&path, &buttons).await["ok"], true);
        assert_eq!(stage.last(ADA).await.text, "Hi\nGo on?");
        let contact = stage.get(&format!("/api/ext/v3/contacts/{ADA}")).await.json();
        for who in [json!({"bsuid": contact["bsuid"]}), json!({"contactId": contact["id"]})] {
            let mut body = who;
            body["text"] = "By another name".into();
            assert_eq!(stage.good(&stage.v1("sendDirectSendMessage"), &body).await["ok"], true);
            assert_eq!(stage.last(ADA).await.text, "By another name");
        }
    }

    async fn templates_of_v1(stage = peopled) {
        let path = stage.v1(&format!("sendTemplateMessage?whatsappNumber={ADA}"));
        golden!("template_v1", stage.good(&path, &update()).await);
        assert_eq!(stage.last(ADA).await.text, "Hello Ada, order A-1 is on its way.");
        let mut old = update();
        old["parameters"] = params().to_string().into();
        old["channel_number"] = "14155550100".into();
        assert_eq!(stage.good(&path, &old).await["result"], true);
        assert_eq!(stage.inbox(ADA).await.len(), 2);
        let offer = |number: &str| json!({"whatsappNumber": number, "template_name": "offer", "broadcast_name": "Spring",
            "parameters": [{"name": "1", "value": "you"}]});
        golden!("template_v1_refused", stage.good(&stage.v1("sendTemplateMessage"), &offer(JACK)).await);
        let many = json!({"template_name": "offer", "broadcast_name": "Spring", "receivers": [
            {"whatsappNumber": ADA, "customParams": [{"name": "1", "value": "Ada"}], "localMessageId": "mine-3"},
            {"whatsappNumber": MAX, "customParams": [{"name": "1", "value": "Max"}]},
            {"whatsappNumber": "11111111111"}, {"whatsappNumber": BEN},
        ]});
        golden!("templates_v1", stage.good(&stage.v1("sendTemplateMessages"), &many).await);
        assert_eq!(stage.last(ADA).await.text, "Hello Ada, we have something for you.");
        let csv = format!("name,Phone,order\nAda,+{ADA},A-2\n,{BEN},A-3\n");
        let texts = [("template_name", "order_update"), ("broadcast_name", "File")];
        let (mime, body) = form(&texts, Some(("whatsapp_numbers_csv", "people.csv", "text/csv", csv.as_bytes())));
        let sent = stage.raw("POST", &stage.v1("sendTemplateMessageCSV"), &mime, body).await;
        golden!("csv_v1", sent.json());
        assert_eq!(stage.last(ADA).await.text, "Hello Ada, order A-2 is on its way.");
    }

    async fn templates_of_v2(stage = peopled) {
        let path = stage.v2(&format!("sendTemplateMessage?whatsappNumber={ADA}"));
        golden!("template_v2", stage.good(&path, &update()).await);
        assert_eq!(stage.good(&stage.v2(&format!("sendTemplateMessage/{BEN}")), &update()).await["result"], true);
        let many = json!({"template_name": "offer", "broadcast_name": "Spring", "receivers": [
            {"whatsappNumber": ADA, "customParams": [{"name": "1", "value": "Ada"}]},
            {"whatsappNumber": JACK, "customParams": [{"name": "1", "value": "Jack"}]},
        ]});
        golden!("templates_v2", stage.good(&stage.v2("sendTemplateMessages"), &many).await);
        assert_eq!(stage.inbox(ADA).await.len(), 2);
        let unknown = json!({"template_name": "nothing", "broadcast_name": "Spring", "receivers": [{"whatsappNumber": ADA}]});
        golden!("templates_v2_refused", stage.good(&stage.v2("sendTemplateMessages"), &unknown).await);
        let csv = format!("{ADA},Ada,A-4\n");
        let (mime, body) = form(&[], Some(("whatsapp_numbers_csv", "people.csv", "text/csv", csv.as_bytes())));
        let path = stage.v2("sendTemplateMessageCSV?template_name=order_update&broadcast_name=File");
        golden!("csv_v2", stage.raw("POST", &path, &mime, body).await.json());
        assert_eq!(stage.last(ADA).await.text, "Hello Ada, order A-4 is on its way.");
    }

    /// Only recipients whom the network held back get the broadcast again: at once, then once a day until the deadline.
    async fn a_broadcast_is_sent_again_to_those_who_were_held_back(stage = peopled) {
        let held = |who: &str, code| sandbox::driver::Fail {
            kind: "fail".to_owned(), count: Some(1), code: Some(code), person: Some(who.to_owned()), ..Default::default()
        };
        let sandbox = stage.sandbox();
        sandbox.fail(stage.tenant(), held(BEN, 131_049)).await.unwrap();
        let to = |number: &str| json!({"phone_number": number, "custom_params": [{"name": "1", "value": "you"}]});
        let offer = json!({"template_name": "offer", "broadcast_name": "Spring", "recipients": [to(ADA), to(BEN)]});
        let id = stage.good("/api/ext/v3/messageTemplates/send", &offer).await["broadcast_id"].as_str().unwrap().to_owned();
        let retry = |id: &str| stage.v1(&format!("broadcast/{id}/retry"));
        let early = stage.good(&retry(&id), &json!({"retryDays": 3})).await;
        assert_eq!(early, json!({"result": false, "info": "id: the broadcast is sending; only a completed one can be retried"}));
        stage.inbox(ADA).await;
        stage.later(60).await;
        for (body, parameter) in [
            (json!({}), "retryDays"),
            (json!({"retryDays": 8}), "retryDays"),
            (json!({"retryDays": 1, "retryUntil": "2030-01-01"}), "retryUntil"),
            (json!({"retryUntil": "soon"}), "retryUntil"),
        ] {
            let refused = stage.post(&retry(&id), &body).await;
            assert_eq!((refused.status.as_u16(), refused.json()["parameter"].clone()), (400, json!(parameter)), "{body}");
        }
        let far = stage.good(&retry(&id), &json!({"retryUntil": "2099-01-01"})).await;
        let info = far["info"].as_str().unwrap();
        assert!(info.starts_with("retryUntil: expected a time between now and 7 days"), "{far}");
        let before = [stage.inbox(ADA).await.len(), stage.inbox(BEN).await.len()];
        sandbox.fail(stage.tenant(), held(BEN, 131_049)).await.unwrap();
        assert_eq!(stage.good(&retry(&id), &json!({"retryDays": 3})).await, json!({"result": true}));
        stage.inbox(BEN).await;
        stage.later(60).await;
        assert_eq!([stage.inbox(ADA).await.len(), stage.inbox(BEN).await.len()], before, "held back again");
        let round = async || {
            stage.app.fire_timers().await.unwrap();
            stage.inbox(BEN).await;
            stage.later(60).await;
        };
        round().await;
        assert_eq!(stage.inbox(BEN).await.len(), before[1], "a day has not passed");
        stage.later(86_400).await;
        round().await;
        assert_eq!(stage.inbox(ADA).await.len(), before[0]);
        assert_eq!(stage.last(BEN).await.text, "Hello you, we have something for you.");
        let after = stage.inbox(BEN).await.len();
        stage.later(86_400).await;
        round().await;
        assert_eq!(stage.inbox(BEN).await.len(), after, "nobody was held back any longer");
        let again = stage.good(&retry(&id), &json!({"retryDays": 3})).await;
        assert!(again["info"].as_str().unwrap().contains("was already retried"), "{again}");
        let unknown = stage.good(&retry("507f1f77bcf86cd799439011"), &json!({"retryDays": 3})).await;
        assert_eq!(unknown, json!({"result": false, "info": "There is no such broadcast"}));
    }
}
