//! Teams over the wire.

use domain::identity::roles::Role;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::Answer;

const TEAMS: &str = "/api/ext/v3/teams";

fn id_of(team: &Value) -> String {
    team["id"].as_str().unwrap().to_owned()
}

/// Replaces ids and times, which differ from run to run.
fn normalized(value: Value) -> Value {
    crate::normalize::normalized(value, |name, value| {
        let varies = matches!(name, "id" | "created" | "opening_hours_id") && value.is_string();
        if varies {
            *value = json!(format!("[{name}]"));
        }
        varies
    })
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, reason: &str, parameter: &str) {
    assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (status, reason), "{}", answer.text);
    assert_eq!(answer.json()["parameter"], parameter, "{}", answer.text);
}

async fn staffed(engine: testkit::Engine) -> World {
    let world = World::with_api_token(engine).await;
    for email in ["ada@example.com", "ben@example.com"] {
        world.account(world.tenant(), email, Role::Operator).await;
    }
    world.good("/api/ext/v3/labels", &json!({"name": "vip", "color": "amber"})).await;
    world
}

testkit::both_databases! {
    async fn teams_have_the_documented_shape(world = staffed) {
        let schedule = "69eb4e9a1f0c2d3e4a5b6c7d";
        let made = world.good(TEAMS, &json!({"name": " Sales ", "method": "Least_Busy", "capacity": 5, "opening_hours_id": schedule})).await;
        assert_eq!(made["opening_hours_id"], schedule);
        insta::allow_duplicates! { insta::assert_json_snapshot!("created", normalized(made.clone())); }
        let path = format!("{TEAMS}/{}", id_of(&made));
        let members = json!({"members": [
            {"operator": "ben@example.com"},
            {"operator": "Ada@example.com", "capacity": 2, "languages": ["pt_BR", "de"], "labels": ["VIP"]},
        ]});
        let set = world.put(&format!("{path}/members"), &members).await.ok();
        insta::allow_duplicates! { insta::assert_json_snapshot!("members", normalized(set.clone())); }
        assert_eq!(world.get(&path).await.ok(), set);
        world.good(TEAMS, &json!({"name": "Support"})).await;
        let all = world.get(TEAMS).await.ok();
        insta::allow_duplicates! { insta::assert_json_snapshot!("teams", normalized(all)); }
        let changed = world.put(&path, &json!({"name": "Revenue", "method": "round_robin", "opening_hours_id": null})).await.ok();
        assert_eq!((&changed["name"], &changed["method"]), (&json!("Revenue"), &json!("round_robin")));
        assert_eq!((&changed["capacity"], &changed["opening_hours_id"], &changed["member_count"]), (&json!(5), &Value::Null, &json!(2)));
        let none = world.put(&format!("{path}/members"), &json!({"members": []})).await.ok();
        assert_eq!(none["members"], json!([]));
        assert_eq!(world.delete(&path).await.ok(), json!({"team_id": id_of(&made), "deleted": true}));
        assert_eq!(world.get(&path).await.status, 404);
        assert_eq!(world.get(TEAMS).await.ok()["teams"].as_array().map(Vec::len), Some(1));
    }

    async fn wrong_requests_are_refused_by_field(world = staffed) {
        let sales = id_of(&world.good(TEAMS, &json!({"name": "Sales"})).await);
        let support = id_of(&world.good(TEAMS, &json!({"name": "Support"})).await);
        let (team, members) = (format!("{TEAMS}/{sales}"), format!("{TEAMS}/{sales}/members"));
        for (method, path, body, status, reason, parameter) in [
            ("POST", TEAMS, json!({"name": " "}), 400, "invalid_parameter", "name"),
            ("POST", TEAMS, json!({"name": "sales"}), 409, "conflict", "name"),
            ("POST", TEAMS, json!({"name": "New", "method": "random"}), 400, "invalid_parameter", "method"),
            ("POST", TEAMS, json!({"name": "New", "capacity": 0}), 400, "invalid_parameter", "capacity"),
            ("PUT", &team, json!({"name": "SUPPORT"}), 409, "conflict", "name"),
            ("PUT", &team, json!({"capacity": 1001}), 400, "invalid_parameter", "capacity"),
            ("PUT", &members, json!({"members": [{"operator": "ada@example.com"}, {"operator": "cleo@example.com"}]}), 400, "invalid_parameter", "members[1].operator"),
            ("PUT", &members, json!({"members": [{"operator": "ada@example.com", "capacity": 1001}]}), 400, "invalid_parameter", "members[0].capacity"),
            ("PUT", &members, json!({"members": [{"operator": "ada@example.com", "languages": ["german"]}]}), 400, "invalid_parameter", "members[0].languages[0]"),
            ("PUT", &members, json!({"members": [{"operator": "ada@example.com", "labels": ["vip", "none"]}]}), 400, "invalid_parameter", "members[0].labels[1]"),
        ] {
            assert_refused(&world.call(method, path, &body).await, status, reason, parameter);
        }
        let contact = json!({"whatsapp_number": "14155552671", "name": "Cleo"});
        world.good("/api/ext/v3/contacts", &contact).await;
        world.put("/api/ext/v3/contacts/teams", &json!({"target": "14155552671", "teams": ["Sales", "Support"]})).await.ok();
        world.put(&team, &json!({"name": "Revenue"})).await.ok();
        world.delete(&format!("{TEAMS}/{support}")).await.ok();
        let contact = world.get("/api/ext/v3/contacts/14155552671").await.ok();
        assert_eq!(contact["teams"], json!(["Revenue"]), "the present names of teams that exist");
        for format in ["csv", "jsonl"] {
            let export = world.get(&format!("/api/ext/v3/contacts/export?format={format}")).await;
            assert!(export.text.contains("Revenue") && !export.text.contains("Support"), "{}", export.text);
        }
    }

    async fn teams_of_another_tenant_do_not_exist(world = staffed) {
        let sales = id_of(&world.good(TEAMS, &json!({"name": "Sales"})).await);
        let stranger = world.token(world.test.new_tenant("unlimited").await, &["api"]).await;
        let other = world.by(&stranger);
        assert_eq!(other.get(TEAMS).await.ok()["teams"], json!([]));
        let path = format!("{TEAMS}/{sales}");
        for (method, path, body) in [
            ("GET", path.clone(), Value::Null),
            ("PUT", path.clone(), json!({"name": "Mine"})),
            ("DELETE", path.clone(), Value::Null),
            ("PUT", format!("{path}/members"), json!({"members": []})),
        ] {
            let answer = other.call(method, &path, &body).await;
            assert_eq!(answer.status, 404, "{method} {path}: {}", answer.text);
        }
        assert_eq!(world.get(&path).await.ok()["name"], "Sales");
    }

    async fn everybody_reads_teams_and_administrators_change_them(world = staffed) {
        let tenant = world.tenant();
        for (role, status) in [(Role::Operator, 403), (Role::Developer, 403), (Role::Administrator, 200)] {
            let email = format!("{}@example.com", role.name().to_lowercase());
            world.account(tenant, &email, role).await;
            let jwt = world.app.identity().tokens().legacy(&app::Command(tenant), &email).await.unwrap();
            let as_role = world.by(&jwt);
            as_role.get(TEAMS).await.ok();
            let made = as_role.post(TEAMS, &json!({"name": email})).await;
            assert_eq!(made.status.as_u16(), status, "{role}: {}", made.text);
        }
        for (scope, read, write) in [("automation:read", 200, 403), ("automation:write", 200, 200), ("contactsv3:write", 403, 403)] {
            let token = world.token(tenant, &[scope]).await;
            let by_token = world.by(&token);
            assert_eq!(by_token.get(TEAMS).await.status.as_u16(), read, "{scope}");
            assert_eq!(by_token.post(TEAMS, &json!({"name": scope})).await.status.as_u16(), write, "{scope}");
        }
    }
}
