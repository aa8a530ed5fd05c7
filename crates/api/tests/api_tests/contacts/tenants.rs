//! Contacts of another tenant do not exist, for every form of target and every operation.

use serde_json::{Value, json};
use testkit::World;

use crate::contacts::{CONTACTS, listed, make, text};

testkit::both_databases! {
    async fn nothing_of_another_tenant_is_found_or_changed(app = World::new) {
        let other = app.test.new_tenant("unlimited").await;
        let (ours, theirs) = (app.token(app.tenant(), &["api"]).await, app.token(other, &["api"]).await);
        let foreign = make(&app, &theirs, "14155552671", "Eve", &[("city", "Bern")]).await;
        let second = make(&app, &theirs, "14155552672", "Mallory", &[]).await;
        make(&app, &ours, "14155550100", "Ada", &[]).await;
        let merge = app.by(&theirs).post(&format!("{CONTACTS}/merges"), &json!({"target": "14155552671", "duplicate": "14155552672"})).await.json();
        app.by(&theirs).post(&format!("/{other}/api/v1/createCustomSegment"), &json!({"name": "Theirs", "refreshType": 1, "contactIds": ["14155552671"]})).await;
        let segment = app.by(&theirs).get("/api/ext/v3/segments").await.json()["segments"][0]["id"].as_str().unwrap().to_owned();
        let before = state(&app, &theirs).await;

        let tenant = app.tenant();
        // The last target is the id of a contact that was merged into the first one.
        for person in ["14155552671", "+14155552671", text(&foreign, "id"), text(&foreign, "bsuid"), text(&second, "id")] {
            for target in [person.to_owned(), format!("MyChannel:{person}"), format!("MyChannel%3A{person}")] {
                assert_eq!(app.by(&ours).get(&format!("{CONTACTS}/{target}")).await.status, 404, "{target}");
                assert_eq!(app.by(&ours).get(&format!("{CONTACTS}/{target}/history")).await.status, 404, "{target}");
                assert_eq!(app.by(&ours).delete(&format!("{CONTACTS}/{target}")).await.status, 404, "{target}");
                let consent = json!({"blocked": true});
                assert_eq!(app.by(&ours).put(&format!("{CONTACTS}/{target}/consent"), &consent).await.status, 404, "{target}");
                let listed = json!({"contacts": [{"target": target}]});
                assert_eq!(app.by(&ours).put(CONTACTS, &listed).await.status, 404, "{target}");
                let teams = json!({"target": target, "teams": ["x"]});
                assert_eq!(app.by(&ours).put(&format!("{CONTACTS}/teams"), &teams).await.status, 404, "{target}");
                for (one, two) in [("14155550100", target.as_str()), (&target, "14155550100")] {
                    let both = json!({"target": one, "duplicate": two});
                    assert_eq!(app.by(&ours).post(&format!("{CONTACTS}/merges"), &both).await.status, 404, "{target}");
                }
                for (operation, body) in [
                    (format!("updateContactAttributes/{target}"), json!({})),
                    ("updateContactAttributes".to_owned(), json!({"target": target})),
                    ("updateContactAttributesForMultiContacts".to_owned(), listed),
                    ("createCustomSegment".to_owned(), json!({"name": "x", "refreshType": 1, "contactIds": [target]})),
                ] {
                    let answer = app.by(&ours).post(&format!("/{tenant}/api/v1/{operation}"), &body).await;
                    assert_eq!((answer.status.as_u16(), &answer.json()["result"]), (200, &json!(false)), "{operation} {target}");
                    assert!(answer.text.contains("there is no such contact"), "{operation} {target}: {}", answer.text);
                }
            }
        }
        // An id creates no contact; a number creates one in the caller's tenant.
        let by_id = app.by(&ours).post(CONTACTS, &json!({"whatsapp_number": foreign["id"], "name": "x"})).await;
        assert_eq!((by_id.status.as_u16(), &by_id.json()["parameter"]), (404, &json!("whatsapp_number")));
        let by_id = app.by(&ours).post(&format!("/{tenant}/api/v1/addContact/{}", text(&foreign, "id")), &json!({})).await;
        assert_eq!(by_id.json()["result"], false);
        let own = make(&app, &ours, "14155552671", "Own", &[]).await;
        assert!(own["id"] != foreign["id"] && own["bsuid"] != foreign["bsuid"]);

        let undo = format!("{CONTACTS}/merges/{}/undo", text(&merge, "id"));
        assert_eq!(app.by(&ours).post(&undo, &json!({})).await.status, 404);
        assert_eq!(app.by(&ours).delete(&format!("/api/ext/v3/segments/{segment}")).await.status, 404);
        assert_eq!(app.by(&ours).get("/api/ext/v3/segments").await.json(), json!({"segments": []}));
        for segment in [segment.as_str(), "Theirs"] {
            assert_eq!(app.by(&ours).get(&format!("{CONTACTS}?segment={segment}")).await.status, 400);
        }
        assert_eq!(listed(&app.by(&ours).get(CONTACTS).await), ["Own", "Ada"]);
        assert!(listed(&app.by(&ours).get(&format!("{CONTACTS}?search=eve")).await).is_empty());
        assert_eq!(app.by(&ours).get(&format!("{CONTACTS}/count")).await.json()["contact_count"], 2);
        make(&app, &theirs, "14155552673", "Trent", &[]).await;
        let page = app.by(&theirs).get(&format!("{CONTACTS}?page_size=1")).await.json();
        let cursor = text(&page, "next_cursor");
        assert_eq!(app.by(&ours).get(&format!("{CONTACTS}?cursor={cursor}")).await.status, 400);
        assert_eq!(app.by(&ours).get(&format!("/{tenant}/api/v1/getContacts?cursor={cursor}")).await.status, 400);
        app.by(&theirs).delete(&format!("{CONTACTS}/14155552673")).await;
        assert_eq!(state(&app, &theirs).await, before);
    }
}

async fn state(app: &World, token: &str) -> (Value, Value) {
    let history = app.by(token).get(&format!("{CONTACTS}/14155552671/history")).await.json();
    (app.by(token).get(CONTACTS).await.json(), history)
}
