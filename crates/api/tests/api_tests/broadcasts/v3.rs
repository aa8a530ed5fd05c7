//! V3 broadcasts: shapes, filters, failures, retries, cancelling, bad input.

use domain::messaging::messages::MessageState;
use serde_json::json;

use crate::broadcasts::{BROADCASTS, Campaign, MADE, normalized};

testkit::both_databases! {
    async fn a_page_of_broadcasts_has_the_documented_shape(world = Campaign::new) {
        let page = world.get(BROADCASTS).await.json();
        assert_eq!(page["broadcasts"][0]["id"], json!(world.broadcast.id));
        insta::allow_duplicates! { insta::assert_json_snapshot!("page", normalized(page)); }
    }

    async fn a_broadcast_shows_where_its_recipients_stand(test) {
        let world = Campaign::with(test.db.engine(), MessageState::ALL, None).await;
        let shown = world.read("").await;
        let of = |name: &str| shown["statistics"][name].as_i64().unwrap();
        let ended = ["total_sent", "total_delivered", "total_read", "total_replied"].map(of);
        assert_eq!((of("total_recipients"), ended), (13, [4, 3, 2, 1]));
        insta::allow_duplicates! { insta::assert_json_snapshot!("shown", normalized(shown)); }
    }

    async fn what_waits_for_its_time_is_pending(test) {
        let at = test.clock.now().plus_seconds(3600).to_millis();
        let world = Campaign::with(test.db.engine(), &[MessageState::Accepted, MessageState::Accepted], Some(at)).await;
        let shown = world.read("").await;
        assert_eq!(shown["scheduled_at"], json!(at.to_rfc3339()));
        assert_eq!((&shown["statistics"]["total_pending"], &shown["statistics"]["total_queued"]), (&json!(2), &json!(0)));
        world.test.clock.advance(std::time::Duration::from_hours(1));
        let shown = world.read("").await;
        assert_eq!((&shown["statistics"]["total_pending"], &shown["statistics"]["total_queued"]), (&json!(0), &json!(2)));
    }

    async fn recipients_have_the_documented_shape(world = Campaign::new) {
        let page = world.read("/recipients").await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("recipients", normalized(page.clone())); }
        let mut seen = Vec::new();
        for number in 1..=3 {
            let part = world.read(&format!("/recipients?pageNumber={number}&page_size=2")).await;
            assert_eq!((&part["page_number"], &part["page_size"], &part["total_count"]), (&json!(number), &json!(2), &json!(5)));
            seen.extend(part["recipients"].as_array().unwrap().clone());
        }
        assert_eq!(json!(seen), page["recipients"]);
    }

    async fn recipients_are_narrowed_by_status_and_cause(test) {
        let world = Campaign::with(test.db.engine(), MessageState::ALL, None).await;
        for (query, expected, total) in [
            ("status=FAILED", vec!["FAILED", "FAILED", "FAILED", "FAILED"], 4),
            ("status=replied,read", vec!["READ", "REPLIED"], 2),
            ("status=SENDING", vec!["SENDING"], 1),
            ("status=unknown", vec!["UNKNOWN"], 1),
            ("status=SENDING,UNKNOWN&page_size=1", vec!["SENDING"], 2),
            ("status=SENDING,UNKNOWN&page_size=1&page_number=2", vec!["UNKNOWN"], 2),
            ("status=PENDING", vec![], 0),
            ("failed_code=131026", vec!["FAILED"], 1),
            ("failed_code=none", vec!["FAILED"], 1),
            ("failed_code=131026&status=SENT", vec![], 0),
            ("failed_code=5", vec![], 0),
        ] {
            let page = world.read(&format!("/recipients?{query}")).await;
            let statuses: Vec<_> = page["recipients"].as_array().unwrap().iter().map(|one| one["status"].as_str().unwrap()).collect();
            assert_eq!((statuses, &page["total_count"]), (expected, &json!(total)), "{query}: {page}");
        }
        for (query, parameter) in [("status=X", "status"), ("failed_code=x", "failed_code")] {
            let refused = world.get(&world.path(&format!("/recipients?{query}"))).await;
            assert_eq!((refused.status.as_u16(), &refused.json()["parameter"]), (400, &json!(parameter)));
        }
    }

    async fn failures_are_grouped_by_cause(test) {
        let states = [MessageState::Failed, MessageState::Failed, MessageState::Failed, MessageState::Expired, MessageState::Sent];
        let world = Campaign::with(test.db.engine(), &states, None).await;
        let failures = world.read("/failures").await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("failures", failures); }
        let missing = world.get(&format!("{BROADCASTS}/507f1f77bcf86cd799439011/failures")).await;
        assert_eq!(missing.status, 404);
    }

    async fn a_retry_takes_days_or_a_time(world = Campaign::new) {
        let retry = world.path("/retry");
        for (body, status, parameter) in [
            (json!({}), 400, "days"),
            (json!({"days": 0}), 400, "days"),
            (json!({"days": 8}), 400, "days"),
            (json!({"until": "soon"}), 400, "until"),
            (json!({"days": 1, "until": "2026-04-30"}), 400, "until"),
            (json!({"days": 1}), 409, "id"),
        ] {
            let answer = world.post(&retry, &body).await;
            assert_eq!((answer.status.as_u16(), &answer.json()["parameter"]), (status, &json!(parameter)), "{}", answer.text);
        }
        let missing = world.post(&format!("{BROADCASTS}/x/retry"), &json!({"days": 1})).await;
        assert_eq!(missing.status, 404);
    }

    async fn an_overview_has_the_documented_shape(world = Campaign::new) {
        let path = format!("{BROADCASTS}/overview?date_from=2026-04-24&date_to=2026-04-24&channel=support");
        let overview = world.get(&path).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("overview", overview.json()); }
        for (part, found) in [("SPRING", 5), ("sale", 5), ("summer", 0)] {
            let path = format!("{BROADCASTS}/overview?date_from=2026-04-24&date_to=2026-04-24&search_string={part}");
            let overview = world.get(&path).await.json();
            let counted = ["total_queued", "total_sent", "total_failed"].map(|name| overview[name].as_i64().unwrap());
            assert_eq!(counted.iter().sum::<i64>(), found, "{part}: {overview}");
        }
        let before = format!("{BROADCASTS}/overview?date_from=2026-04-01&date_to=2026-04-23");
        let overview = world.get(&before).await.json();
        assert!(overview.as_object().unwrap().values().all(|count| count == 0), "{overview}");
    }

    async fn a_cancelled_broadcast_is_stopped_once(world = Campaign::new) {
        let path = world.path("/cancel");
        let cancelled = world.post(&path, &json!({})).await;
        assert_eq!(cancelled.status, 200, "{}", cancelled.text);
        assert!(cancelled.json()["stopped_at"].as_str().unwrap().ends_with('Z'));
        assert_eq!(cancelled.json(), world.read("").await);
        insta::allow_duplicates! { insta::assert_json_snapshot!("cancelled", normalized(cancelled.json())); }
        let again = world.post(&path, &json!({})).await;
        assert_eq!((again.status.as_u16(), again.reason().as_str()), (409, "conflict"));
        insta::allow_duplicates! { insta::assert_json_snapshot!("stopped_already", normalized(again.json())); }
    }

    async fn what_has_left_cannot_be_cancelled(test) {
        let world = Campaign::with(test.db.engine(), &[MessageState::Submitted, MessageState::Read], None).await;
        let late = world.post(&world.path("/cancel"), &json!({})).await;
        assert_eq!((late.status.as_u16(), late.json()["parameter"].clone()), (409, json!("id")), "{}", late.text);
        assert_eq!(world.read("").await.get("stopped_at"), None);
    }

    async fn lists_keep_to_days_and_channels(world = Campaign::new) {
        let listed = async |query: &str| {
            let page = world.get(&format!("{BROADCASTS}?{query}")).await;
            assert_eq!(page.status, 200, "{query}: {}", page.text);
            (page.json()["broadcasts"].as_array().unwrap().len(), page.json()["total"].as_i64().unwrap())
        };
        let printed = MADE.to_rfc3339();
        for (query, found) in [
            (String::new(), 1),
            ("date_from=2026-04-24".to_owned(), 1),
            ("date_from=2026-04-25".to_owned(), 0),
            ("date_to=2026-04-24".to_owned(), 1),
            ("dateTo=2026-04-23".to_owned(), 0),
            (format!("date_from={printed}&date_to={printed}"), 1),
            ("channel=Support".to_owned(), 1),
            ("channel=14155550100".to_owned(), 1),
            (format!("channel={}&whatever=1", world.channel().id), 1),
        ] {
            assert_eq!(listed(&query).await, (found, i64::try_from(found).unwrap()), "{query}");
        }
        assert_eq!(listed("page_number=2").await, (0, 1));
    }

    async fn bad_input_is_named(world = Campaign::new) {
        let recipients = format!("{}/recipients", world.broadcast.id);
        for (path, status, parameter) in [
            ("?page_number=0", 400, "page_number"),
            ("?page_size=101", 400, "page_size"),
            ("?page_number=101&page_size=100", 400, "page_number"),
            ("?date_from=yesterday", 400, "date_from"),
            ("?date_to=2026-02-30", 400, "date_to"),
            ("?date_from=2026-04-02&date_to=2026-04-01", 400, "date_from"),
            ("?date_from=2026-04-02&dateFrom=2026-04-02", 400, "dateFrom"),
            ("?channel=Nowhere", 400, "channel"),
            ("/overview", 400, "date_from"),
            ("/overview?date_from=2026-04-01", 400, "date_to"),
            ("/overview?date_from=2026-04-01&date_to=x", 400, "date_to"),
            ("/overview?date_from=2026-04-01&date_to=2026-04-02&channel=Nowhere", 400, "channel"),
            (&format!("/{recipients}?page_size=0"), 400, "page_size"),
            (&format!("/{recipients}?page_number=x"), 400, "page_number"),
        ] {
            let answer = world.get(&format!("{BROADCASTS}{path}")).await;
            assert_eq!(answer.status, status, "{path}: {}", answer.text);
            assert_eq!(answer.json()["parameter"], parameter, "{path}: {}", answer.text);
        }
        for path in ["/507f1f77bcf86cd799439011", "/nonsense", "/507f1f77bcf86cd799439011/recipients"] {
            let answer = world.get(&format!("{BROADCASTS}{path}")).await;
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"), "{path}");
        }
        let unknown = world.post(&format!("{BROADCASTS}/507f1f77bcf86cd799439011/cancel"), &json!({})).await;
        assert_eq!(unknown.status, 404);
    }

    async fn a_broadcast_of_another_tenant_does_not_exist(world = Campaign::new) {
        let other = world.test.new_tenant("unlimited").await;
        let token = world.token(other, &["api"]).await;
        for rest in ["", "/recipients"] {
            assert_eq!(world.by(&token).get(&world.path(rest)).await.status, 404, "{rest}");
        }
        assert_eq!(world.by(&token).post(&world.path("/cancel"), &json!({})).await.status, 404);
        assert_eq!(world.by(&token).get(BROADCASTS).await.json()["total"], 0);
        assert_eq!(world.read("").await["statistics"]["total_queued"], 1);
    }

    async fn a_reader_may_not_cancel(world = Campaign::new) {
        let reader = world.token(world.tenant(), &["campaignsv3:read"]).await;
        let refused = world.by(&reader).post(&world.path("/cancel"), &json!({})).await;
        assert_eq!((refused.status.as_u16(), refused.reason().as_str()), (403, "scope_missing"));
        let bare = world.test.new_tenant("bare").await;
        let token = world.token(bare, &["api"]).await;
        assert_eq!(world.by(&token).get(BROADCASTS).await.reason(), "feature_disabled");
    }
}
