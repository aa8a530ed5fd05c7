//! The call log of the call page, by what became of the calls.

use super::*;

const CALL_LOG: &str = "/console/api/call-log";

fn names(page: &Value) -> Vec<String> {
    page["calls"].as_array().unwrap().iter().map(|call| text(&call["call_id"])).collect()
}

/// Records a call that started at this minute of a day.
async fn record(app: &World, call_id: &str, minute: u32, more: &Value) {
    let at = |second: u32| format!("2026-04-24T10:{minute:02}:{second:02}Z");
    let mut body = json!({
        "call_id": call_id, "direction": "inbound", "from_number": "14155552671", "to_number": "14155550100",
        "started_at": at(0),
    });
    for (member, value) in more.as_object().unwrap() {
        body[member] = value.as_u64().map_or_else(|| value.clone(), |second| at(u32::try_from(second).unwrap()).into());
    }
    app.post(CALLS, &body).await.ok();
}

testkit::both_databases! {
    async fn each_number_of_the_counts_has_its_calls(app = World::with_api_token) {
        let ada = logged_in(&app, "ada", Role::Operator).await;
        record(&app, "answered", 1, &json!({"answered_at": 5, "ended_at": 35})).await;
        record(&app, "answered, no second", 2, &json!({"answered_at": 5, "ended_at": 5, "direction": "outbound"})).await;
        record(&app, "in progress", 3, &json!({"answered_at": 5})).await;
        record(&app, "missed", 4, &json!({"ended_at": 30})).await;
        record(&app, "missed outbound", 5, &json!({"ended_at": 30, "direction": "outbound", "operator": ada.email})).await;
        record(&app, "failed", 6, &json!({"ended_at": 1, "status": "failed"})).await;
        record(&app, "ringing", 7, &json!({})).await;
        let listed = async |query: &str| ada.get(&app, &format!("{CALL_LOG}?include_total=true&{query}")).await.ok();
        let counted = app.get(&format!("{CALLS}/counts")).await.ok()["days"][0].clone();
        for (outcome, expected) in [
            ("answered", vec!["in progress", "answered, no second", "answered"]),
            ("missed", vec!["missed outbound", "missed"]),
            ("failed", vec!["failed"]),
        ] {
            let page = listed(&format!("outcome={outcome}")).await;
            assert_eq!((names(&page), &page["total"]), (expected.iter().map(|&name| name.to_owned()).collect(), &json!(expected.len())));
            assert_eq!(page["total"], counted[outcome], "{outcome}");
        }
        for (query, expected) in [
            ("", vec!["ringing", "failed", "missed outbound", "missed", "in progress", "answered, no second", "answered"]),
            ("outcome=missed&direction=outbound", vec!["missed outbound"]),
            ("outcome=missed&min_duration=1", vec![]),
            ("outcome=answered&max_duration=0", vec!["in progress", "answered, no second"]),
            ("outcome=answered&start_date=2026-04-24T10:02:00Z&end_date=2026-04-24T10:02:30Z", vec!["answered, no second"]),
        ] {
            assert_eq!(names(&listed(query).await), expected, "{query}");
        }
        assert_eq!(names(&listed(&format!("outcome=missed&operator={}", ada.email)).await), ["missed outbound"]);
        // Page by page, and with an offset.
        let first = listed("outcome=answered&limit=2").await;
        assert_eq!((names(&first), &first["has_more"]), (vec!["in progress".to_owned(), "answered, no second".to_owned()], &json!(true)));
        let rest = listed(&format!("outcome=answered&limit=2&cursor={}", text(&first["next_cursor"]))).await;
        assert_eq!((names(&rest), &rest["has_more"]), (vec!["answered".to_owned()], &json!(false)));
        assert_eq!(names(&listed("outcome=answered&offset=2").await), ["answered"]);
        for (query, parameter) in [("outcome=ringing", "outcome"), ("limit=101", "limit"), ("min_duration=2&max_duration=1", "min_duration"), ("cursor=x", "cursor")] {
            assert_invalid(&ada.get(&app, &format!("{CALL_LOG}?{query}")).await, parameter);
        }
        // The list of the API keeps the parameters of its contract.
        assert_invalid(&app.get(&format!("{CALLS}?outcome=missed")).await, "outcome");
    }

    async fn the_plan_needs_the_feature(app = World::new) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        app.app.identity().tenants().set_plan(&Command(app.tenant()), "bare").await.unwrap();
        assert_refused(&ada.get(&app, CALL_LOG).await, 403, "feature_disabled");
    }
}
