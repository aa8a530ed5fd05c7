//! V3: history, consent, merges, and contacts whom only the network has named.

use domain::people::contacts::Sighting;
use serde_json::{Value, json};
use testkit::World;

use crate::contacts::{CONTACTS, assert_refused, encoded, listed, make, normalized, text};

async fn history(app: &World, token: &str, target: &str) -> Value {
    app.by(token).get(&format!("{CONTACTS}/{target}/history")).await.ok()
}

testkit::both_databases! {
    async fn decisions_are_kept_with_time_and_source(test) {
        let app = World::on(test).with_token(&["contactsv3:write"]).await;
        make(&app, &app.token, "14155552671", "Ada", &[]).await;
        let before = history(&app, &app.token, "14155552671").await;
        assert!(before.get("opt_in").is_none());
        let path = format!("{CONTACTS}/14155552671/consent");
        let out = app.put(&path, &json!({"opted_in": false, "allow_sms": false, "source": "web form"})).await;
        assert_eq!(out.status, 200, "{}", out.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("opted_out", normalized(out.json())); }
        app.advance(1);
        app.put(&path, &json!({"opted_in": false, "blocked": true})).await;
        let kept = history(&app, &app.token, "14155552671").await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("history", normalized(kept)); }
        app.put(&path, &json!({"blocked": false, "allow_broadcast": false})).await;
        let kept = history(&app, &app.token, "14155552671").await;
        assert_eq!((&kept["blocked"], &kept["consents"].as_array().unwrap().len()), (&json!(false), &5));
        for (body, parameter) in [
            (json!({}), "opted_in"),
            (json!({"source": "shop"}), "opted_in"),
            (json!({"opted_in": null}), "opted_in"),
            (json!({"opted_in": "no"}), "opted_in"),
            (json!({"blocked": 1}), "blocked"),
            (json!({"blocked": true, "source": "x".repeat(201)}), "source"),
        ] {
            assert_refused(&app.put(&path, &body).await, 400, parameter);
        }
        let nul = app.put(&path, &json!({"blocked": true, "source": "a\0b"})).await;
        assert_eq!(nul.status, 400, "{}", nul.text);
        assert_eq!(history(&app, &app.token, "14155552671").await, kept);
        for target in ["14155552699", "nobody", "507f1f77bcf86cd799439011"] {
            let body = json!({"blocked": true});
            assert_eq!(app.put(&format!("{CONTACTS}/{target}/consent"), &body).await.status, 404, "{target}");
            assert_eq!(app.get(&format!("{CONTACTS}/{target}/history")).await.status, 404, "{target}");
        }
    }

    async fn merging_and_undoing(test) {
        let app = World::on(test).with_token(&["contactsv3:write"]).await;
        let first = make(&app, &app.token, "14155550100", "Ada", &[("city", "Bern")]).await;
        let second = make(&app, &app.token, "14155550101", "A. Lovelace", &[("city", "London"), ("tier", "gold")]).await;
        app.advance(1);
        let merges = format!("{CONTACTS}/merges");
        let both = json!({"target": second["id"], "duplicate": "14155550100"});
        let preview = app.post(&format!("{merges}/preview"), &both).await;
        assert_eq!(preview.status, 200, "{}", preview.text);
        let merged = app.post(&merges, &both).await;
        let (mut before, mut after) = (preview.json()["contact"].clone(), merged.json()["contact"].clone());
        assert_eq!((&preview.json()["kept_id"], &preview.json()["merged_id"]), (&after["id"], &second["id"]));
        for contact in [&mut before, &mut after] {
            contact["last_updated"] = Value::Null;
        }
        assert_eq!(before, after, "nothing was changed, and the merge does what was shown");
        assert_eq!((merged.status.as_u16(), &merged.json()["contact"]["id"]), (200, &first["id"]));
        insta::allow_duplicates! { insta::assert_json_snapshot!("merged", normalized(merged.json())); }
        for target in ["14155550100", "14155550101", text(&second, "id"), text(&second, "bsuid")] {
            let found = app.get(&format!("{CONTACTS}/{target}")).await.json();
            assert_eq!(found["id"], first["id"], "{target}");
        }
        let past = history(&app, &app.token, "14155550100").await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("past", normalized(past)); }
        for path in [&merges, &format!("{merges}/preview")] {
            let again = app.post(path, &json!({"target": "14155550100", "duplicate": "14155550101"})).await;
            assert_refused(&again, 409, "duplicate");
        }
        let undo = format!("{merges}/{}/undo", text(&merged.json(), "id"));
        let undone = app.post(&undo, &json!({})).await;
        assert_eq!(undone.status, 200, "{}", undone.text);
        assert_eq!((&undone.json()["contact"], &undone.json()["separated"]), (&first, &second));
        insta::allow_duplicates! { insta::assert_json_snapshot!("undone", normalized(undone.json())); }
        assert_refused(&app.post(&undo, &json!({})).await, 409, "id");
        assert!(history(&app, &app.token, "14155550100").await["merges"][0]["undone_at"].is_string());
        assert_eq!(listed(&app.get(CONTACTS).await), ["A. Lovelace", "Ada"]);
        for (body, status, parameter) in [
            (json!({"target": "14155550100"}), 400, "duplicate"),
            (json!({"duplicate": "14155550100"}), 400, "target"),
            (json!({"target": "ada", "duplicate": "14155550100"}), 400, "target"),
            (json!({"target": "14155550100", "duplicate": "11111111111"}), 400, "duplicate"),
            (json!({"target": "14155550199", "duplicate": "14155550100"}), 404, "target"),
            (json!({"target": "14155550100", "duplicate": "14155550199"}), 404, "duplicate"),
            (json!({"target": 1, "duplicate": "14155550199"}), 400, "target"),
        ] {
            for path in [&merges, &format!("{merges}/preview")] {
                assert_refused(&app.post(path, &body).await, status, parameter);
            }
        }
        for id in ["507f1f77bcf86cd799439011", "x"] {
            assert_eq!(app.post(&format!("{merges}/{id}/undo"), &json!({})).await.status, 404, "{id}");
        }
    }

    async fn people_whom_only_the_network_knows_have_no_number(app = World::with_api_token) {
        let sighting = Sighting {
            phone: None,
            bsuids: vec!["US.13491208655302741918".to_owned()],
            parent_bsuid: Some("US.ENT.11815799212886844830".to_owned()),
            username: Some("ada.lovelace".to_owned()),
            name: None,
            source: "WHATSAPP".to_owned(),
            at: app.now(),
        };
        let input = (app.tenant(), sighting, app.now());
        let seen = app.test.db.write(input, |tx, (tenant, sighting, now)| {
            Box::pin(app::people::contacts::resolve_contact(tx, *tenant, sighting, *now, &[]))
        });
        seen.await.unwrap();
        let mut shown = app.get(&format!("{CONTACTS}/US.13491208655302741918")).await.json();
        assert_eq!(shown["bsuid"], "US.13491208655302741918");
        shown = normalized(shown);
        insta::allow_duplicates! { insta::assert_json_snapshot!("nameless", shown); }
        assert_eq!(listed(&app.get(&format!("{CONTACTS}?search=@ADA.L")).await), [""]);
        let named = make(&app, &app.token, "DE.7", "", &[]).await;
        assert_eq!((&named["bsuid"], &named["display_name"]), (&json!("DE.7"), &json!("")));
        let numbered = make(&app, &app.token, "14155550100", "", &[]).await;
        assert_eq!(numbered["display_name"], "14155550100");
    }

    async fn contacts_are_filtered_by_consent(app = World::with_api_token) {
        for (number, name, change) in [
            ("14155552671", "Ada", json!({"opted_in": false})),
            ("14155552672", "Bob", json!({"blocked": true})),
            ("14155552673", "Cleo", json!({"allow_broadcast": false})),
        ] {
            make(&app, &app.token, number, name, &[]).await;
            assert_eq!(app.put(&format!("{CONTACTS}/{number}/consent"), &change).await.status, 200);
        }
        for (query, expected) in [
            ("opted_in=false", vec!["Ada"]), ("opted_in=true", vec!["Cleo", "Bob"]), ("blocked=true", vec!["Bob"]),
            ("allowBroadcast=false", vec!["Cleo"]), ("blocked=false&opted_in=true", vec!["Cleo"]),
            ("search=Ada&blocked=true", vec![]),
        ] {
            assert_eq!(listed(&app.get(&format!("{CONTACTS}?{query}")).await), expected, "{query}");
            let counted = app.get(&format!("{CONTACTS}/count?{query}")).await;
            assert_eq!(counted.json()["contact_count"], expected.len(), "{query}");
            let file = app.get(&format!("{CONTACTS}/export?{query}")).await;
            assert_eq!(file.text.lines().count(), expected.len() + 1, "{query}: {}", file.text);
        }
        assert_refused(&app.get(&format!("{CONTACTS}?blocked=maybe")).await, 400, "blocked");
    }

    async fn attributes_are_removed_and_names_changed(app = World::with_api_token) {
        make(&app, &app.token, "14155552671", "Ada", &[("city", "Bern"), ("plan", "basic")]).await;
        let change = json!({"contacts": [{"target": "14155552671", "name": "Ada Lovelace", "removedParams": ["city", "none"], "customParams": [{"name": "plan", "value": "gold"}]}]});
        let changed = app.put(CONTACTS, &change).await.ok();
        let contact = &changed["contact_list"][0];
        assert_eq!((&contact["name"], &contact["custom_params"]), (&json!("Ada Lovelace"), &json!([{"name": "plan", "value": "gold"}])));
        let by_city = format!("{CONTACTS}?attribute={}", encoded(&json!([{"name": "city", "operator": "exist", "value": ""}])));
        assert_eq!(listed(&app.get(&by_city).await), Vec::<String>::new());
        let both = json!({"contacts": [{"target": "14155552671", "removed_params": ["plan"], "customParams": [{"name": "plan", "value": "new"}]}]});
        let changed = app.put(CONTACTS, &both).await.json();
        assert_eq!(changed["contact_list"][0]["custom_params"], json!([{"name": "plan", "value": "new"}]));
        let many = json!({"contacts": [{"target": "14155552671", "removed_params": vec!["x"; 101]}]});
        assert_refused(&app.put(CONTACTS, &many).await, 400, "contacts[0].removed_params");
    }
}
