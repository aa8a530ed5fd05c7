use std::collections::BTreeSet;

use super::super::catalogue::CATALOGUE;
use super::super::show::value_at;
use super::super::{Flags, Source, help_text, render, sample_toml};
use super::{as_json, defaults, load_all, load_file};

/// The sample with every setting switched on: prose has a space after its `#`, settings have none.
fn uncommented_sample() -> String {
    let strip = |line: &str| match line.strip_prefix('#') {
        Some(setting) if !setting.is_empty() && !setting.starts_with(' ') => setting.to_owned(),
        _ => line.to_owned(),
    };
    sample_toml().lines().map(|line| strip(line) + "\n").collect()
}

#[test]
fn the_sample_parses_back_to_the_defaults_commented_or_not() {
    assert_eq!(as_json(&load_file(&sample_toml()).unwrap()), as_json(&defaults()));
    let loaded = load_file(&uncommented_sample()).unwrap();
    assert_eq!(as_json(&loaded), as_json(&defaults()));
    let silent: Vec<_> = loaded.sources.iter().filter(|(_, source)| **source == Source::Default).collect();
    assert!(silent.is_empty(), "not in the sample: {silent:?}");
}

#[test]
fn the_examples_in_the_catalogue_are_valid() {
    let examples: Vec<_> = CATALOGUE.iter().filter(|setting| !setting.example.is_empty()).collect();
    assert!(!examples.is_empty());
    for setting in examples {
        let loaded = load_file(setting.example).unwrap();
        let given = |(key, source): (&String, &Source)| key.starts_with(setting.key) && *source != Source::Default;
        assert!(loaded.sources.iter().any(given), "{}", setting.key);
    }
}

/// Walks the typed settings down to the settings of the catalogue; a remaining field is undocumented.
fn undocumented(value: &serde_json::Value, prefix: &str, found: &mut BTreeSet<String>) {
    let members = value.as_object().unwrap_or_else(|| panic!("{prefix} is not in the catalogue"));
    for (name, member) in members {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        if CATALOGUE.iter().any(|setting| setting.key == key) {
            found.insert(key);
        } else {
            undocumented(member, &key, found);
        }
    }
}

#[test]
fn catalogue_and_struct_agree() {
    let mut fields = BTreeSet::new();
    let settings = as_json(&defaults());
    undocumented(&settings, "", &mut fields);
    let keys: BTreeSet<_> = CATALOGUE.iter().map(|setting| setting.key.to_owned()).collect();
    assert_eq!(fields, keys);
    assert_eq!(keys.len(), CATALOGUE.len(), "a key stands twice");
    for setting in &CATALOGUE {
        assert_eq!(value_at(&settings, setting.key).is_null(), setting.is_optional(), "{}", setting.key);
    }
}

#[test]
fn every_flag_of_the_catalogue_is_one_of_the_flags() {
    let all = |text: &str| Some(text.to_owned());
    let flags = Flags { config: None, listen: all("1"), public_url: all("2"), data: all("3"), database: all("4") };
    for setting in &CATALOGUE {
        assert_eq!(setting.flag.is_some(), flags.value(setting.key).is_some(), "{}", setting.key);
    }
}

#[test]
fn help_describes_every_setting() {
    let help = help_text();
    for setting in &CATALOGUE {
        let (_, entry) = help.split_once(&format!("\n  {}\n", setting.key)).expect(setting.key);
        let entry = entry.split("\n\n").next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
        let flag = setting.flag.unwrap_or_default();
        for part in [setting.doc, &setting.env_name(), flag, "Default: ", &setting.kind.allowed()] {
            assert!(entry.contains(part), "{} lacks {part}:\n{entry}", setting.key);
        }
    }
    assert!(help.contains("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE") && help.contains("switchboard.toml"));
    assert!(help.lines().chain(sample_toml().lines()).all(|line| line.trim_end() == line));
}

#[test]
fn show_prints_the_source_of_each_value() {
    let file = "[plans.tiny]\nfeatures = []\n[server]\nshutdown_seconds = 5";
    let variables = [("SWITCHBOARD_SERVER_HOSTS", "a.example.com"), ("SWITCHBOARD_X_Y_Z", "1")];
    let flags = Flags { listen: Some("127.0.0.1:1".to_owned()), ..Flags::default() };
    let loaded = load_all(file, &variables, &flags).unwrap();

    let text = render(&loaded, false);
    let line = |start: &str| {
        let line = text.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{start} in {text}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    assert_eq!(line("listen"), "listen = \"127.0.0.1:1\" # flag --listen");
    assert_eq!(line("server.hosts"), "server.hosts = [\"a.example.com\"] # env SWITCHBOARD_SERVER_HOSTS");
    assert_eq!(line("server.shutdown_seconds"), "server.shutdown_seconds = 5 # file switchboard.toml");
    assert_eq!(line("plans.tiny"), "plans.tiny = { features = [], rates = {} } # file switchboard.toml");
    assert!(line("plans.growth").ends_with("# default"));
    assert!(line("# config file").ends_with("switchboard.toml"));
    assert!(line("# warning").contains("SWITCHBOARD_X_Y_Z"));
    assert_eq!(as_json(&load_file(&text).unwrap()), as_json(&loaded), "what is shown is itself a config file");

    let json: serde_json::Value = serde_json::from_str(&render(&loaded, true)).unwrap();
    assert_eq!(json["settings"]["server.hosts"]["value"][0], "a.example.com");
    assert_eq!(json["settings"]["server.hosts"]["source"], "env");
    assert_eq!(json["settings"]["server.hosts"]["from"], "SWITCHBOARD_SERVER_HOSTS");
    assert_eq!(json["settings"]["plans.tiny"]["source"], "file");
    assert_eq!(json["config_file"], "switchboard.toml");
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1);
}
