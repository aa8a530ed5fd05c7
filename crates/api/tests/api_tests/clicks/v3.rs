//! `GET /api/ext/v3/clicks` and its counts.

use serde_json::{Value, json};

use super::{PHONE, PREVIEW, Tracked, send};

async fn busy(world: &Tracked) {
    for (code, agent) in [(0, PREVIEW), (0, PHONE), (0, PHONE), (1, PHONE)] {
        world.advance(1);
        assert_eq!(world.open("GET", &world.codes[code], &[("user-agent", agent)]).await.status, 302);
    }
}

fn count(of: &Value) -> usize {
    of["clicks"].as_array().unwrap().len()
}

testkit::both_databases! {
    async fn filters_and_pages(world = Tracked::new) {
        busy(&world).await;
        assert_eq!(count(&world.page("?template=spring_offer").await), 4);
        assert_eq!(count(&world.page(&format!("?message={}", world.message)).await), 4);
        assert_eq!(count(&world.page("?target=14155552671&class=human").await), 2);
        assert_eq!(count(&world.page("?button=1").await), 1);
        assert_eq!(count(&world.page("?source=network").await), 0);
        assert_eq!(count(&world.page("?date_to=2020-01-01").await), 0);
        let first = world.page("?limit=3").await;
        assert_eq!((count(&first), &first["limit"], &first["has_more"]), (3, &json!(3), &json!(true)));
        let second = world.page(&format!("?limit=3&cursor={}", first["next_cursor"].as_str().unwrap())).await;
        assert_eq!((count(&second), &second["has_more"], second.get("next_cursor")), (1, &json!(false), None));
        let id = |page: &Value| page["clicks"][0]["id"].clone();
        assert_ne!(id(&first), id(&second));
    }

    async fn counts_by_what_is_asked(world = Tracked::new) {
        busy(&world).await;
        let counts = world.page("/counts").await;
        assert_eq!((&counts["by"], &counts["total"]), (&json!(["template", "class"]), &json!(4)));
        let id = json!(world.template);
        let expected: Vec<Value> = [("human", 2), ("preview", 1), ("repeat", 1)]
            .iter()
            .map(|(class, count)| json!({"template_id": id, "template_name": "spring_offer", "class": class, "count": count}))
            .collect();
        assert_eq!(counts["counts"], json!(expected));
        let today = world.now().to_zoneless()[..10].to_owned();
        let by_day = world.page(&format!("/counts?by=day&date_from={today}&date_to={today}")).await;
        assert_eq!(by_day["counts"], json!([{"day": today, "count": 4}]));
        assert_eq!((&by_day["date_from"], &by_day["date_to"]), (&json!(today), &json!(today)));
        let by_button = world.page("/counts?by=button").await;
        assert_eq!(by_button["counts"][0]["button_text"], "Track it");
        assert_eq!((&by_button["counts"][0]["count"], &by_button["counts"][1]["count"]), (&json!(3), &json!(1)));
        assert_eq!(world.page("/counts?by=class&template=spring_offer").await["counts"].as_array().unwrap().len(), 3);
        assert_eq!(world.page("/counts?date_to=2020-01-31").await["counts"], json!([]));
    }

    async fn clicks_of_another_tenant_are_not_shown(world = Tracked::new) {
        busy(&world).await;
        let other = world.test.new_tenant("unlimited").await;
        let token = world.token(other, &["api"]).await;
        let answer = world.by(&token).get("/api/ext/v3/clicks").await;
        assert_eq!((answer.status.as_u16(), count(&answer.json())), (200, 0));
        let counts = world.by(&token).get("/api/ext/v3/clicks/counts?by=class").await.json();
        assert_eq!((&counts["counts"], &counts["total"]), (&json!([]), &json!(0)));
        let foreign = world.by(&token).get(&format!("/api/ext/v3/clicks?message={}", world.message)).await;
        assert_eq!(count(&foreign.json()), 0);
        let refused = world.token(world.tenant(), &["callsv3:read"]).await;
        assert_eq!(world.by(&refused).get("/api/ext/v3/clicks").await.status, 403);
    }

    async fn a_broadcast_knows_who_clicked_and_which_clicks_are_its_own(world = Tracked::new) {
        busy(&world).await;
        send(&world).await;
        let broadcasts = async |path: &str| world.get(&format!("/api/ext/v3/broadcasts{path}")).await.json();
        let listed = broadcasts("?include_statistics=true&search=SPRING").await;
        let [second, first] = listed["broadcasts"].as_array().unwrap().as_slice() else { panic!("{listed}") };
        // Two links of one message were opened.
        assert_eq!((&first["statistics"]["total_clicked"], &first["statistics"]["total_recipients"]), (&json!(1), &json!(1)));
        assert_eq!(second["statistics"]["total_clicked"], 0);
        let path = |of: &Value| format!("/{}", of["id"].as_str().unwrap());
        assert_eq!(broadcasts(&path(first)).await["statistics"], first["statistics"]);
        assert_eq!(broadcasts("").await["broadcasts"][0].get("statistics"), None);
        assert_eq!(broadcasts("?search=winter").await["total"], 0);
        assert_eq!(broadcasts("?include_statistics=true&page_size=51").await["parameter"], "page_size");
        let of = |one: &Value, more: &str| format!("?broadcast={}{more}", one["id"].as_str().unwrap());
        for (query, expected) in [
            (of(first, ""), 4), (of(first, "&class=human"), 2), (of(first, "&template=spring_offer&limit=3"), 3),
            (of(first, "&date_to=2020-01-01"), 0), (of(second, ""), 0),
        ] {
            assert_eq!(count(&world.page(&query).await), expected, "{query}");
        }
        assert_eq!(world.clicks("?broadcast=507f1f77bcf86cd799439011").await.status, 404);
        assert_eq!(world.clicks("?broadcast=spring").await.json()["parameter"], "broadcast");
    }
}
