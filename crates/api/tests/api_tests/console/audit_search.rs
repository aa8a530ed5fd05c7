//! The audit log is searched on the server, over all entries, a bounded number a page.

use domain::identity::audit::AuditEntry;
use domain::{Id, Timestamp};

use super::*;

/// Writes this many log-ins, one a second, which are older than everything else.
async fn many_entries(app: &World, count: i64) {
    let input = (app.tenant(), count);
    let write = app.test.db.write(input, move |tx, (tenant, count): &(TenantId, i64)| {
        Box::pin(async move {
            for second in 0..*count {
                let at = Timestamp::from_seconds(1_600_000_000 + second);
                let entry = AuditEntry {
                    id: Id::new(at),
                    at,
                    actor: "command".to_owned(),
                    action: if second == 0 { "webhook.create" } else { "session.create" }.to_owned(),
                    subject: "s".to_owned(),
                    details: if second == 0 { r#"{"url":"https://needle.example"}"# } else { "{}" }.to_owned(),
                    address: None,
                    request_id: None,
                };
                store::identity::audit::append(tx, *tenant, &entry).await?;
            }
            Ok::<_, store::Error>(())
        })
    });
    write.await.unwrap();
}

/// The actions that a query finds, page after page, and the number of pages.
async fn found(app: &World, admin: &Person, query: &str) -> (Vec<String>, usize) {
    let (mut actions, mut pages, mut cursor) = (Vec::new(), 0, String::new());
    loop {
        let answer = admin.get(app, &format!("{AUDIT}?{query}{cursor}")).await.ok();
        actions.extend(answer["entries"].as_array().unwrap().iter().map(|it| text(&it["action"])));
        pages += 1;
        assert_eq!(answer["next_cursor"].is_string(), answer["searched_to"].is_string());
        match answer["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return (actions, pages),
        }
    }
}

testkit::both_databases! {
    async fn names_actions_and_details_find_an_entry(app = World::new) {
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let (token, _) = admin.token(&app, json!({"name": "Reporting, production"})).await;
        let ada = app.contact("14155550132", "Ada Winter").await;
        let twin = app.contact("14155550133", "A. Winter").await;
        let both = json!({"target": ada.id, "duplicate": twin.id});
        admin.call(&app, "POST", "/console/api/contacts/merges", &both).await.ok();
        for (query, expected) in [
            ("search=reporting", vec!["token.create"]),
            ("search=created+REPORTING+production", vec!["token.create"]),
            (&*format!("search={token}"), vec!["token.create"]),
            (&*format!("search={}+token", admin.email), vec!["token.create"]),
            ("search=merged+ada", vec!["contact.merge"]),
            // The number of the merged contact is the one that was seen last.
            ("search=%2B14155550133", vec!["contact.merge"]),
            ("search=nothing+like+it", vec![]),
            (&*format!("actor=account:{}&topic=access", admin.id), vec!["token.create"]),
            ("actor=command&topic=webhooks", vec![]),
            ("search=reporting&date_to=2001-01-01", vec![]),
        ] {
            assert_eq!(found(&app, &admin, query).await.0, expected, "{query}");
        }
        let named = admin.get(&app, &format!("{AUDIT}?search=reporting")).await.ok()["entries"][0].clone();
        assert_eq!((&named["subject_name"], &named["topic"]), (&json!("Reporting, production"), &json!("access")));
        assert!(named["actor_name"].is_string(), "{named}");
        for (query, parameter) in [
            ("topic=x", "topic"), ("cursor=x", "cursor"), ("find=x", "find"), ("date_from=x", "date_from"),
            (&*format!("search={}", "x".repeat(201)), "search"),
        ] {
            assert_invalid(&admin.get(&app, &format!("{AUDIT}?{query}")).await, parameter);
        }
    }

    async fn a_page_examines_a_bounded_number_of_entries_and_the_next_one_goes_on(app = World::new) {
        many_entries(&app, 5600).await;
        let admin = logged_in(&app, "admin", Role::Administrator).await;
        let first = admin.get(&app, &format!("{AUDIT}?search=needle")).await.ok();
        assert_eq!(first["entries"], json!([]));
        assert!(text(&first["searched_to"]).starts_with("2020-09-13T"), "{first}");
        assert_eq!(found(&app, &admin, "search=needle").await, (vec!["webhook.create".to_owned()], 2));
        let (all, pages) = found(&app, &admin, "limit=1000&actor=command&topic=log_ins").await;
        assert_eq!((all.len(), pages), (5599, 6));
        let other = logged_in(&app, "other", Role::Administrator).await;
        let cursor = text(&first["next_cursor"]);
        assert_eq!(other.get(&app, &format!("{AUDIT}?cursor={cursor}")).await.status, 200);
    }
}
