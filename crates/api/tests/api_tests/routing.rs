//! Rules of routing and the presence of operators over the wire.

use domain::identity::roles::Role;
use serde_json::{Value, json};
use testkit::World;
use testkit::world::Answer;

const RULES: &str = "/api/ext/v3/automation/routing/rules";
const OPERATORS: &str = "/api/ext/v3/automation/operators";

/// Replaces ids and times, which differ from run to run.
fn normalized(value: Value) -> Value {
    crate::normalize::normalized(value, |name, value| {
        let varies = matches!(name, "id" | "created" | "updated" | "opening_hours_id") && value.is_string();
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

async fn named(world: &World) -> Vec<String> {
    let all = world.get(RULES).await.ok();
    all["rules"].as_array().unwrap().iter().map(|rule| rule["name"].as_str().unwrap().to_owned()).collect()
}

testkit::both_databases! {
    async fn rules_have_the_documented_shape(world = World::with_api_token) {
        let team = world.good("/api/ext/v3/teams", &json!({"name": "Sales", "method": "least_busy"})).await["id"].clone();
        let hours = json!({"name": "Office", "time_zone": "Europe/Berlin"});
        let hours = world.good("/api/ext/v3/openingHours", &hours).await["id"].clone();
        let made = world.good(RULES, &json!({
            "name": " German ", "target": {"type": "team", "id": team}, "to_former_operator": true,
            "conditions": {"languages": ["de_AT"], "hours": {"opening_hours_id": hours, "is_open": true}},
        })).await;
        insta::allow_duplicates! { insta::assert_json_snapshot!("rule", normalized(made.clone())); }
        let path = format!("{RULES}/{}", made["id"].as_str().unwrap());
        assert_eq!(world.get(&path).await.ok(), made);
        let first = world.good(RULES, &json!({"name": "Nobody", "target": {"type": "unassigned"}, "position": 1, "enabled": false})).await;
        assert_eq!((&first["target"], &first["enabled"], &first["stop"]), (&json!({"type": "unassigned"}), &json!(false), &json!(false)));
        assert_eq!(named(&world).await, ["Nobody", "German"]);
        let changed = world.put(&path, &json!({"position": 1, "stop": true, "conditions": {}})).await.ok();
        assert_eq!((&changed["stop"], &changed["to_former_operator"], &changed["target"]), (&json!(true), &json!(true), &made["target"]));
        assert_eq!(changed["conditions"], json!({"channels": [], "labels": [], "segments": [], "languages": [], "hours": null}));
        assert_eq!(named(&world).await, ["German", "Nobody"]);
        assert_eq!(world.delete(&path).await.ok(), json!({"rule_id": made["id"], "deleted": true}));
        for answer in [world.get(&path).await, world.put(&path, &json!({})).await, world.delete(&path).await] {
            assert_eq!((answer.status.as_u16(), answer.reason().as_str()), (404, "not_found"));
        }
    }

    async fn wrong_rules_are_refused_by_field(world = World::with_api_token) {
        let none = json!({"type": "unassigned"});
        let id = "69eb4e9a1f0c2d3e4a5b6c7d";
        for (body, reason, parameter) in [
            (json!({"name": " ", "target": none}), "invalid_parameter", "name"),
            (json!({"name": "x"}), "invalid_body", "target"),
            (json!({"name": "x", "target": {"type": "bot"}}), "invalid_parameter", "target.type"),
            (json!({"name": "x", "target": {"type": "team"}}), "invalid_parameter", "target.id"),
            (json!({"name": "x", "target": {"type": "team", "id": id}}), "invalid_parameter", "target.id"),
            (json!({"name": "x", "target": {"type": "operator", "id": id}}), "invalid_parameter", "target.id"),
            (json!({"name": "x", "target": {"type": "unassigned", "id": id}}), "invalid_parameter", "target.id"),
            (json!({"name": "x", "target": none, "position": 2}), "invalid_parameter", "position"),
            (json!({"name": "x", "target": none, "conditions": {"label": []}}), "invalid_body", "conditions.label"),
            (json!({"name": "x", "target": none, "conditions": {"languages": ["german"]}}), "invalid_body", "conditions.languages[0]"),
            (json!({"name": "x", "target": none, "conditions": {"labels": [id]}}), "invalid_parameter", "conditions.labels"),
            (json!({"name": "x", "target": none, "conditions": {"hours": {"opening_hours_id": id, "is_open": true}}}), "invalid_parameter", "conditions.hours"),
        ] {
            assert_refused(&world.post(RULES, &body).await, 400, reason, parameter);
        }
        assert!(named(&world).await.is_empty());
    }

    async fn operators_set_their_presence_and_administrators_that_of_others(world = World::with_api_token) {
        let tenant = world.tenant();
        for (email, role) in [("ada@example.com", Role::Operator), ("root@example.com", Role::Administrator)] {
            world.account(tenant, email, role).await;
        }
        let jwt = async |email: &str| world.app.identity().tokens().legacy(&app::Command(tenant), email).await.unwrap();
        let (ada, root) = (jwt("ada@example.com").await, jwt("root@example.com").await);
        let path = |who: &str| format!("{OPERATORS}/{who}/presence");
        let set = world.by(&ada).put(&path("me"), &json!({"presence": "available"})).await.ok();
        insta::allow_duplicates! { insta::assert_json_snapshot!("operator", normalized(set.clone())); }
        let other = world.by(&ada).put(&path("root@example.com"), &json!({"presence": "away"})).await;
        assert_refused(&other, 409, "conflict", "operator");
        let wrong = world.by(&ada).put(&path("me"), &json!({"presence": "lunch"})).await;
        assert_refused(&wrong, 400, "invalid_parameter", "presence");
        let set = world.by(&root).put(&path("ada@example.com"), &json!({"presence": "busy"})).await.ok();
        assert_eq!((&set["presence"], &set["chosen_presence"]), (&json!("busy"), &json!("busy")));
        assert_eq!(world.by(&root).put(&path("nobody@example.com"), &json!({"presence": "busy"})).await.status, 404);
        let all = world.by(&ada).get(OPERATORS).await.ok();
        let of = |email: &str| all["operators"].as_array().unwrap().iter().find(|one| one["email"] == email).unwrap();
        assert_eq!(of("ada@example.com"), &set);
        assert_eq!((&of("root@example.com")["presence"], &of("root@example.com")["chosen_presence"]), (&json!("away"), &Value::Null));
        let reader = world.token(tenant, &["automation:read"]).await;
        assert_eq!(world.by(&reader).put(&path("me"), &json!({"presence": "busy"})).await.reason(), "scope_missing");
    }

    async fn rules_of_another_tenant_do_not_exist(world = World::with_api_token) {
        let made = world.good(RULES, &json!({"name": "Ours", "target": {"type": "unassigned"}})).await;
        let path = format!("{RULES}/{}", made["id"].as_str().unwrap());
        let stranger = world.token(world.test.new_tenant("unlimited").await, &["api"]).await;
        let other = world.by(&stranger);
        assert_eq!(other.get(RULES).await.ok(), json!({"rules": []}));
        for answer in [other.get(&path).await, other.put(&path, &json!({"name": "Mine"})).await, other.delete(&path).await] {
            assert_eq!(answer.status, 404);
        }
        for (role, status) in [(Role::Operator, 403), (Role::Developer, 200)] {
            let email = format!("{}@example.com", role.name().to_lowercase());
            world.account(world.tenant(), &email, role).await;
            let jwt = world.app.identity().tokens().legacy(&app::Command(world.tenant()), &email).await.unwrap();
            world.by(&jwt).get(RULES).await.ok();
            assert_eq!(world.by(&jwt).put(&path, &json!({"enabled": false})).await.status.as_u16(), status, "{role}");
        }
    }
}
