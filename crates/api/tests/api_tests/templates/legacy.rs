//! V1 and V2, in the spellings of the hosted platforms.

use serde_json::{Value, json};
use testkit::World;

use crate::templates::{alone, normalized};

/// A template as existing clients send it, with empty texts for absent members.
fn order() -> Value {
    json!({
        "type": "template",
        "category": "MARKETING",
        "subCategory": "STANDARD",
        "buttonsType": "call_to_action",
        "buttons": [
            {"type": "call", "parameter": {"text": "Call now", "urlType": "none", "phoneNumber": "14155552671", "url": ""}},
            {"type": "URL", "parameter": {"text": "Track it", "phoneNumber": "", "url": "https://shop.example/{{order}}", "urlType": "dynamic"}},
        ],
        "footer": "",
        "elementName": "order_update",
        "language": "en",
        "header": {"type": "none", "link": "", "mediaFromPC": "", "mediaHeaderId": ""},
        "body": "Hi {{name}}, your order is on its way.",
        "customParams": [{"paramName": "name", "paramValue": "Ada"}, {"paramName": "order", "paramValue": "17"}],
        "creationMethod": 0,
    })
}

fn path(app: &World, rest: &str) -> String {
    format!("/{}/api/{rest}", app.tenant())
}

async fn account(app: &World) -> String {
    let channels = app.app.messaging().channels().list(&app::Command(app.tenant())).await.unwrap();
    channels[0].account_id.clone()
}

testkit::both_databases! {
    async fn a_template_is_made_listed_and_deleted(app = alone) {
        let token = app.token(app.tenant(), &["messagetemplate:write"]).await;
        let made = app.by(&token).post(&path(&app, "v1/whatsApp/templates"), &order()).await;
        assert_eq!(made.status, 200, "{}", made.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("v1_made", normalized(made.json())); }
        app.later(3).await;
        let page = app.by(&token).get(&path(&app, "v1/getMessageTemplates?pageSize=5&pageNumber=1")).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("v1_page", normalized(page.json())); }
        let mut german = order();
        german["language"] = json!("de");
        let german = app.by(&token).post(&path(&app, "v1/whatsapp/TEMPLATES"), &german).await;
        assert_eq!(german.json()["ok"], true, "{}", german.text);
        let page = app.by(&token).get(&path(&app, "v1/getmessagetemplates?pageSize=1&pageNumber=2&name=order")).await.json();
        assert_eq!(page["messageTemplates"].as_array().unwrap().len(), 1);
        insta::allow_duplicates! { insta::assert_json_snapshot!("v1_link", normalized(page["link"].clone())); }
        let account = account(&app).await;
        let one = app.by(&token).delete(&path(&app, &format!("v1/whatsApp/templates/{account}/order_update/de"))).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("v1_deleted", normalized(one.json())); }
        let all = app.by(&token).delete(&path(&app, &format!("v1/whatsApp/templates/{account}/order_update"))).await;
        assert_eq!(all.json()["result"]["id"], made.json()["result"]["id"], "{}", all.text);
        let none = app.by(&token).get(&path(&app, "v1/getMessageTemplates")).await.json();
        assert_eq!((&none["messageTemplates"], &none["link"]["total"]), (&json!([]), &json!(0)));
    }

    /// Clients of the hosted platforms send empty parts for what a template does not have.
    async fn empty_parts_count_as_none(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["api"]).await;
        let copy = json!({"type": "copy_code", "parameter": {"text": "Copy", "copyOfferCode": ""}});
        for (name, part, value) in [
            ("no_header", "header", json!({})),
            ("empty_header", "header", json!({"type": "text", "text": ""})),
            ("no_code", "buttons", json!([copy, order()["buttons"][0]])),
            ("no_button", "buttons", json!([copy])),
        ] {
            let mut body = order();
            body["elementName"] = json!(name);
            body["customParams"] = json!([{"paramName": "name", "paramValue": "Ada"}]);
            body["buttons"] = json!([order()["buttons"][0]]);
            body[part] = value;
            let made = app.by(&token).post(&path(&app, "v1/whatsApp/templates"), &body).await.json();
            assert_eq!(made["ok"], true, "{name}: {made}");
        }
    }

    /// A header as clients of the hosted platforms send it, with an address as the sample.
    async fn the_sample_of_a_picture_is_uploaded_or_refused(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["api"]).await;
        let mut body = order();
        body["header"] = json!({"type": "image", "link": "https://shop.example/missing.jpg", "mediaFromPC": "", "mediaHeaderId": ""});
        let create = path(&app, "v1/whatsApp/templates");
        let info = "header.link: the URL returned HTTP 404";
        assert_eq!(app.by(&token).post(&create, &body).await.json(), json!({"ok": false, "info": info, "error": info}));
        body["header"]["link"] = json!("https://shop.example/a.jpg");
        let made = app.by(&token).post(&create, &body).await.json();
        assert_eq!((&made["ok"], &made["result"]["status"]), (&json!(true), &json!("PENDING")), "{made}");
        let page = app.by(&token).get(&path(&app, "v1/getMessageTemplates")).await.json();
        assert_eq!(page["messageTemplates"][0]["header"]["link"], "https://shop.example/a.jpg");
    }

    async fn failures_are_answered_with_ok_false(app = World::with_sandbox) {
        let token = app.token(app.tenant(), &["api"]).await;
        let create = path(&app, "v1/whatsApp/templates");
        let mut long = order();
        long["buttons"][1]["parameter"]["text"] = json!("Follow your order there");
        let answer = app.by(&token).post(&create, &long).await;
        assert_eq!(answer.status, 200);
        insta::allow_duplicates! { insta::assert_json_snapshot!("v1_refused", answer.json()); }
        app.by(&token).post(&create, &order()).await;
        let again = app.by(&token).post(&create, &order()).await.json();
        assert_eq!(again["info"], "name: a template with this name and language already exists");
        let mut elsewhere = order();
        elsewhere["channelNumber"] = json!(14_155_559_999_i64);
        assert_eq!(app.by(&token).post(&create, &elsewhere).await.json()["info"], "channel: there is no such channel");
        for rest in ["1/order_update", "1/order_update/en"] {
            let gone = app.by(&token).delete(&path(&app, &format!("v1/whatsApp/templates/{rest}"))).await;
            assert_eq!((&gone.json()["ok"], &gone.json()["info"]), (&json!(false), &json!("There is no such template")));
        }
        let nameless = app.by(&token).post(&create, &json!({"category": "UTILITY"})).await;
        assert_eq!((nameless.status.as_u16(), nameless.reason().as_str()), (400, "invalid_body"), "{}", nameless.text);
        let page = app.by(&token).get(&path(&app, "v1/getMessageTemplates?pageSize=0")).await;
        assert_eq!((page.status.as_u16(), &page.json()["parameter"]), (400, &json!("pageSize")));
    }

    async fn v2_has_the_list_of_one_account(app = World::with_sandbox) {
        let writer = app.token(app.tenant(), &["messagetemplate:write"]).await;
        let token = app.token(app.tenant(), &["messagetemplatev2:read"]).await;
        app.by(&writer).post(&path(&app, "v1/whatsApp/templates"), &order()).await;
        let account = account(&app).await;
        let page = app.by(&token).get(&path(&app, &format!("v2/getMessageTemplates?name=order&wabaId={account}"))).await;
        assert_eq!(page.status, 200, "{}", page.text);
        let mut shown = normalized(page.json());
        shown["link"] = json!("as V1");
        insta::allow_duplicates! { insta::assert_json_snapshot!("v2_page", shown); }
        for query in ["name=welcome", "wabaId=1"] {
            let none = app.by(&token).get(&path(&app, &format!("v2/getMessageTemplates?{query}"))).await.json();
            assert_eq!(none["messageTemplates"], json!([]), "{query}");
        }
    }
}
