//! The call log over the wire, on both databases: shapes, filters, pages, refusals.

use domain::identity::roles::Role;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::Answer;

const CALLS: &str = "/api/ext/v3/calls";

#[expect(clippy::needless_pass_by_value, reason = "callers write the value in place")]
fn call(n: u32, more: Value) -> Value {
    let mut body = json!({
        "call_id": format!("pbx-{n}"), "direction": "inbound", "from_number": "+1 415 555 2671",
        "to_number": "14155550100", "started_at": format!("2026-04-24T10:{n:02}:00.5Z"),
    });
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

/// Replaces ids, which differ from run to run.
fn normalized(mut call: Value) -> Value {
    for member in ["id", "contact_id"] {
        if call[member].is_string() {
            call[member] = "[id]".into();
        }
    }
    if call["operator"]["id"].is_string() {
        call["operator"]["id"] = "[id]".into();
    }
    call
}

fn names(answer: &Answer) -> Vec<String> {
    assert_eq!(answer.status, 200, "{}", answer.text);
    answer.json()["calls"].as_array().unwrap().iter().map(|call| call["call_id"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn assert_invalid(answer: &Answer, parameter: &str) {
    assert_eq!(answer.status, 400, "{}", answer.text);
    assert_eq!(answer.json()["parameter"], parameter, "{}", answer.text);
}

testkit::both_databases! {
    async fn calls_are_counted_by_day_of_a_zone(app = World::with_api_token) {
        app.account(app.tenant(), "grace@example.com", Role::Operator).await;
        let at = |time: &str| format!("2026-04-{time}Z");
        for (n, body) in [
            json!({"started_at": at("24T10:00:00"), "answered_at": at("24T10:00:05"), "ended_at": at("24T10:01:05"), "operator": "grace@example.com"}),
            json!({"started_at": at("24T22:30:00"), "ended_at": at("24T22:30:30"), "direction": "outbound"}),
            json!({"started_at": at("26T08:00:00"), "answered_at": at("26T08:00:02")}),
            json!({"started_at": at("26T09:00:00"), "ended_at": at("26T09:00:02"), "status": "failed"}),
        ].into_iter().enumerate() {
            app.post(CALLS, &call(u32::try_from(n).unwrap(), body)).await.ok();
        }
        let counts = async |query: &str| {
            app.get(&format!("{CALLS}/counts?{query}")).await.ok()
        };
        let day = |day: &str, counts: [i64; 7]| {
            let [inbound, outbound, answered, missed, failed, duration_seconds, completed] = counts;
            json!({"day": day, "inbound": inbound, "outbound": outbound, "answered": answered, "missed": missed,
                "failed": failed, "duration_seconds": duration_seconds, "completed": completed})
        };
        let berlin = counts("by=day&time_zone=Europe/Berlin").await;
        assert_eq!(berlin, json!({"days": [
            day("2026-04-24", [1, 0, 1, 0, 0, 60, 1]), day("2026-04-25", [0, 1, 0, 1, 0, 0, 0]), day("2026-04-26", [2, 0, 1, 0, 1, 0, 0]),
        ], "total": 4}));
        let utc = counts("").await;
        assert_eq!(utc["days"][0], day("2026-04-24", [1, 1, 1, 1, 0, 60, 1]));
        assert_eq!(utc["days"][1], day("2026-04-25", [0; 7]), "a day without calls is listed");
        assert_eq!(counts("direction=outbound&time_zone=UTC").await["total"], 1);
        assert_eq!(counts("operator=Grace@example.com").await["total"], 1);
        assert_eq!(counts("operator=nobody@example.com").await, json!({"days": [], "total": 0}));
        assert_eq!(counts("min_duration=60&max_duration=60").await["total"], 1);
        assert_eq!(counts("start_date=2026-04-25&end_date=2026-04-26T08:30:00Z").await["total"], 1);
        assert_eq!(counts("end_date=2020-01-01").await, json!({"days": [], "total": 0}));
        // A range may begin and end within a day.
        let part = counts("start_date=2026-04-24T10:00:01Z&end_date=2026-04-24T22:30:00Z&time_zone=America/New_York").await;
        assert_eq!(part, json!({"days": [day("2026-04-24", [0, 1, 0, 1, 0, 0, 0])], "total": 1}));
        for (query, parameter) in [
            ("time_zone=Mars/Base", "time_zone"), ("by=hour", "by"), ("min_duration=5&max_duration=1", "min_duration"),
            ("start_date=2020-01-01", "start_date"), ("direction=up", "direction"), ("start_date=soon", "start_date"),
        ] {
            assert_invalid(&app.get(&format!("{CALLS}/counts?{query}")).await, parameter);
        }
        let other = app.token(app.test.new_tenant("unlimited").await, &["api"]).await;
        assert_eq!(app.by(&other).get(&format!("{CALLS}/counts")).await.json(), json!({"days": [], "total": 0}));
    }

    async fn a_recorded_call_has_the_documented_shape(test) {
        let app = World::on(test).with_token(&["callsv3:write"]).await;
        app.account(app.tenant(), "grace@example.com", Role::Operator).await;
        let body = call(1, json!({
            "answered_at": "2026-04-24T12:01:07+02:00", "ended_at": "2026-04-24T10:04:12.999999Z",
            "end_reason": "hangup_by_user", "operator": "Grace@Example.com", "team_name": "Support",
        }));
        let recorded = app.post(CALLS, &body).await;
        assert_eq!(recorded.status, 200, "{}", recorded.text);
        insta::allow_duplicates! { insta::assert_json_snapshot!("recorded", normalized(recorded.json())); }
        let id = recorded.json()["id"].as_str().unwrap().to_owned();
        let shown = app.get(&format!("{CALLS}/{id}")).await;
        assert_eq!(shown.json(), recorded.json());
        let bare = app.post(CALLS, &call(2, json!({}))).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("ringing", normalized(bare.json())); }
        let page = app.get(&format!("{CALLS}?limit=1&include_total=true")).await.json();
        assert_eq!((&page["limit"], &page["offset"], &page["has_more"], &page["total"]), (&json!(1), &json!(0), &json!(true), &json!(2)));
        assert_eq!(page["calls"][0], bare.json());
        let last = app.get(&format!("{CALLS}?limit=2")).await.json();
        assert_eq!(last["has_more"], false);
        assert!(last.get("next_cursor").is_none() && last.get("total").is_none());
    }

    async fn the_same_call_id_again_answers_the_first_call(app = World::with_api_token) {
        let first = app.post(CALLS, &call(1, json!({}))).await.json();
        let again = app.post(CALLS, &call(1, json!({"team_name": "Sales"}))).await.json();
        assert_eq!(first, again);
        assert_eq!(names(&app.get(CALLS).await).len(), 1);
    }

    async fn a_call_goes_over_a_channel_or_other_equipment(app = World::with_api_token) {
        let (support, _) = app.add_channel(app.tenant(), "Support", "14155550100").await;
        app.add_channel(app.test.new_tenant("unlimited").await, "Foreign", "14155550102").await;
        let support = json!(support.id.to_string());
        for (n, channel, id, number) in [
            (1, json!("support "), &support, "14155550100"),
            (2, json!("+1 (415) 555-0100"), &support, "14155550100"),
            (3, json!(null), &support, "14155550100"),
            (4, json!("14155550102"), &json!(null), "14155550102"),
        ] {
            let body = call(n, json!({"channel": channel, "to_number": "14155550100"}));
            let recorded = app.post(CALLS, &body).await.ok();
            assert_eq!((&recorded["channel_id"], &recorded["channel_phone_number"]), (id, &json!(number)), "{channel}");
        }
        let elsewhere = app.post(CALLS, &call(5, json!({"to_number": "14155550103"}))).await.json();
        assert_eq!((&elsewhere["channel_id"], &elsewhere["channel_phone_number"]), (&json!(null), &json!("14155550103")));
        for channel in ["Foreign", "Nothing", "", "123"] {
            assert_invalid(&app.post(CALLS, &call(6, json!({"channel": channel}))).await, "channel");
        }
    }

    async fn calls_of_another_tenant_do_not_exist(app = World::new) {
        let other = app.test.new_tenant("unlimited").await;
        let (ours, theirs) = (app.token(app.tenant(), &["api"]).await, app.token(other, &["api"]).await);
        let id = app.by(&theirs).post(CALLS, &call(1, json!({}))).await.json()["id"].as_str().unwrap().to_owned();
        assert_eq!(app.by(&ours).get(&format!("{CALLS}/{id}")).await.status, 404);
        assert_eq!(app.by(&ours).call("PATCH", &format!("{CALLS}/{id}"), &json!({"team_name": "x"})).await.status, 404);
        assert!(names(&app.by(&ours).get(CALLS).await).is_empty());
        app.account(other, "grace@example.com", Role::Operator).await;
        let foreign = app.by(&ours).post(CALLS, &call(2, json!({"operator": "grace@example.com"}))).await;
        assert_invalid(&foreign, "operator");
        let page = app.by(&theirs).get(&format!("{CALLS}?limit=1")).await;
        assert_eq!(page.json()["has_more"], false);
        for n in 3..6 {
            app.by(&theirs).post(CALLS, &call(n, json!({}))).await;
        }
        let cursor = app.by(&theirs).get(&format!("{CALLS}?limit=1")).await.json()["next_cursor"].as_str().unwrap().to_owned();
        assert_invalid(&app.by(&ours).get(&format!("{CALLS}?cursor={cursor}")).await, "cursor");
    }

    async fn every_filter_alone_and_together(app = World::with_api_token) {
        let grace = app.account(app.tenant(), "grace@example.com", Role::Operator).await;
        let completed = |n: u32, seconds: u32, more: Value| {
            let mut body = call(n, json!({
                "answered_at": format!("2026-04-24T10:{n:02}:00.5Z"),
                "ended_at": format!("2026-04-24T10:{:02}:{:02}.5Z", n + seconds / 60, seconds % 60),
            }));
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            body
        };
        for body in [
            completed(1, 30, json!({"operator": grace})),
            completed(2, 600, json!({})),
            call(3, json!({"direction": "outbound", "from_number": "14155550100", "to_number": "14155552671"})),
            completed(4, 61, json!({"direction": "outbound", "operator": "grace@example.com"})),
        ] {
            app.post(CALLS, &body).await.ok();
        }
        for (query, expected) in [
            ("", vec![4, 3, 2, 1]),
            ("limit=2", vec![4, 3]),
            ("offset=1&limit=2", vec![3, 2]),
            ("skip=3", vec![1]),
            ("offset=99", vec![]),
            ("direction=inbound", vec![2, 1]),
            ("direction=outbound", vec![4, 3]),
            ("operator=GRACE@example.com", vec![4, 1]),
            ("operator_email=grace@example.com", vec![4, 1]),
            ("operator=nobody@example.com", vec![]),
            ("operator=507f1f77bcf86cd799439011", vec![]),
            ("min_duration=61", vec![4, 2]),
            ("minDuration=62", vec![2]),
            ("max_duration=61", vec![4, 3, 1]),
            ("maxDuration=0", vec![3]),
            ("min_duration=0", vec![4, 3, 2, 1]),
            ("min_duration=30&max_duration=61", vec![4, 1]),
            ("start_date=2026-04-24T10:03:00.500Z", vec![4, 3]),
            ("start_date=2026-04-24T10:03:00.501Z", vec![4]),
            ("date_from=2026-04-24T12:02:00%2B02:00", vec![4, 3, 2]),
            ("startDate=2026-04-25", vec![]),
            ("end_date=2026-04-24", vec![4, 3, 2, 1]),
            ("date_to=2026-04-24T10:02:00.5", vec![2, 1]),
            ("endDate=2026-04-23", vec![]),
            ("start_date=2026-04-24&end_date=2026-04-24", vec![4, 3, 2, 1]),
            ("direction=outbound&operator=grace@example.com", vec![4]),
            ("direction=inbound&min_duration=31", vec![2]),
            ("direction=inbound&operator=grace@example.com&max_duration=30&end_date=2026-04-24T10:01:00.5Z", vec![1]),
            ("direction=&limit=&operator=", vec![4, 3, 2, 1]),
        ] {
            let expected: Vec<String> = expected.into_iter().map(|n| format!("pbx-{n}")).collect();
            assert_eq!(names(&app.get(&format!("{CALLS}?{query}")).await), expected, "{query}");
        }
        let by_id = app.get(&format!("{CALLS}?operator_id={grace}&include_total=true&limit=1")).await;
        assert_eq!(by_id.json()["total"], 2);
    }

    async fn a_printed_time_used_as_a_filter_finds_its_own_row(app = World::with_api_token) {
        let made = app.post(CALLS, &call(1, json!({"started_at": "2026-04-24T10:00:00.123999Z"}))).await.json();
        let at = made["started_at"].as_str().unwrap();
        assert_eq!(at, "2026-04-24T10:00:00.123Z");
        assert_eq!(names(&app.get(&format!("{CALLS}?start_date={at}&end_date={at}")).await), ["pbx-1"]);
    }

    async fn a_cursor_walks_every_call_once(app = World::with_api_token) {
        for n in 0..7 {
            // Always two calls begin at the same instant.
            let at = format!("2026-04-24T10:00:{:02}Z", n / 2);
            app.post(CALLS, &call(n, json!({"started_at": at}))).await;
        }
        let whole = names(&app.get(CALLS).await);
        let (mut walked, mut query) = (Vec::new(), String::from("limit=2"));
        loop {
            let page = app.get(&format!("{CALLS}?{query}")).await;
            walked.extend(names(&page));
            let Some(cursor) = page.json()["next_cursor"].as_str().map(str::to_owned) else { break };
            query = format!("limit=2&cursor={cursor}");
        }
        assert_eq!(walked, whole);
        assert_eq!(whole.len(), 7);
    }

    async fn wrong_parameters_are_named(app = World::with_api_token) {
        for (query, parameter) in [
            ("limit=0", "limit"),
            ("limit=101", "limit"),
            ("limit=ten", "limit"),
            ("limit=1.5", "limit"),
            ("limit=99999999999999999999", "limit"),
            ("offset=-1", "offset"),
            ("skip=2147483648", "offset"),
            ("direction=INBOUND", "direction"),
            ("direction=sideways", "direction"),
            ("min_duration=-1", "min_duration"),
            ("max_duration=x", "max_duration"),
            ("min_duration=5&max_duration=4", "min_duration"),
            ("start_date=2026-02-30", "start_date"),
            ("start_date=yesterday", "start_date"),
            ("end_date=2026-04-24T25:00:00Z", "end_date"),
            ("start_date=2026-04-25&end_date=2026-04-24", "start_date"),
            ("cursor=abc", "cursor"),
            ("include_total=yes", "include_total"),
            ("page=1", "page"),
            ("Limit=1", "Limit"),
            ("limit=1&limit=2", "limit"),
            ("operator=a@b.c&operator_id=507f1f77bcf86cd799439011", "operator_id"),
            ("1;drop%20table%20calls=1", "1;drop table calls"),
        ] {
            let answer = app.get(&format!("{CALLS}?{query}")).await;
            assert_invalid(&answer, parameter);
        }
        assert_eq!(app.get(&format!("{CALLS}?operator=%ff")).await.reason(), "malformed_request");
        assert_eq!(app.get(&format!("{CALLS}?operator=%00")).await.reason(), "malformed_request");
        let sql = app.get(&format!("{CALLS}?operator='%20OR%201=1--")).await;
        assert!(names(&sql).is_empty());
    }

    async fn wrong_bodies_are_named_and_change_nothing(app = World::with_api_token) {
        for (more, parameter) in [
            (json!({"call_id": null}), "call_id"),
            (json!({"call_id": ""}), "call_id"),
            (json!({"call_id": "x".repeat(257)}), "call_id"),
            (json!({"direction": "sideways"}), "direction"),
            (json!({"direction": 1}), "direction"),
            (json!({"from_number": "abc"}), "from_number"),
            (json!({"to_number": "11111111111"}), "to_number"),
            (json!({"started_at": "2026-04-24"}), "started_at"),
            (json!({"started_at": "2026-02-30T00:00:00Z"}), "started_at"),
            (json!({"started_at": 1}), "started_at"),
            (json!({"answered_at": "2026-04-24T09:00:00Z"}), "answered_at"),
            (json!({"ended_at": "2026-04-24T09:00:00Z"}), "ended_at"),
            (json!({"status": "completed"}), "answered_at"),
            (json!({"status": "missed"}), "ended_at"),
            (json!({"status": "done"}), "status"),
            (json!({"status": "ringing", "ended_at": "2026-04-24T11:00:00Z"}), "status"),
            (json!({"operator": "nobody@example.com"}), "operator"),
            (json!({"operator": ["a"]}), "operator"),
            (json!({"team_name": "x".repeat(257)}), "team_name"),
            (json!({"channel": "MyChannel"}), "channel"),
        ] {
            let answer = app.post(CALLS, &call(1, more)).await;
            assert_invalid(&answer, parameter);
        }
        let nul = app.post(CALLS, &call(1, json!({"team_name": "a\u{0}b"}))).await;
        assert_eq!((nul.status.as_u16(), nul.reason().as_str()), (400, "invalid_body"));
        assert!(names(&app.get(CALLS).await).is_empty());
    }

    async fn a_call_is_completed_later_and_its_end_stays(test) {
        let app = World::on(test).with_token(&["callsv3:write"]).await;
        app.account(app.tenant(), "grace@example.com", Role::Operator).await;
        let id = app.post(CALLS, &call(1, json!({}))).await.json()["id"].as_str().unwrap().to_owned();
        let path = format!("{CALLS}/{id}");
        let taken = app.call("PATCH", &path, &json!({
            "status": "in_progress", "answered_at": "2026-04-24T10:01:05.5Z", "operator": "grace@example.com",
        })).await;
        assert_eq!(taken.json()["operator"]["email"], "grace@example.com", "{}", taken.text);
        let done = app.call("PATCH", &path, &json!({"status": "completed", "ended_at": "2026-04-24T10:03:05.5Z"})).await;
        assert_eq!((&done.json()["duration_seconds"], &done.json()["ring_seconds"]), (&json!(120), &json!(5)));
        assert_eq!(names(&app.get(&format!("{CALLS}?min_duration=120&operator=grace@example.com")).await), ["pbx-1"]);
        let back = app.call("PATCH", &path, &json!({"status": "ringing"})).await;
        assert_eq!((back.status.as_u16(), back.reason().as_str()), (409, "conflict"));
        let cleared = app.call("PATCH", &path, &json!({"operator": null, "team_name": "Night"})).await;
        assert_eq!((&cleared.json()["operator"], &cleared.json()["team_name"]), (&Value::Null, &json!("Night")));
        assert_eq!(app.get(&path).await.json(), cleared.json());
        assert_eq!(app.call("PATCH", &format!("{CALLS}/nonsense"), &json!({})).await.status, 404);
    }

    async fn a_call_is_joined_to_the_contact_with_its_number(app = World::with_api_token) {
        let tenant = app.tenant();
        let added = app.post(&format!("/{tenant}/api/v1/addContact/14155552671"), &json!({"name": "Ada"})).await.json();
        let made = app.post(CALLS, &call(1, json!({}))).await.json();
        assert_eq!(made["bsuid"], added["contact"]["bsuid"]);
        assert_eq!(made["contact_id"], added["contact"]["id"]);
    }

    async fn details_name_the_person_of_a_call(app = World::with_api_token) {
        for (number, name) in [("14155552671", "Ada"), ("14155552699", "Grace")] {
            app.post("/api/ext/v3/contacts", &json!({"whatsapp_number": number, "name": name})).await.ok();
        }
        for (n, from) in ["14155552671", "14155552699", "14155559999"].into_iter().enumerate() {
            app.post(CALLS, &call(u32::try_from(n).unwrap(), json!({"from_number": from}))).await.ok();
        }
        let people = async |query: &str| {
            let page = app.get(&format!("{CALLS}?{query}")).await.ok();
            let person = |call: &Value| call["contact_name"].clone();
            page["calls"].as_array().unwrap().iter().map(person).collect::<Vec<_>>()
        };
        let (nobody, ada) = (Value::Null, json!("Ada"));
        assert_eq!(people("details=true").await, [nobody.clone(), json!("Grace"), ada.clone()]);
        assert_eq!(people("details=true&target=14155552671").await, std::slice::from_ref(&ada));
        assert_eq!(people("").await, [nobody.clone(), nobody.clone(), nobody.clone()]);
        let merge = json!({"target": "14155552671", "duplicate": "14155552699"});
        app.post("/api/ext/v3/contacts/merges", &merge).await.ok();
        assert_eq!(people("details=true").await, [nobody, ada.clone(), ada.clone()], "the contact that is left");
        let calls = app.get(CALLS).await.ok();
        let id = calls["calls"][2]["id"].as_str().unwrap();
        let one = app.get(&format!("{CALLS}/{id}?details=true")).await.ok();
        assert_eq!((&one["contact_name"], &one["call_id"]), (&ada, &json!("pbx-0")));
        assert!(app.get(&format!("{CALLS}/{id}")).await.ok().get("contact_name").is_none());
    }

    async fn calls_of_a_contact_are_listed(app = World::with_api_token) {
        for (number, name) in [("14155552671", "Ada"), ("14155552699", "Ada's other number")] {
            app.post("/api/ext/v3/contacts", &json!({"whatsapp_number": number, "name": name})).await.ok();
        }
        for (n, body) in [
            json!({}),
            json!({"from_number": "14155559999"}),
            json!({"direction": "outbound", "from_number": "14155550100", "to_number": "14155552671"}),
            json!({"from_number": "14155552699"}),
        ].into_iter().enumerate() {
            assert_eq!(app.post(CALLS, &call(u32::try_from(n).unwrap(), body)).await.status, 200);
        }
        let of = async |query: &str| app.get(&format!("{CALLS}?target=14155552671{query}")).await;
        assert_eq!(names(&of("").await), ["pbx-2", "pbx-0"]);
        assert_eq!(names(&of("&direction=inbound").await), ["pbx-0"]);
        assert_eq!(names(&of("&offset=1").await), ["pbx-0"]);
        assert_eq!(names(&of("&start_date=2026-04-24T10:01:00Z").await), ["pbx-2"]);
        let first = of("&limit=1").await;
        assert_eq!((names(&first), &first.json()["has_more"]), (vec!["pbx-2".to_owned()], &json!(true)));
        let second = of(&format!("&limit=1&cursor={}", first.json()["next_cursor"].as_str().unwrap())).await;
        assert_eq!((names(&second), &second.json()["has_more"]), (vec!["pbx-0".to_owned()], &json!(false)));
        let merge = json!({"target": "14155552671", "duplicate": "14155552699"});
        let merged = app.post("/api/ext/v3/contacts/merges", &merge).await;
        assert_eq!(merged.status, 200, "{}", merged.text);
        assert_eq!(names(&of("").await), ["pbx-3", "pbx-2", "pbx-0"], "calls of the merged contact too");
        assert_invalid(&of("&operator=grace@example.com").await, "operator");
        assert_invalid(&of("&include_total=true").await, "include_total");
        assert_invalid(&of("&offset=1001").await, "offset");
        assert_eq!(app.get(&format!("{CALLS}?target=19995552671")).await.status, 404);
    }
}
