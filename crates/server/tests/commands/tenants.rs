use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use serde_json::json;

use crate::run::{Folder, members};

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

/// Everything in a folder that a command made can be read by its owner alone.
fn assert_private(folder: &Path) {
    assert_eq!(mode(folder), 0o700);
    let all: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!all.is_empty());
    for path in all {
        assert_eq!(mode(&path), if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
    }
}

#[test]
fn tenants_are_created_listed_and_put_on_plans() {
    let folder = Folder::installed();
    let made = folder.json("tenant create --id 100138 --name Acme --plan business");
    assert_eq!(members(&made), ["created_at", "id", "name", "plan", "suspended_at"]);
    assert_eq!((&made["id"], &made["plan"]), (&json!("100138"), &json!("business")));
    assert!(folder.run("tenant create 100139 --name Beta").ok().contains("100139 created: Beta, plan unlimited"));
    assert_eq!(folder.json("tenant update 100139 --plan pro")["plan"], "pro");
    assert_eq!(folder.json("tenant update 100139 --name Bern")["name"], "Bern");
    let listed = folder.json("tenant list");
    assert_eq!(listed.as_array().unwrap().len(), 2);
    assert_eq!(listed[0], made);
    let table = folder.run("tenant list").ok();
    assert!(
        table.starts_with("ID      NAME  PLAN      CREATED                   SUSPENDED\n100138  Acme  business  20"),
        "{table}"
    );
}

#[test]
fn a_tenant_is_suspended_exported_and_deleted() {
    let folder = Folder::with_tenant();
    folder.run("tenant create 100139 --name Beta").ok();
    let (kind, message) = folder.fails(1, "tenant delete 100138 --yes");
    assert_eq!(kind, "conflict");
    assert!(message.contains("suspend it first: switchboard tenant suspend 100138"), "{message}");
    assert!(folder.json("tenant suspend 100138")["suspended_at"].is_string());
    let target = folder.0.join("export");
    let exported = folder.json(&format!("tenant export 100138 --output {}", target.display()));
    assert_eq!((&exported["rows"]["tenants"], &exported["files"]), (&json!(1), &json!(0)));
    assert_private(&target);
    let tenant = std::fs::read_to_string(target.join("tenants.jsonl")).unwrap();
    let tenant: serde_json::Value = serde_json::from_str(&tenant).unwrap();
    assert!(tenant["tenant_id"] == 100_138 && tenant["suspended_at"].is_string(), "{tenant}");
    let audit = std::fs::read_to_string(target.join("audit.jsonl")).unwrap();
    assert!(audit.contains("tenant.export"), "{audit}");
    let again = folder.fails(1, &format!("tenant export 100138 --output {}", target.display()));
    assert!(again.1.contains("cannot create the folder"), "{again:?}");
    assert!(folder.run("tenant resume 100138").ok().contains("is active"));
    folder.json("tenant suspend 100138");
    let (_, message) = folder.fails(1, "tenant delete 100138");
    assert!(message.contains("--yes"), "{message}");
    assert!(folder.json("tenant delete 100138 --yes")["rows"].as_u64().unwrap() > 0);
    let left = folder.json("tenant list");
    assert_eq!((left.as_array().unwrap().len(), &left[0]["id"]), (1, &json!("100139")));
}

#[test]
fn the_audit_log_of_the_installation_is_read_exported_and_verified() {
    let folder = Folder::with_tenant();
    assert_eq!(folder.json("audit list --installation"), json!([]));
    assert_eq!(folder.run("audit verify --installation").ok(), "the installation: no entries\n");
    folder.json("tenant suspend 100138");
    folder.json("tenant delete 100138 --yes");
    let log = folder.json("audit list --installation");
    assert_eq!((log.as_array().unwrap().len(), &log[0]["subject"]), (1, &json!("100138")));
    assert_eq!((&log[0]["action"], &log[0]["actor"]), (&json!("tenant.delete"), &json!("command")));
    let checked = folder.json("audit verify");
    assert_eq!(
        (checked.as_array().unwrap().len(), &checked[0]["tenant"], &checked[0]["entries"]),
        (1, &json!(null), &json!(1))
    );
    let head = checked[0]["head"].as_str().unwrap().to_owned();
    assert!(folder.run("audit verify").ok().starts_with("the installation: 1 entry, all intact\n"));
    let file = folder.0.join("installation.jsonl");
    let exported = folder.json(&format!("audit export --installation --output {}", file.display()));
    assert_eq!(exported["entries"], 2, "the export is an entry too");
    assert_eq!(mode(&file), 0o600);
    folder.json(&format!("audit verify {} --installation --head {head}", file.display()));
    let (_, message) = folder.fails(1, &format!("audit verify {} --tenant 100139", file.display()));
    assert!(message.ends_with("belongs to the installation"), "{message}");
    folder.json(&format!("audit verify --installation --head {head}"));
    assert_eq!(folder.fails(2, "audit list --installation --tenant 100139").0, "usage");
    let bare = folder.run("audit");
    assert!(bare.code == Some(2) && bare.stderr.contains("\n  verify "), "{}", bare.stderr);
    assert_eq!(folder.fails(1, "audit list").0, "not_found");
}

#[test]
fn a_tenant_keeps_records_for_days_of_its_own() {
    let folder = Folder::with_tenant();
    let shown = folder.json("tenant update 100138 --keep-messages 365 --keep-audit 0")["retention"].clone();
    assert_eq!(shown["messages"], json!({"days": 365, "own": true}));
    assert_eq!((&shown["audit"]["own"], &shown["clicks"]["own"]), (&json!(true), &json!(false)));
    assert_eq!(members(&shown), ["audit", "clicks", "messages", "network_reports", "parked"]);
    assert_eq!(folder.run("tenant update --keep-audit default").ok(), "tenant 100138 updated\n");
    let table = folder.run("tenant show").ok();
    let row = |what: &str| table.lines().find(|line| line.starts_with(what)).unwrap_or_default().to_owned();
    assert!(row("messages kept").ends_with("365 days (set for this tenant)"), "{table}");
    assert!(row("audit kept").ends_with("forever"), "{table}");
    let (kind, message) = folder.fails(1, "tenant update 100138 --keep-clicks 40000");
    assert!(kind == "invalid" && message.contains("at most 36500 days"), "{message}");
}

#[test]
fn everything_about_one_person_is_exported() {
    let folder = Folder::with_tenant();
    let file = folder.0.join("people.csv");
    std::fs::write(&file, "phone,name,city\n14155550132,Ada,Bern\n14155550133,Bob,Bern\n").unwrap();
    folder.run(&format!("contact import {} --tenant 100138", file.display())).ok();
    let target = folder.0.join("ada");
    let exported =
        folder.json(&format!("contact export-data 14155550132 --tenant 100138 --output {}", target.display()));
    assert_eq!((&exported["rows"]["contacts"], &exported["rows"]["messages"]), (&json!(1), &json!(0)));
    assert_private(&target);
    let contact = std::fs::read_to_string(target.join("contacts.jsonl")).unwrap();
    assert!(contact.contains("Ada") && !contact.contains("Bob"), "{contact}");
    let numbers = std::fs::read_to_string(target.join("contact_identities.jsonl")).unwrap();
    assert!(numbers.contains("14155550132") && !numbers.contains("14155550133"), "{numbers}");
    let again = folder.fails(1, "contact export-data 14155550199 --tenant 100138 --output nowhere");
    assert_eq!(again.0, "not_found");
}

#[test]
fn an_export_of_orders_is_a_private_file() {
    let folder = Folder::with_tenant();
    for file in ["orders.csv", "orders.jsonl"] {
        let exported = folder.json(&format!("order export --tenant 100138 --output {file}"));
        assert_eq!((&exported["file"], &exported["orders"]), (&json!(file), &json!(0)));
        assert_eq!(mode(&folder.0.join(file)), 0o600, "{file}");
    }
    // Also over a file that others can read.
    let open = folder.0.join("orders.csv");
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o644)).unwrap();
    folder.json("order export --tenant 100138 --output orders.csv --replace");
    assert_eq!(mode(&open), 0o600);
}

#[test]
fn a_tenant_needs_no_name_where_there_is_only_one() {
    let folder = Folder::with_tenant();
    let commands = [
        "tenant show",
        "account list",
        "account show admin@example.com",
        "token list",
        "token legacy list",
        "channel list",
        "channel show Sandbox",
        "channel parked list",
        "template list",
        "contact list",
        "order list",
        "webhook list",
        "click list",
        "audit list",
        "seed contacts --count 1",
    ];
    for command in commands {
        assert_eq!(folder.run(command).code, Some(0), "{command}");
    }
    folder.json("token create --account admin@example.com --name ci --scope api");
    folder.run("tenant create 100139 --name Beta").ok();
    for command in commands {
        let (kind, message) = folder.fails(1, command);
        assert_eq!(kind, "invalid", "{command}: {message}");
        assert_eq!(message, "tenant: there are several tenants: name one with --tenant (100138, 100139)", "{command}");
    }
    assert_eq!(folder.fails(2, "tenant delete --yes").0, "usage", "what is deleted must be named");
}

#[test]
fn nothing_is_deleted_without_a_terminal_or_yes() {
    let folder = Folder::with_tenant();
    std::fs::write(folder.0.join("people.csv"), "phone,name\n14155552671,Ada\n").unwrap();
    folder.run("contact import people.csv").ok();
    let webhook = folder.json("webhook create https://example.com/hook");
    let webhook = format!("webhook delete {}", webhook["id"].as_str().unwrap());
    let commands = [
        "tenant delete 100138",
        "account delete admin@example.com",
        "channel delete Sandbox",
        "contact delete 14155552671",
    ];
    for command in commands.into_iter().chain([webhook.as_str()]) {
        let (kind, message) = folder.fails(1, command);
        assert!(kind == "failure" && message.contains("add --yes to delete"), "{command}: {message}");
    }
    for (list, count) in
        [("tenant list", 1), ("account list", 1), ("channel list", 1), ("contact list", 1), ("webhook list", 1)]
    {
        assert_eq!(folder.json(list).as_array().unwrap().len(), count, "{list}");
    }
}

#[test]
fn invalid_tenants_are_refused() {
    let folder = Folder::with_tenant();
    let (kind, message) = folder.fails(1, "tenant create --id 100138 --name Again");
    assert_eq!((kind.as_str(), message.as_str()), ("conflict", "id: tenant 100138 already exists"));
    let (kind, message) = folder.fails(1, "tenant update --tenant 100138 --plan gold");
    assert_eq!(kind, "invalid");
    assert!(message.contains("\"gold\"; expected one of business, growth, pro, unlimited"), "{message}");
    let (kind, message) = folder.fails(2, "tenant create --id 0138 --name X");
    assert!(kind == "usage" && message.contains("1 to 18 digits"), "{message}");
    let (kind, message) = folder.fails(1, "account list --tenant 7");
    assert!(kind == "not_found" && message.contains("`switchboard tenant list`"), "{message}");
}
