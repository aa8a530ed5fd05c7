use serde_json::json;

use crate::run::{Folder, members};

#[test]
fn tenants_are_created_listed_and_put_on_plans() {
    let folder = Folder::new();
    let made = folder.json("tenant create --id 100138 --name Acme --plan business");
    assert_eq!(members(&made), ["created_at", "id", "name", "plan"]);
    assert_eq!((&made["id"], &made["plan"]), (&json!("100138"), &json!("business")));
    assert!(folder.run("tenant create 100139 --name Beta").ok().contains("100139 created: Beta, plan unlimited"));
    assert_eq!(folder.json("tenant set-plan 100139 --plan pro")["plan"], "pro");
    let listed = folder.json("tenant list");
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[0], made);
    let table = folder.run("tenant list").ok();
    assert!(table.starts_with("ID      NAME  PLAN      CREATED\n100138  Acme  business  20"), "{table}");
}

#[test]
fn invalid_tenants_are_refused() {
    let folder = Folder::with_tenant();
    let (kind, message) = folder.fails(1, "tenant create --id 100138 --name Again");
    assert_eq!((kind.as_str(), message.as_str()), ("conflict", "id: there is a tenant 100138 already"));
    let (kind, message) = folder.fails(1, "tenant set-plan --id 100138 --plan gold");
    assert_eq!(kind, "invalid");
    assert!(message.contains("\"gold\"; known are business, growth, pro, unlimited"), "{message}");
    let (kind, message) = folder.fails(2, "tenant create --id 0138 --name X");
    assert!(kind == "usage" && message.contains("1 to 18 digits"), "{message}");
    let (kind, message) = folder.fails(1, "account list --tenant 7");
    assert!(kind == "not_found" && message.contains("`switchboard tenant list`"), "{message}");
}
