//! The commands of a database that Citus distributes, where `SWITCHBOARD_TEST_CITUS` is set.

use serde_json::{Value, json};
use testkit::citus::CitusDatabase;

use crate::run::{Folder, members};

const KEY: &str = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=";

struct Installation {
    folder: Folder,
    url: String,
}

impl Installation {
    fn json(&self, arguments: &str) -> Value {
        let variables = [("SWITCHBOARD_DATABASE", self.url.as_str()), ("SWITCHBOARD_SECRET_KEY", KEY)];
        let ran = self.folder.run_in(&variables, &format!("{arguments} --json"), "");
        serde_json::from_str(&ran.ok()).unwrap()
    }

    fn error(&self, arguments: &str) -> String {
        let variables = [("SWITCHBOARD_DATABASE", self.url.as_str()), ("SWITCHBOARD_SECRET_KEY", KEY)];
        let ran = self.folder.run_in(&variables, arguments, "");
        assert_ne!(ran.code, Some(0), "{}", ran.stdout);
        ran.stderr
    }
}

#[tokio::test]
async fn a_database_is_distributed_and_its_tenants_move_by_commands() {
    let Some(database) = CitusDatabase::create().await else { return };
    let installation = Installation { folder: Folder::new(), url: database.url() };
    installation.json("migrate --create");
    installation.json("tenant create --id 100138 --name Acme");
    assert!(installation.error("tenant move 100138 --to nowhere:1").contains("switchboard migrate --distribute"));

    let planned = installation.json("migrate --distribute --dry-run --shards 4");
    assert_eq!(members(&planned), ["shards", "steps", "workers"]);
    let steps = planned["steps"].as_array().unwrap();
    assert_eq!(steps[0]["table"], "tenants");
    assert_eq!((&steps[1]["step"], &steps[2]["step"]), (&json!("separate_installation"), &json!("place_installation")));
    let done = installation.json("migrate --distribute --shards 4");
    assert_eq!(done["steps"], planned["steps"]);
    assert_eq!(installation.json("migrate --distribute")["steps"], json!([]));

    let listed = installation.json("node list");
    let servers: Vec<_> = listed.as_array().unwrap().iter().filter(|server| server["kind"].is_string()).collect();
    assert_eq!(servers[0]["kind"], "coordinator");
    assert_eq!(servers[0]["shards"], 1, "that of tenant 0");
    assert!(servers.iter().all(|server| server["alive"] == true), "{listed}");
    let workers: Vec<&str> = servers[1..].iter().map(|server| server["address"].as_str().unwrap()).collect();

    for worker in workers {
        let planned = installation.json(&format!("tenant move 100138 --to {worker} --dry-run"));
        let moved = installation.json(&format!("tenant move 100138 --to {worker}"));
        assert_eq!((&planned["moved"], &moved["to"]), (&moved["moved"], &json!(worker)));
        assert_eq!(installation.json(&format!("tenant move 100138 --to {worker}"))["moved"], false);
    }
    assert_eq!(installation.json("tenant show 100138")["name"], "Acme");
    assert!(installation.error("tenant move 100138 --to nowhere:1").contains("there is no active worker nowhere:1"));
    let saved = installation.json("backup saved.backup");
    assert_eq!(saved["rows"]["tenants"], 1);
    database.remove().await;
}

#[test]
fn an_embedded_database_is_not_distributed() {
    let (_, message) = Folder::installed().fails(1, "migrate --distribute --dry-run");
    assert!(message.contains("an embedded database cannot be distributed"), "{message}");
}
