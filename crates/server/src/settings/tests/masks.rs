use super::super::secret::mask_url;
use super::super::{Flags, render};
use super::{load_all, load_env};

const KEY: &str = "5ec7e7000000000000000000000000000000000000000000000000000005ec7e";
const SECRETS: [(&str, &str); 6] = [
    ("SWITCHBOARD_SECRET_KEY", KEY),
    ("SWITCHBOARD_SECRET_KEY_PREVIOUS", "UnVubmluZyBvdXQgb2YgaWRlYXMgZm9yIGtleXMhISE="),
    ("SWITCHBOARD_METRICS_TOKEN", "hunter2-hunter2-hunter2"),
    ("SWITCHBOARD_DATABASE", "postgres://user:hunter2@db.example.com/switchboard?sslmode=require"),
    ("SWITCHBOARD_SMTP_PASSWORD", "hunter2"),
    (
        "SWITCHBOARD_OIDC_PROVIDERS",
        r#"[{"id": "acme", "name": "Acme", "issuer": "https://id.example", "client_id": "c", "client_secret": "hunter2", "tenant": "100138"}]"#,
    ),
];

#[track_caller]
fn assert_clean(text: &str) {
    for secret in ["5ec7e7", "UnVubm", "hunter2"] {
        assert!(!text.contains(secret), "{text}");
    }
}

#[test]
fn no_output_holds_a_secret() {
    let loaded = load_env(&SECRETS).unwrap();
    assert_eq!(loaded.settings.secret_key.as_ref().unwrap().expose(), KEY);
    assert_eq!(loaded.settings.metrics.token.as_ref().unwrap().expose(), "hunter2-hunter2-hunter2");
    for text in
        [render(&loaded, false), render(&loaded, true), format!("{loaded:?}"), format!("{:#?}", loaded.settings)]
    {
        assert_clean(&text);
        assert!(text.contains("********"), "{text}");
        assert!(text.contains("user:********@db.example.com/switchboard?sslmode=require"), "{text}");
    }
}

#[test]
fn flags_are_printed_without_the_password() {
    let flags = Flags { database: Some(SECRETS[3].1.to_owned()), ..Flags::default() };
    assert_clean(&format!("{flags:?}"));
}

#[test]
fn a_wrong_secret_is_refused_without_its_value() {
    for (variable, value, setting) in [
        ("SWITCHBOARD_SECRET_KEY", "hunter2", "secret_key"),
        ("SWITCHBOARD_SECRET_KEY_PREVIOUS", "hunter2", "secret_key_previous"),
        ("SWITCHBOARD_METRICS_TOKEN", "hunter2", "metrics.token"),
        ("SWITCHBOARD_METRICS_TOKEN", "hunter2 hunter2 hunter2", "metrics.token"),
        ("SWITCHBOARD_DATABASE", "mysql://user:hunter2@h/d", "database"),
        ("SWITCHBOARD_OIDC_PROVIDERS", "hunter2", "oidc.providers"),
        ("SWITCHBOARD_OIDC_PROVIDERS", r#"["hunter2"]"#, "oidc.providers[0]"),
        ("SWITCHBOARD_OIDC_PROVIDERS", r#"[{"client_secret": ["hunter2"]}]"#, "oidc.providers[0].client_secret"),
        ("SWITCHBOARD_OIDC_PROVIDERS", r#"[{"client_secret": "hunter2"}]"#, "oidc.providers[0]"),
    ] {
        let error = load_env(&[(variable, value)]).unwrap_err();
        let message = error.to_string();
        assert!(message.starts_with(&format!("wrong setting {setting} (from env {variable})")), "{message}");
        assert!(message.contains("allowed: "), "{message}");
        assert_clean(&message);
        assert_clean(&format!("{error:?}"));
    }
    let error = load_all("secret_key = 52727", &[], &Flags::default()).unwrap_err().to_string();
    assert!(error.starts_with("wrong setting secret_key (from file") && !error.contains("52727"), "{error}");
}

#[test]
fn credentials_in_other_urls_are_refused_and_not_repeated() {
    for url in ["https://user:hunter2@wa.example.com", "user:hunter2@wa.example.com"] {
        for variable in ["SWITCHBOARD_PUBLIC_URL", "SWITCHBOARD_TELEMETRY_OTLP_ENDPOINT"] {
            assert_clean(&load_env(&[(variable, url)]).unwrap_err().to_string());
        }
    }
}

#[test]
fn a_password_is_masked_in_every_position() {
    for (url, masked) in [
        ("postgres://h/d", "postgres://h/d"),
        ("postgres://u@h/d", "postgres://u@h/d"),
        ("postgres://u:hunter2@h:1/d", "postgres://u:********@h:1/d"),
        ("postgres://u:a@hunter2/b@h/d", "postgres://u:********@h/d"),
        ("postgres://u:a?hunter2@h/d", "postgres://********"),
        ("postgres://h/d?user=u&password=hunter2", "postgres://h/d?user=u&password=********"),
        ("postgres://u:x@h/d?password=a@hunter2", "postgres://********"),
        ("hunter2", "********"),
    ] {
        assert_eq!(mask_url(url), masked, "{url}");
    }
}
