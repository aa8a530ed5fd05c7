use serde_json::Value;

use crate::run::{Folder, members};

#[test]
fn help_names_every_setting() {
    let folder = Folder::new();
    let help = folder.run("config --help").ok();
    let shown = folder.json("config show");
    assert_eq!(members(&shown), ["config_file", "settings", "warnings"]);
    for key in members(&shown["settings"]) {
        let key = ["plans", "networks"].into_iter().find(|whole| key.starts_with(&format!("{whole}."))).unwrap_or(key);
        assert!(help.contains(&format!("\n  {key}\n")), "{key}");
    }
    assert!(folder.run("config sample").ok().contains("\n#listen = \"127.0.0.1:8080\"\n"));
    assert!(!folder.0.join("data").exists());
}

#[test]
fn documents_completions_and_version_need_no_database() {
    let folder = Folder::new();
    let document: Value = serde_json::from_str(&folder.run("openapi").ok()).unwrap();
    assert!(document["paths"]["/api/ext/v3/calls"].is_object());
    assert_eq!(members(&folder.json("openapi --output openapi.json")), ["bytes", "file"]);
    assert_eq!(
        document,
        serde_json::from_slice::<Value>(&std::fs::read(folder.0.join("openapi.json")).unwrap()).unwrap()
    );
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        assert!(folder.run(&format!("completions {shell}")).ok().contains("reset-password"), "{shell}");
    }
    assert_eq!(folder.run("version").ok(), folder.run("--version").ok());
    assert_eq!(members(&folder.json("version")), ["name", "version"]);
    assert!(!folder.0.join("data").exists());
}

#[test]
fn wrong_usage_and_wrong_settings_have_different_errors() {
    let folder = Folder::new();
    let (kind, message) = folder.fails(2, "tenant crate");
    assert!(kind == "usage" && message.starts_with("unrecognized subcommand 'crate'"), "{message}");
    assert!(folder.fails(2, "--listen 127.0.0.1:0 tenant list").1.contains("are for `switchboard serve`"));
    let (kind, message) = folder.fails(1, "tenant list --database mysql://me:secret@localhost/x");
    assert!(kind == "settings" && message.contains("wrong setting database"), "{message}");
    assert!(!message.contains("secret@"), "{message}");
    assert_eq!(folder.fails(1, "tenant list --config absent.toml").0, "settings");
}
