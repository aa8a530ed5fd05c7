use std::path::{Path, PathBuf};

use super::super::{Flags, LogFormat, Plan, Scenario, SettingsError, Source, load};
use super::{Folder, defaults, env, load_all, load_env, load_file};

fn file_source() -> Source {
    Source::File(PathBuf::from("switchboard.toml"))
}

fn env_source(name: &str) -> Source {
    Source::Env(name.to_owned())
}

#[test]
fn without_values_the_documented_defaults_apply() {
    let loaded = defaults();
    let settings = &loaded.settings;
    assert_eq!(settings.listen.to_string(), "127.0.0.1:8080");
    assert_eq!(settings.data, Path::new("./data"));
    assert!(settings.database.is_none() && settings.secret_key.is_none() && settings.secret_key_file.is_none());
    assert_eq!((settings.server.request_timeout_seconds, settings.server.shutdown_seconds), (30, 10));
    assert_eq!(settings.postgres.max_connections, 16);
    assert_eq!((settings.log.format, settings.log.level.as_str()), (LogFormat::Text, "info"));
    assert!(settings.metrics.listen.is_none() && settings.metrics.token.is_none());
    assert_eq!(settings.telemetry.service_name, "switchboard");
    assert_eq!(settings.limits.failed_attempts_per_minute, 20);
    assert!(settings.sandbox.enabled && settings.sandbox.scenario == Scenario::Quiet);
    assert_eq!(settings.sandbox.listen.to_string(), "127.0.0.1:0");
    assert!(settings.webhooks.allow_private.is_empty() && settings.scopes.hierarchy.is_empty());
    assert!(loaded.sources.values().all(|source| *source == Source::Default));
    assert!(loaded.warnings.is_empty() && loaded.file.is_none());
}

#[test]
fn the_built_in_plans_are_those_of_the_contract() {
    let plans = defaults().settings.plans;
    let limits = |name: &str| {
        let Plan { monthly_calls, rates, .. } = &plans[name];
        let rate = |family: &str| rates.get(family).copied();
        (*monthly_calls, ["contacts", "messages_read", "template_sends", "other"].map(rate))
    };
    assert_eq!(limits("growth"), (Some(10_000), [Some(10), Some(10), Some(30), Some(100)]));
    assert_eq!(limits("pro"), (Some(200_000), [Some(10), Some(10), Some(60), Some(200)]));
    assert_eq!(limits("business"), (Some(20_000_000), [Some(10), Some(10), Some(100), Some(400)]));
    assert_eq!(limits("unlimited"), (None, [None; 4]));
    assert_eq!(plans.len(), 4);

    let lacks = |name: &str| {
        let all = domain::identity::plans::Feature::ALL.map(domain::identity::plans::Feature::name);
        all.into_iter().filter(|feature| !plans[name].features.iter().any(|has| has == feature)).collect::<Vec<_>>()
    };
    assert_eq!(lacks("growth"), ["payments", "chatbots", "bulk_attributes"]);
    assert_eq!(lacks("pro"), ["chatbots", "bulk_attributes"]);
    assert_eq!(lacks("business"), ["chatbots"]);
    assert_eq!(lacks("unlimited"), ["chatbots"]);
}

#[test]
fn a_scalar_is_taken_from_the_strongest_layer() {
    let file = "listen = '127.0.0.1:1'\ndata = '/from/file'";
    let variables = [("SWITCHBOARD_LISTEN", "127.0.0.1:2")];
    let flags = Flags { listen: Some("127.0.0.1:3".to_owned()), ..Flags::default() };

    let loaded = load_all(file, &variables, &flags).unwrap();
    assert_eq!(loaded.settings.listen.port(), 3);
    assert_eq!(loaded.sources["listen"], Source::Flag("--listen"));
    assert_eq!(loaded.settings.data, Path::new("/from/file"));
    assert_eq!(loaded.sources["data"], file_source());

    let loaded = load_all(file, &variables, &Flags::default()).unwrap();
    assert_eq!(loaded.settings.listen.port(), 2);
    assert_eq!(loaded.sources["listen"], env_source("SWITCHBOARD_LISTEN"));

    let loaded = load_file(file).unwrap();
    assert_eq!(loaded.settings.listen.port(), 1);
    assert_eq!(loaded.sources["postgres.max_connections"], Source::Default);
}

#[test]
fn every_flag_reaches_its_setting() {
    let flags = Flags {
        config: None,
        listen: Some("[::1]:9".to_owned()),
        public_url: Some("https://wa.example.com/".to_owned()),
        data: Some("/srv/switchboard".to_owned()),
        database: Some("postgres://u:p@h/d".to_owned()),
    };
    let file = "public_url = 'http://other'\ndatabase = 'postgres://file'";
    let settings = load_all(file, &[("SWITCHBOARD_DATA", "/env")], &flags).unwrap().settings;
    assert_eq!(settings.listen.to_string(), "[::1]:9");
    assert_eq!(settings.public_url(), "https://wa.example.com");
    assert_eq!(settings.data, Path::new("/srv/switchboard"));
    assert_eq!(settings.database.unwrap().expose(), "postgres://u:p@h/d");
}

#[test]
fn a_list_is_replaced_as_a_whole_and_separated_by_commas_in_the_environment() {
    let file = "[webhooks]\nallow_private = ['10.0.0.0/8', '192.168.1.7']\n[server]\nhosts = ['A.example.com']";
    let from_file = load_file(file).unwrap().settings;
    assert_eq!(from_file.webhooks.allow_private, ["10.0.0.0/8", "192.168.1.7/32"].map(|net| net.parse().unwrap()));
    assert_eq!(from_file.server.hosts, ["a.example.com"]);

    let variables =
        [("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", " 172.16.0.0/12 ,fd00::/8,"), ("SWITCHBOARD_SERVER_HOSTS", "")];
    let loaded = load_all(file, &variables, &Flags::default()).unwrap();
    let networks = ["172.16.0.0/12", "fd00::/8"].map(|net| net.parse().unwrap());
    assert_eq!(loaded.settings.webhooks.allow_private, networks);
    assert!(loaded.settings.server.hosts.is_empty());
    assert_eq!(loaded.sources["server.hosts"], env_source("SWITCHBOARD_SERVER_HOSTS"));
}

#[test]
fn issuers_come_from_the_file_or_as_json_or_inline_toml_from_the_environment() {
    let file = "[[oidc.issuers]]\nissuer = 'https://a.example.com/x'\naudience = 'sb'\ntenant = '100138'";
    let issuers = load_file(file).unwrap().settings.oidc.issuers;
    assert_eq!(issuers[0].tenant.as_deref(), Some("100138"));
    assert_eq!(
        (issuers[0].tenant_claim.as_str(), issuers[0].role_claim.as_str(), issuers[0].max_role.as_str()),
        ("tenant_id", "role", "OPERATOR")
    );

    let json = r#"[{"issuer": "http://127.0.0.1:9", "audience": "b", "tenant": null, "tenants": ["1"]}]"#;
    let toml = "[{ issuer = 'http://127.0.0.1:9', audience = 'b', tenants = ['1'] }]";
    for text in [json, toml] {
        let loaded = load_all(file, &[("SWITCHBOARD_OIDC_ISSUERS", text)], &Flags::default()).unwrap();
        assert_eq!(loaded.settings.oidc.issuers.len(), 1, "{text}");
        assert_eq!(loaded.settings.oidc.issuers[0].tenants, ["1"], "{text}");
        assert_eq!(loaded.sources["oidc.issuers"], env_source("SWITCHBOARD_OIDC_ISSUERS"));
    }
    let cleared = load_all(file, &[("SWITCHBOARD_OIDC_ISSUERS", "")], &Flags::default()).unwrap();
    assert!(cleared.settings.oidc.issuers.is_empty());
}

#[test]
fn networks_are_merged_by_name_and_lose_their_last_slash() {
    let built_in = defaults().settings.networks;
    assert_eq!(Vec::from_iter(&built_in), [(&"whatsapp".to_owned(), &"https://graph.facebook.com/v23.0".to_owned())]);
    let file = "[networks]\nwhatsapp = 'https://graph.facebook.com/v24.0/'\nlab = 'http://127.0.0.1:9/graph/v1'";
    let variables = [("SWITCHBOARD_NETWORKS", r#"{"lab": "http://localhost:9/v2.5"}"#)];
    let loaded = load_all(file, &variables, &Flags::default()).unwrap();
    assert_eq!(loaded.settings.networks["whatsapp"], "https://graph.facebook.com/v24.0");
    assert_eq!(loaded.settings.networks["lab"], "http://localhost:9/v2.5");
    assert_eq!(loaded.sources["networks.whatsapp"], file_source());
    assert_eq!(loaded.sources["networks.lab"], env_source("SWITCHBOARD_NETWORKS"));
}

#[test]
fn the_sandbox_is_switched_in_the_file_and_in_the_environment() {
    let file = "[sandbox]\nenabled = false\nlisten = '[::1]:8090'\nscenario = 'lively'";
    let settings = load_file(file).unwrap().settings.sandbox;
    assert_eq!((settings.enabled, settings.scenario), (false, Scenario::Lively));
    assert_eq!(settings.listen.to_string(), "[::1]:8090");
    let variables = [("SWITCHBOARD_SANDBOX_ENABLED", " true "), ("SWITCHBOARD_SANDBOX_SCENARIO", "quiet")];
    let settings = load_all(file, &variables, &Flags::default()).unwrap().settings.sandbox;
    assert_eq!((settings.enabled, settings.scenario), (true, Scenario::Quiet));
}

#[test]
fn a_hierarchy_is_a_table_in_the_file_and_in_the_environment() {
    let file = "[scopes.hierarchy]\n'callsv3:write' = ['callsv3:read']";
    assert_eq!(load_file(file).unwrap().settings.scopes.hierarchy["callsv3:write"], ["callsv3:read"]);
    let variables = [("SWITCHBOARD_SCOPES_HIERARCHY", r#"{"contacts:write": ["contacts:read"]}"#)];
    let hierarchy = load_all(file, &variables, &Flags::default()).unwrap().settings.scopes.hierarchy;
    assert_eq!(hierarchy.keys().collect::<Vec<_>>(), ["contacts:write"]);
}

#[test]
fn a_plan_replaces_the_one_of_its_name_and_leaves_the_others() {
    let file =
        "[plans.pro]\nfeatures = ['calls']\n[plans.tiny]\nfeatures = []\nmonthly_calls = 5\nrates = { other = 1 }";
    let variables = [("SWITCHBOARD_PLANS", r#"{"tiny": {"features": ["calls"], "monthly_calls": null}}"#)];
    let loaded = load_all(file, &variables, &Flags::default()).unwrap();
    let plans = &loaded.settings.plans;
    assert_eq!((plans["pro"].monthly_calls, plans["pro"].rates.len()), (None, 0));
    assert_eq!((plans["tiny"].monthly_calls, plans["tiny"].features.len()), (None, 1));
    assert_eq!(plans["growth"].monthly_calls, Some(10_000));
    assert_eq!(loaded.sources["plans.pro"], file_source());
    assert_eq!(loaded.sources["plans.tiny"], env_source("SWITCHBOARD_PLANS"));
    assert_eq!(loaded.sources["plans.growth"], Source::Default);
}

#[test]
fn an_empty_text_unsets_an_optional_setting_of_a_weaker_layer() {
    let file = "database = 'postgres://u@h/d'\n[metrics]\nlisten = '127.0.0.1:9'";
    let variables = [("SWITCHBOARD_DATABASE", ""), ("SWITCHBOARD_METRICS_LISTEN", " ")];
    let settings = load_all(file, &variables, &Flags::default()).unwrap().settings;
    assert!(settings.database.is_none() && settings.metrics.listen.is_none());
    assert!(load_file("database = ''").unwrap().settings.database.is_none());
}

#[test]
fn the_config_file_is_named_by_flag_then_variable_then_found() {
    let folder = Folder::with("data = 'found'");
    folder.write("flag.toml", "data = 'flag'");
    folder.write("env.toml", "data = 'env'");
    let flags = Flags { config: Some("flag.toml".to_owned()), ..Flags::default() };
    let named = env(&[("SWITCHBOARD_CONFIG", "env.toml")]);

    let data = |flags: &Flags, env| load(flags, env, folder.path()).unwrap().settings.data;
    assert_eq!(data(&flags, named.clone()), Path::new("flag"));
    assert_eq!(data(&Flags::default(), named), Path::new("env"));
    assert_eq!(data(&Flags::default(), env(&[("SWITCHBOARD_CONFIG", "")])), Path::new("found"));
}

#[test]
fn a_named_config_file_must_exist() {
    let folder = Folder::with("");
    let flags = Flags { config: Some("gone.toml".to_owned()), ..Flags::default() };
    let error = load(&flags, [], folder.path()).unwrap_err();
    assert!(matches!(&error, SettingsError::File { named_by: "--config", .. }), "{error}");
    assert!(error.to_string().contains("gone.toml") && error.to_string().contains("no such file"), "{error}");
    let error = load(&Flags::default(), env(&[("SWITCHBOARD_CONFIG", "/nowhere/x.toml")]), folder.path()).unwrap_err();
    assert!(error.to_string().contains("named by SWITCHBOARD_CONFIG"), "{error}");
}

#[test]
fn foreign_variables_with_our_prefix_only_warn() {
    let variables = [
        ("SWITCHBOARD_PORT", "tcp://10.0.0.1:80"),
        ("SWITCHBOARD_WEBHOOK_ALLOW_PRIVATE", "10.0.0.0/8"),
        ("SWITCHBOARD_CONFIG", ""),
        ("PATH", "/bin"),
    ];
    let warnings = load_env(&variables).unwrap().warnings;
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert_eq!(warnings[0], "SWITCHBOARD_PORT is not a setting");
    assert!(warnings[1].ends_with("did you mean SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE?"), "{warnings:?}");
    assert!(warnings.iter().all(|warning| !warning.contains("10.0.0")), "{warnings:?}");
}

#[test]
fn the_public_url_is_made_from_the_address_when_it_is_not_set() {
    let url = |listen: &str| load_env(&[("SWITCHBOARD_LISTEN", listen)]).unwrap().settings.public_url();
    assert_eq!(url("127.0.0.1:8080"), "http://127.0.0.1:8080");
    assert_eq!(url("0.0.0.0:80"), "http://127.0.0.1:80");
    assert_eq!(url("[::]:81"), "http://[::1]:81");
    let settings = load_env(&[("SWITCHBOARD_LISTEN", "127.0.0.1:0")]).unwrap().settings;
    assert_eq!(settings.public_url_at("127.0.0.1:4711".parse().unwrap()), "http://127.0.0.1:4711");
}
