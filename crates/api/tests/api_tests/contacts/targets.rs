//! Every form of a target, on every operation that takes one.

use serde_json::{Value, json};
use testkit::World;

use crate::contacts::{CONTACTS, make, text};

/// Spellings of one contact in a path.
fn in_path(contact: &Value) -> Vec<String> {
    let (id, bsuid) = (text(contact, "id"), text(contact, "bsuid"));
    let plain = ["14155552671", "+14155552671", "%2B14155552671", "1-415-555-2671", "+1%20(415)%20555-2671", id, bsuid];
    let all = plain.iter().flat_map(|person| {
        ["", "MyChannel:", "MyChannel%3A", "My%20Channel%3a", "85264318722:", "+85264318722%3A", "a:b:", "Shop%253A"]
            .map(|channel| format!("{channel}{person}"))
    });
    all.collect()
}

/// Spellings of one contact in a body.
fn in_body(contact: &Value) -> Vec<String> {
    let (id, bsuid) = (text(contact, "id"), text(contact, "bsuid"));
    let plain = ["14155552671", "+14155552671", "+1 (415) 555-2671", "1.415.555.2671", " 14155552671 ", id, bsuid];
    let all = plain.iter().flat_map(|person| {
        ["", "MyChannel:", "MyChannel: ", "MyChannel%3A", "85264318722:", "+85264318722:", "a:b:"]
            .map(|channel| format!("{channel}{person}"))
    });
    all.collect()
}

testkit::both_databases! {
    async fn every_form_in_a_path_finds_the_contact(app = World::with_api_token) {
        let mut ada = make(&app, &app.token, "14155552671", "Ada", &[]).await;
        let tenant = app.tenant();
        for target in in_path(&ada) {
            let shown = app.get(&format!("{CONTACTS}/{target}")).await;
            assert_eq!(shown.json()["id"], ada["id"], "{target}: {}", shown.text);
            let history = app.get(&format!("{CONTACTS}/{target}/history")).await;
            assert_eq!(history.json()["contact_id"], ada["id"], "{target}");
            let consent = app.put(&format!("{CONTACTS}/{target}/consent"), &json!({"opted_in": true})).await;
            assert_eq!(consent.json()["id"], ada["id"], "{target}");
            for operation in ["addContact", "updateContactAttributes"] {
                let answer = app.post(&format!("/{tenant}/api/v1/{operation}/{target}"), &json!({})).await;
                assert_eq!(answer.json()["contact"]["id"], ada["id"], "{operation} {target}: {}", answer.text);
            }
        }
        for form in 0..in_path(&ada).len() {
            let target = &in_path(&ada)[form];
            let gone = app.delete(&format!("{CONTACTS}/{target}")).await;
            assert_eq!(gone.json()["contact_id"], ada["id"], "{target}");
            ada = make(&app, &app.token, "14155552671", "Ada", &[]).await;
        }
    }

    async fn every_form_in_a_body_finds_the_contact(app = World::with_api_token) {
        let ada = make(&app, &app.token, "14155552671", "Ada", &[]).await;
        let tenant = app.tenant();
        for (n, target) in in_body(&ada).iter().enumerate() {
            let same = app.post(CONTACTS, &json!({"whatsapp_number": target, "name": ""})).await;
            assert_eq!(same.json()["id"], ada["id"], "{target}: {}", same.text);
            let updated = app.put(CONTACTS, &json!({"contacts": [{"target": target}]})).await;
            assert_eq!(updated.json()["contact_list"][0]["id"], ada["id"], "{target}");
            let teams = app.put(&format!("{CONTACTS}/teams"), &json!({"target": target, "teams": [n.to_string()]})).await;
            assert_eq!(teams.json()["result"], true, "{target}");
            let merge = app.post(&format!("{CONTACTS}/merges"), &json!({"target": target, "duplicate": target})).await;
            assert_eq!((merge.status.as_u16(), &merge.json()["parameter"]), (409, &json!("duplicate")), "{target}");
            let v1 = |operation: &str| format!("/{tenant}/api/v1/{operation}");
            for (operation, body, place) in [
                ("addContact", json!({"target": target}), "/contact/id"),
                ("addContact", json!({"whatsappNumber": target}), "/contact/id"),
                ("updateContactAttributes", json!({"target": target}), "/contact/id"),
                ("updateContactAttributes", json!({"whatsappNumber": target}), "/contact/id"),
                ("updateContactAttributesForMultiContacts", json!({"contacts": [{"target": target}]}), "/contact_list/0/id"),
                ("updateContactAttributesForMultiContacts", json!({"contacts": [{"whatsappNumber": target}]}), "/contact_list/0/id"),
            ] {
                let answer = app.post(&v1(operation), &body).await;
                assert_eq!(answer.json().pointer(place), Some(&ada["id"]), "{operation} {target}: {}", answer.text);
            }
            let segment = json!({"name": format!("s{n}"), "refreshType": 1, "contactIds": [target]});
            let segment = app.post(&v1("createCustomSegment"), &segment).await;
            assert_eq!(segment.json()["segment"]["contactCount"], 1, "{target}: {}", segment.text);
        }
    }
}
