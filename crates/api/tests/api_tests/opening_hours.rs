//! Opening hours over the wire, on both databases.

use domain::base::time::Moment;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::Answer;

use crate::normalize::normalized;

const PATH: &str = "/api/ext/v3/openingHours";

fn support() -> Value {
    json!({
        "name": "Support",
        "time_zone": "Europe/Berlin",
        "periods": {"monday": [{"from": "13:00", "to": "17:30"}, {"from": "09:00", "to": "12:00"}]},
        "holidays": [{"date": "2040-12-24", "name": "Christmas Eve", "periods": [{"from": "09:00", "to": "12:00"}]}],
    })
}

/// A world on Monday, 2 January 2040, 09:30 in Berlin.
async fn on_monday(engine: testkit::Engine) -> World {
    let world = World::with_api_token(engine).await;
    world.wait_until(Moment::parse("2040-01-02T08:30:00Z").unwrap().first());
    world
}

fn without_ids(value: Value) -> Value {
    normalized(value, |name, value| {
        let is_replaced = matches!(name, "id" | "created" | "updated");
        if is_replaced {
            *value = format!("[{name}]").into();
        }
        is_replaced
    })
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, reason: &str, parameter: &str) {
    assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (status, reason), "{}", answer.text);
    assert_eq!(answer.json()["parameter"], parameter, "{}", answer.text);
}

testkit::both_databases! {
    async fn a_schedule_is_made_changed_listed_and_deleted(app = on_monday) {
        let made = app.post(PATH, &support()).await.ok();
        insta::allow_duplicates! { insta::assert_json_snapshot!("schedule", without_ids(made.clone())); }
        let path = format!("{PATH}/{}", made["id"].as_str().unwrap());
        assert_eq!(app.get(&path).await.ok(), made);
        app.advance(3 * 60 * 60);
        let listed = app.get(PATH).await.ok();
        assert_eq!(listed["opening_hours"][0]["is_open"], false);
        assert_eq!(listed["opening_hours"][0]["next_change"], "2040-01-02T12:00:00.000Z");
        let change = json!({"name": "Shop", "periods": {"sunday": [{"from": "00:00", "to": "24:00"}]}});
        let changed = app.put(&path, &change).await.ok();
        assert_eq!((&changed["name"], &changed["holidays"], &changed["periods"]["monday"]), (&json!("Shop"), &made["holidays"], &json!([])));
        let never = app.put(&path, &json!({"periods": {}, "holidays": []})).await.ok();
        assert_eq!((never.get("next_change"), &never["is_open"]), (None, &json!(false)));
        assert_eq!(app.delete(&path).await.ok(), json!({"opening_hours_id": made["id"], "deleted": true}));
        for answer in [app.get(&path).await, app.put(&path, &json!({})).await, app.delete(&path).await] {
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"));
        }
        assert_eq!(app.get(PATH).await.ok(), json!({"opening_hours": []}));
    }

    async fn errors_name_the_member(app = on_monday) {
        let made = app.post(PATH, &support()).await.ok();
        assert_refused(&app.post(PATH, &support()).await, 409, "conflict", "name");
        for (change, reason, parameter) in [
            (json!({"time_zone": "Berlin"}), "invalid_parameter", "time_zone"),
            (json!({"periods": {"monday": [{"from": "09:00", "to": "12:00"}, {"from": "13:00", "to": "12:30"}]}}), "invalid_parameter", "periods.monday[1].to"),
            (json!({"periods": {"friday": [{"from": "09:00", "to": "12:00"}, {"from": "11:00", "to": "12:30"}]}}), "invalid_parameter", "periods.friday[1]"),
            (json!({"periods": {"friday": [{"from": "9:00", "to": "12:00"}]}}), "invalid_body", "periods.friday[0].from"),
            (json!({"periods": {"fryday": []}}), "invalid_body", "periods.fryday"),
            (json!({"holidays": [{"date": "2040-02-30", "name": "x"}]}), "invalid_body", "holidays[0].date"),
            (json!({"holidays": [{"date": "2040-02-03", "name": ""}]}), "invalid_parameter", "holidays[0].name"),
        ] {
            let answer = app.put(&format!("{PATH}/{}", made["id"].as_str().unwrap()), &change).await;
            assert_refused(&answer, 400, reason, parameter);
        }
        assert_refused(&app.post(PATH, &json!({"name": "x"})).await, 400, "invalid_body", "time_zone");
        assert_eq!(app.get(PATH).await.ok()["opening_hours"], json!([made]));
    }

    async fn a_calendar_is_imported_and_what_is_skipped_is_listed(app = on_monday) {
        let made = app.post(PATH, &support()).await.ok();
        let path = format!("{PATH}/{}/holidays", made["id"].as_str().unwrap());
        let calendar = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20301224\r\nDTEND;VALUE=DATE:20301227\r\n\
            SUMMARY:Christmas\\, all\r\n  days\r\nRRULE:FREQ=YEARLY\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nDTSTART:20400101T080000Z\r\n\
            SUMMARY:Breakfast\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let preview = app.post(&path, &json!({"calendar": calendar, "years": [2040], "dry_run": true})).await.ok();
        insta::allow_duplicates! { insta::assert_json_snapshot!("imported", without_ids(preview.clone())); }
        assert_eq!(app.get(PATH).await.ok()["opening_hours"], json!([made]));
        let imported = app.post(&path, &json!({"calendar": calendar, "years": [2040]})).await.ok();
        assert_eq!((&imported["added"], &imported["skipped"]), (&preview["added"], &preview["skipped"]));
        assert_eq!(app.get(PATH).await.ok()["opening_hours"], json!([imported["opening_hours"]]));
        for (body, parameter) in [
            (json!({"calendar": "no calendar", "years": [2040]}), "calendar"),
            (json!({"calendar": calendar, "years": []}), "years"),
            (json!({"calendar": calendar, "years": [1900]}), "years"),
        ] {
            assert_refused(&app.post(&path, &body).await, 400, "invalid_parameter", parameter);
        }
        assert_refused(&app.post(&path, &json!({"calendar": calendar, "years": [70_000]})).await, 400, "invalid_body", "years[0]");
    }

    async fn scopes_and_tenants_are_kept_apart(app = World::new) {
        let writer = app.token(app.tenant(), &["automation:write"]).await;
        let reader = app.token(app.tenant(), &["automation:read"]).await;
        let made = app.by(&writer).post(PATH, &support()).await.ok();
        let path = format!("{PATH}/{}", made["id"].as_str().unwrap());
        assert_eq!(app.by(&reader).get(&path).await.status, 200);
        assert_eq!(app.by(&writer).get(&path).await.status, 200, "write includes read");
        assert_eq!(app.by(&reader).put(&path, &json!({"name": "x"})).await.reason(), "scope_missing");
        let stranger = app.token(app.test.new_tenant("unlimited").await, &["api"]).await;
        assert_eq!(app.by(&stranger).get(PATH).await.ok(), json!({"opening_hours": []}));
        for answer in [
            app.by(&stranger).get(&path).await,
            app.by(&stranger).put(&path, &json!({"name": "x"})).await,
            app.by(&stranger).delete(&path).await,
        ] {
            assert_eq!(answer.status, 404);
        }
    }
}
