use serde_json::json;

use crate::run::{Folder, members};

#[test]
fn accounts_live_from_creation_to_removal() {
    let folder = Folder::installed();
    folder.run("tenant create --id 100138 --name Acme").ok();
    let create = "account create --tenant 100138 --email Admin@Example.com --role administrator --name Ada";
    let made = folder.run_with(&format!("{create} --password-stdin"), "correct horse battery\r\n").ok();
    assert_eq!(made, "account admin@example.com (ADMINISTRATOR) created\n");
    let other = folder.json("account create --tenant 100138 --email dev@example.com --role DEVELOPER");
    assert_eq!(members(&other), ["created_at", "disabled", "email", "id", "name", "password", "role"]);
    assert_eq!(other["password"].as_str().unwrap().len(), 24);

    let of = |change: &str| folder.json(&format!("account {change} --tenant 100138 --email dev@example.com"));
    assert_eq!(of("update --role OPERATOR")["role"], "OPERATOR");
    assert_eq!(of("disable")["disabled"], json!(true));
    let shown = of("show");
    assert_eq!((&shown["disabled"], &shown["has_password"]), (&json!(true), &json!(true)));
    assert!(folder.run("account show dev@example.com").ok().contains("disabled"));
    assert_eq!(of("enable")["disabled"], json!(false));
    assert_eq!(members(&of("log-out")), ["created_at", "disabled", "email", "id", "name", "role"]);
    assert!(
        folder.fails(1, "account delete dev@example.com").1.contains("add --yes to delete account dev@example.com")
    );
    of("delete --yes");
    let left = folder.json("account list --tenant 100138");
    assert_eq!(left.as_array().unwrap().len(), 1);
    assert_eq!((&left[0]["email"], &left[0]["name"]), (&json!("admin@example.com"), &json!("Ada")));
    assert!(!folder.run("account list --tenant 100138").ok().contains("password"));

    let done = folder.json("audit list --tenant 100138 --limit 3");
    let actions: Vec<_> = done.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["account.remove", "account.log_out_everywhere", "account.enable"]);
    assert_eq!((&done[0]["actor"], &done[0]["details"]), (&json!("command"), &json!({})));
    assert!(folder.run("audit list --tenant 100138").ok().contains("tenant.create"));
}

#[test]
fn a_password_change_ends_the_tokens_of_its_account() {
    let folder = Folder::with_tenant();
    folder.json("token create --tenant 100138 --account admin@example.com --name ci --scope api");
    let changed = folder
        .run_with("account reset-password admin@example.com --tenant 100138 --password-stdin", "another long password");
    assert!(changed.ok().contains("has a new password"));
    assert_eq!(folder.json("token list --tenant 100138")[0]["state"], "password_changed");
}

#[test]
fn a_setup_link_needs_no_name_where_there_is_one_administrator() {
    let folder = Folder::with_tenant();
    let settings = [("SWITCHBOARD_PUBLIC_URL", "https://wa.example.com")];
    let said = folder.run_in(&settings, "account setup-link", "").ok();
    assert!(
        said.contains("admin@example.com can set a new password") && said.contains("It works once, until "),
        "{said}"
    );
    assert!(said.contains("\n  https://wa.example.com/console/set-up#"), "{said}");
    let made: serde_json::Value =
        serde_json::from_str(&folder.run_in(&settings, "account setup-link --json", "").ok()).unwrap();
    assert_eq!(members(&made), ["account", "expires_at", "purpose", "url"]);
    assert_eq!((&made["purpose"], &made["account"]["email"]), (&json!("reset"), &json!("admin@example.com")));
    let url = made["url"].as_str().unwrap().to_owned();
    assert!(!said.contains(&url), "a new link has a new code");

    folder.run("account create --tenant 100138 --email dev@example.com --role ADMINISTRATOR").ok();
    let (kind, message) = folder.fails(1, "account setup-link");
    assert!(kind == "invalid" && message.contains("several administrators"), "{message}");
    assert_eq!(folder.json("account setup-link dev@example.com")["purpose"], "reset");
    assert_eq!(folder.json("account setup-link --email dev@example.com --tenant 100138")["purpose"], "reset");
    folder.run("account disable dev@example.com --tenant 100138").ok();
    assert_eq!(folder.fails(1, "account setup-link dev@example.com").0, "conflict");
    assert_eq!(folder.fails(1, "account setup-link nobody@example.com").0, "not_found");
    folder.run("tenant create --id 100139 --name Other").ok();
    assert!(folder.fails(1, "account setup-link admin@example.com").1.contains("--tenant"));
    assert!(!folder.run("audit list --tenant 100138").ok().contains(url.rsplit_once('#').unwrap().1));
}

#[test]
fn an_account_gets_a_second_tenant_and_administers_the_installation() {
    let folder = Folder::with_tenant();
    folder.run("tenant create --id 100139 --name Other").ok();
    let add = "account create --existing --tenant 100139 --role OPERATOR --email";
    let added = folder.json(&format!("{add} admin@example.com"));
    assert_eq!((&added["email"], &added["role"]), (&json!("admin@example.com"), &json!("OPERATOR")));
    assert_eq!(folder.fails(1, &format!("{add} admin@example.com")).0, "conflict");
    assert_eq!(folder.fails(1, &format!("{add} nobody@example.com")).0, "not_found");

    assert_eq!(folder.json("account list --installation"), json!([]));
    folder.run("account update admin@example.com --installation-administrator true").ok();
    assert_eq!(folder.json("account list --installation")[0]["email"], "admin@example.com");
    folder.run("account update admin@example.com --installation-administrator false").ok();
    assert_eq!(folder.json("account list --installation"), json!([]));
    assert_eq!(folder.json("account disable admin@example.com --everywhere")["disabled"], json!(true));
    assert_eq!(folder.json("account enable admin@example.com --everywhere")["disabled"], json!(false));
    assert_eq!(folder.fails(1, "account enable nobody@example.com --everywhere").0, "not_found");
    assert_eq!(folder.fails(2, "account update admin@example.com --tenant 100139").0, "usage");
    let renamed = folder.json("account update admin@example.com --tenant 100139 --name Ada");
    assert_eq!((&renamed["name"], &renamed["role"]), (&json!("Ada"), &json!("OPERATOR")));
    assert_eq!(folder.fails(2, "account disable admin@example.com --tenant 100139 --everywhere").0, "usage");
    let done = folder.json("audit list --installation --limit 4");
    let actions: Vec<_> = done.as_array().unwrap().iter().map(|entry| entry["action"].as_str().unwrap()).collect();
    let expected = ["enable_everywhere", "disable_everywhere", "revoke_installation", "grant_installation"];
    assert_eq!(actions, expected.map(|action| format!("account.{action}")));
}

#[test]
fn a_tenant_s_console_is_limited_to_networks() {
    let folder = Folder::with_tenant();
    let set = |options: &str| folder.json(&format!("tenant update 100138 {options}"))["security"].clone();
    let open = json!({"second_factor_required": false, "single_sign_on_required": false, "networks": []});
    assert_eq!(folder.json("tenant show")["security"], open);
    assert_eq!(set("--networks 203.0.113.9/24,2001:db8::1")["networks"], json!(["203.0.113.0/24", "2001:db8::1/128"]));
    let said = folder.run("tenant show").ok();
    assert!(said.contains("203.0.113.0/24 2001:db8::1/128") && said.contains("second factor"), "{said}");
    assert_eq!(set("--networks any"), open);
    assert!(folder.fails(2, "tenant update 100138 --networks nowhere").1.contains("is not a network"));
    let (kind, message) = folder.fails(1, "tenant update 100138 --require-single-sign-on true");
    assert!(kind == "conflict" && message.contains("no identity provider"), "{message}");
}

#[test]
fn invalid_accounts_are_refused() {
    let folder = Folder::with_tenant();
    let short = folder.run_with("account reset-password admin@example.com --tenant 100138 --password-stdin", "short\n");
    assert_eq!(short.code, Some(1));
    assert_eq!(short.stderr, "error: password: a password needs at least 12 characters; this one has 5\n");
    let create = "account create --tenant 100138 --email";
    let (kind, message) = folder.fails(2, &format!("{create} a@example.com --role KING"));
    assert_eq!(kind, "usage");
    assert!(message.contains("unknown role \"KING\"; expected one of ADMINISTRATOR, DEVELOPER"), "{message}");
    assert!(folder.fails(2, &format!("{create} nobody --role TRIAL")).1.contains("not an e-mail address"));
    let (kind, message) = folder.fails(1, &format!("{create} admin@example.com --role TRIAL"));
    assert!(kind == "conflict" && message.contains("already has an account in this tenant"), "{message}");
}

#[test]
fn the_audit_log_is_exported_and_verified() {
    let folder = Folder::with_tenant();
    folder.json("account create --tenant 100138 --email dev@example.com --role DEVELOPER");
    let checked = folder.json("audit verify");
    assert_eq!(members(&checked[0]), ["entries", "head", "tenant"]);
    let head = checked[0]["head"].as_str().unwrap().to_owned();
    folder.json("account disable dev@example.com --tenant 100138");
    assert!(folder.run("audit verify").ok().contains("all intact"));
    folder.json(&format!("audit verify --tenant 100138 --head {head}"));
    let other = format!("{}0", &head[..head.len() - 1]);
    let other = if other == head { format!("{}1", &head[..head.len() - 1]) } else { other };
    let (_, message) = folder.fails(1, &format!("audit verify --tenant 100138 --head {other}"));
    assert!(message.contains("does not have the known hash"), "{message}");

    let file = folder.0.join("audit.jsonl");
    let exported = folder.json(&format!("audit export --tenant 100138 --output {}", file.display()));
    let verified = folder.json(&format!("audit verify {}", file.display()));
    assert_eq!(exported["entries"], verified[0]["entries"]);
    folder.json(&format!("audit verify {} --head {head}", file.display()));

    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("dev@example.com", "eve@example.com")).unwrap();
    let (_, message) = folder.fails(1, &format!("audit verify {}", file.display()));
    assert!(message.contains("was changed"), "{message}");
    let without_line: Vec<_> = text.lines().enumerate().filter(|(at, _)| *at != 2).map(|(_, line)| line).collect();
    std::fs::write(&file, without_line.join("\n")).unwrap();
    let (_, message) = folder.fails(1, &format!("audit verify {}", file.display()));
    assert!(message.contains("is missing"), "{message}");
}
