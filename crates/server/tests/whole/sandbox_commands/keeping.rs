//! The sandbox survives a restart on both databases: people, messages, templates, faults.

use serde_json::Value;

use super::shop::{ADA, Shop};
use crate::home::Home;

async fn state(shop: &Shop) -> Value {
    let templates = shop.graph.templates(None).await.unwrap().templates;
    let named: Vec<(String, String)> = templates.into_iter().map(|one| (one.name, one.status)).collect();
    serde_json::json!({
        "people": shop.run("sandbox person list"),
        "inbox": shop.run(&format!("sandbox inbox --person {ADA}")),
        "faults": shop.run("sandbox fault list"),
        "templates": named,
    })
}

async fn keeps(home: Home) {
    let shop = Shop::at(home, &[]).greeted();
    shop.run("sandbox person create --name Zoe --phone +14155550177");
    shop.make_template("spring", "https://shop.example/spring").await;
    shop.run("sandbox review spring --verdict PAUSED");
    let id = shop.reach(channels::graph::Content::text("Hello Ada")).await;
    shop.known(&id, |message| message.read_at.is_some()).await;
    shop.run("sandbox fault create fail --code 131026 --person Zoe");
    let before = state(&shop).await;
    assert_eq!(before["inbox"]["messages"].as_array().unwrap().len(), 1, "{before}");
    assert_eq!(before["templates"][0][1], "PAUSED", "{before}");

    let shop = shop.killed_and_started();
    assert_eq!(state(&shop).await, before);
    let said = shop.run(&format!("sandbox say --person {ADA} Again"));
    shop.known(said["id"].as_str().unwrap(), |_| true).await;
    let Shop { server, home, db, .. } = shop;
    assert!(server.terminate().0.success());
    drop(db);
    home.remove().await;
}

#[tokio::test]
async fn a_restart_keeps_all_of_it_on_sqlite() {
    keeps(Home::sqlite()).await;
}

#[tokio::test]
async fn a_restart_keeps_all_of_it_on_postgres() {
    keeps(Home::postgres().await).await;
}
