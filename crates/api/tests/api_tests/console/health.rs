//! Health, for administrators alone, and settings and nodes, for administrators of the installation.

use api::ShownSetting;
use app::identity::installation::InstallationChange;
use testkit::{Engine, World};

use super::*;

const HEALTH: &str = "/console/api/health";
const SETTINGS: &str = "/console/api/settings";

/// Makes an account an administrator of the installation.
async fn administer(app: &World, who: &Person) {
    let accounts = app.app.identity().accounts();
    accounts.change_in_installation(&who.email, InstallationChange::Grant).await.unwrap();
}

testkit::both_databases! {
    async fn an_administrator_of_the_installation_sees_how_it_is(app = World::with_sandbox) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        administer(&app, &ada).await;
        app.app.set_address("machine-1:8080".to_owned());
        let report = ada.get(&app, HEALTH).await.ok();
        let kind = match app.test.db.engine() {
            Engine::Sqlite => "sqlite",
            Engine::Postgres => "postgres",
        };
        assert_eq!(report["database"]["kind"], kind);
        assert!(report["database"]["size_bytes"].as_i64().unwrap() > 0, "{report}");
        assert_eq!(report["public_url"], ORIGIN_WITH_SANDBOX);
        let own = report["nodes"].as_array().unwrap().iter().find(|node| node["current"] == true).unwrap();
        assert_eq!((&own["address"], &own["id"]), (&json!("machine-1:8080"), &json!(app.app.node_name())));
        let states: Vec<(String, String)> = report["checks"].as_array().unwrap().iter()
            .map(|check| (text(&check["name"]), text(&check["state"]))).collect();
        let expected = [("database", "ok"), ("events", "ok"), ("outbox", "ok"), ("webhooks", "ok"), ("channels", "ok"),
            ("inbound", "ok"), ("consumers", "ok"), ("public_url", "warn")];
        assert_eq!(states, expected.map(|(name, state)| (name.to_owned(), state.to_owned())));
        for member in ["version", "started_at"] {
            assert!(report[member].is_string(), "{report}");
        }
    }

    async fn an_administrator_of_a_tenant_sees_no_settings_and_no_nodes(app = World::with_sandbox) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        app.app.set_address("machine-1:8080".to_owned());
        let report = ada.get(&app, HEALTH).await.ok();
        assert_eq!(report["nodes"], json!([]));
        assert!(!report.to_string().contains("machine-1"), "{report}");
        assert_refused(&ada.get(&app, SETTINGS).await, 403, "role_denied");
        administer(&app, &ada).await;
        assert_eq!(ada.get(&app, SESSION).await.json()["administers_installation"], true);
        assert_eq!(ada.get(&app, SETTINGS).await.status, 200);
        let accounts = app.app.identity().accounts();
        accounts.change_in_installation(&ada.email, InstallationChange::Revoke).await.unwrap();
        assert_refused(&ada.get(&app, SETTINGS).await, 403, "role_denied");
    }

    async fn a_defective_webhook_and_late_events_are_reported(app = World::with_sandbox) {
        let ada = logged_in(&app, "ada", Role::Administrator).await;
        let made = ada.call(&app, "POST", "/console/api/webhooks", &json!({"url": "https://example.com/", "eventTypes": ["message"]})).await;
        let id = text(&made.json()["id"]).parse().unwrap();
        let input = (app.tenant(), id, app.now());
        app.test.db.write(input, |tx, (tenant, id, now)| Box::pin(async move {
            let mut stored = store::delivery::webhooks::for_update(tx, *tenant, *id).await?.unwrap();
            stored.status = domain::delivery::webhooks::WebhookStatus::Defective;
            store::delivery::webhooks::update(tx, &stored).await?;
            let fact = domain::delivery::events::Fact::webhook_defective(*now, &domain::delivery::events::DefectiveWebhook {
                webhook_id: *id, url: String::new(), failed_attempts: 1, failing_since: *now, last_delivered: None,
            });
            store::delivery::events::append(tx, *tenant, &[fact]).await
        })).await.unwrap();
        app.advance(90);
        let ada = person(&log_in(&app, &ada.email, PASSWORD).await);
        let report = ada.get(&app, HEALTH).await.json();
        let check = |name: &str| report["checks"].as_array().unwrap().iter().find(|check| check["name"] == name).unwrap().clone();
        assert_eq!(check("webhooks"), json!({"name": "webhooks", "state": "bad", "detail": "0 enabled, 0 failing, 1 defective"}));
        assert_eq!((&check("events")["state"], &check("events")["detail"]), (&json!("warn"), &json!("events wait for their numbers, the oldest for 90 s")));
    }
}

#[tokio::test]
async fn the_settings_are_those_that_the_server_was_started_with() {
    let shown = ShownSetting {
        name: "listen".to_owned(),
        value: "127.0.0.1:8080".to_owned(),
        source: "flag",
        description: "The address to listen on.".to_owned(),
    };
    let settings = EdgeSettings { shown_settings: vec![shown], ..edge_settings("https://switchboard.example") };
    let app = World::with_edge(TestDb::sqlite().await, settings);
    let ada = logged_in(&app, "ada", Role::Administrator).await;
    administer(&app, &ada).await;
    assert_eq!(
        ada.get(&app, SETTINGS).await.json(),
        json!({"settings": [
            {"name": "listen", "value": "127.0.0.1:8080", "source": "flag", "description": "The address to listen on."},
        ]})
    );
}

#[tokio::test]
async fn only_administrators_see_them() {
    let app = World::with_sandbox(Engine::Sqlite).await;
    for role in Role::OF_ACCOUNTS.into_iter().filter(|role| *role != Role::Administrator) {
        let person = logged_in(&app, role.name(), role).await;
        for path in [HEALTH, SETTINGS] {
            assert_refused(&person.get(&app, path).await, 403, "role_denied");
        }
    }
}
