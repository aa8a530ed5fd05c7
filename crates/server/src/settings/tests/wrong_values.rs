use super::super::{Flags, SettingsError, load};
use super::{Folder, load_all, load_env, load_file};

/// The error must name the setting, the place it came from and what is allowed.
#[track_caller]
fn assert_env_refused(variable: &str, value: &str, setting: &str, says: &str) {
    let message = load_env(&[(variable, value)]).unwrap_err().to_string();
    assert!(message.contains(&format!("wrong setting {setting}")), "{message}");
    assert!(message.contains(&format!("(from env {variable})")), "{message}");
    assert!(message.contains("; allowed: "), "{message}");
    assert!(message.contains(says), "{message}");
}

#[track_caller]
fn assert_file_refused(text: &str, setting: &str, says: &str) {
    let message = load_file(text).unwrap_err().to_string();
    assert!(message.contains(&format!("wrong setting {setting}")), "{message}");
    assert!(message.contains("(from file switchboard.toml)"), "{message}");
    assert!(message.contains("; allowed: "), "{message}");
    assert!(message.contains(says), "{message}");
}

#[test]
fn a_wrong_scalar_names_setting_source_value_and_what_is_allowed() {
    let error = load_env(&[("SWITCHBOARD_POSTGRES_MAX_CONNECTIONS", "1")]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "wrong setting postgres.max_connections = 1 (from env SWITCHBOARD_POSTGRES_MAX_CONNECTIONS): it is out of \
         range; allowed: a whole number from 2 to 200"
    );
    let flags = Flags { listen: Some("8080".to_owned()), ..Flags::default() };
    assert_eq!(
        load_all("", &[], &flags).unwrap_err().to_string(),
        "wrong setting listen = \"8080\" (from flag --listen): it is not an IP address with a port; allowed: an IP \
         address and a port, for example 0.0.0.0:8080 or [::]:8080"
    );
}

#[test]
fn every_scalar_kind_refuses_what_it_is_not() {
    assert_env_refused("SWITCHBOARD_LISTEN", "", "listen", "IP address");
    assert_env_refused("SWITCHBOARD_LISTEN", "localhost:80", "listen = \"localhost:80\"", "IP address");
    assert_env_refused("SWITCHBOARD_DATA", " ", "data", "empty");
    assert_env_refused("SWITCHBOARD_SECRET_KEY_FILE", "a\u{0}b", "secret_key_file", "control character");
    assert_env_refused(
        "SWITCHBOARD_SERVER_REQUEST_TIMEOUT_SECONDS",
        "601",
        "server.request_timeout_seconds = 601",
        "1 to 600",
    );
    assert_env_refused(
        "SWITCHBOARD_SERVER_REQUEST_TIMEOUT_SECONDS",
        "30s",
        "server.request_timeout_seconds = \"30s\"",
        "number",
    );
    assert_env_refused("SWITCHBOARD_SERVER_SHUTDOWN_SECONDS", "0", "server.shutdown_seconds = 0", "1 to 60");
    assert_env_refused("SWITCHBOARD_POSTGRES_MAX_CONNECTIONS", "201", "postgres.max_connections = 201", "2 to 200");
    assert_env_refused(
        "SWITCHBOARD_LIMITS_FAILED_ATTEMPTS_PER_MINUTE",
        "0",
        "limits.failed_attempts_per_minute = 0",
        "1 to",
    );
    assert_env_refused("SWITCHBOARD_LOG_FORMAT", "yaml", "log.format = \"yaml\"", "text or json");
    assert_env_refused("SWITCHBOARD_TELEMETRY_SERVICE_NAME", "", "telemetry.service_name", "not empty");
    assert_env_refused("SWITCHBOARD_METRICS_LISTEN", "9090", "metrics.listen = \"9090\"", "IP address");
}

#[test]
fn a_log_level_is_a_level_or_a_directive() {
    for wrong in ["verbose", "inof", "info,store", "store=loud", "info,,debug"] {
        assert_env_refused("SWITCHBOARD_LOG_LEVEL", wrong, "log.level", "info");
    }
    for right in ["warn", "OFF", "info,store=debug,api::calls=trace"] {
        assert_eq!(load_env(&[("SWITCHBOARD_LOG_LEVEL", right)]).unwrap().settings.log.level, right);
    }
}

#[test]
fn a_public_url_is_scheme_host_and_port() {
    for (wrong, says) in [
        ("wa.example.com", "start with http://"),
        ("ftp://wa.example.com", "scheme"),
        ("https://wa.example.com/app", "path"),
        ("https://wa.example.com?x=1", "query"),
        ("https://wa.example.com:0", "port"),
        ("https://wa.example.com:99999", "port"),
        ("https://", "host"),
        ("https://wa_.exa mple.com", "white space"),
        ("https://999.1.1.1", "host"),
    ] {
        assert_env_refused("SWITCHBOARD_PUBLIC_URL", wrong, &format!("public_url = {wrong:?}"), says);
    }
    assert_env_refused("SWITCHBOARD_TELEMETRY_OTLP_ENDPOINT", "collector:4318", "telemetry.otlp_endpoint", "http://");
}

#[test]
fn a_wrong_item_of_a_list_is_named_by_its_index() {
    assert_env_refused("SWITCHBOARD_SERVER_HOSTS", "a.example.com,b:80", "server.hosts[1] = \"b:80\"", "host name");
    assert_env_refused(
        "SWITCHBOARD_SERVER_TRUSTED_PROXIES",
        "10.0.0.0/33",
        "server.trusted_proxies[0] = \"10.0.0.0/33\"",
        "network",
    );
    assert_env_refused("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "10/8", "webhooks.allow_private[0] = \"10/8\"", "network");
    assert_file_refused("[server]\nhosts = ['a', 7]", "server.hosts[1] = 7", "expected a string, found a whole number");
    assert_file_refused(
        "[server]\nhosts = 'a,b'",
        "server.hosts = \"a,b\"",
        "expected a list of strings, found a string",
    );
}

#[test]
fn a_wrong_type_in_the_file_is_an_error() {
    assert_file_refused("listen = 8080", "listen = 8080", "expected a string, found a whole number");
    assert_file_refused(
        "[server]\nshutdown_seconds = '10'",
        "server.shutdown_seconds = \"10\"",
        "expected a whole number",
    );
    assert_file_refused("[server]\nshutdown_seconds = 1.5", "server.shutdown_seconds = 1.5", "fraction");
    assert_file_refused("server = 'x'", "server ", "a table with hosts, trusted_proxies");
    assert_file_refused("plans = 3", "plans ", "features");
    assert_file_refused("[log.format]\nx = 1", "log.format = {…}", "text or json");
}

#[test]
fn an_unknown_key_stops_with_a_suggestion() {
    for (text, key, suggestion) in [
        ("lisen = 'x'", "lisen", "listen"),
        ("public-url = 'x'", "public-url", "public_url"),
        ("hosts = []", "hosts", "server.hosts"),
        ("[server]\nhost = []", "server.host", "server.hosts"),
        ("[webhook]\nallow_private = []", "webhook", "webhooks"),
        ("[log]\nLevel = 'x'", "log.Level", "log.level"),
    ] {
        let error = load_file(text).unwrap_err();
        assert!(matches!(error, SettingsError::UnknownKey { .. }), "{error}");
        let expected = format!("unknown setting {key} in the config file switchboard.toml; did you mean {suggestion}?");
        assert_eq!(error.to_string(), expected);
    }
    let error = load_file("zzzzzzzz = 1").unwrap_err().to_string();
    assert_eq!(error, "unknown setting zzzzzzzz in the config file switchboard.toml");
    for trick in ["'server.hosts' = []", "['']\ndata = 'x'"] {
        assert!(matches!(load_file(trick), Err(SettingsError::UnknownKey { .. })), "{trick}");
    }
}

#[test]
fn an_overridden_value_is_validated_too() {
    let error = load_all("listen = 'x'", &[("SWITCHBOARD_LISTEN", "127.0.0.1:1")], &Flags::default()).unwrap_err();
    assert!(error.to_string().contains("(from file switchboard.toml)"), "{error}");
}

#[test]
fn a_file_that_is_not_toml_is_an_error_with_its_line_and_without_its_text() {
    let error = load_file("listen = '127.0.0.1:1'\nsecret_key = 'hunter2\n").unwrap_err();
    assert!(matches!(&error, SettingsError::Syntax { line: 2, .. }), "{error}");
    assert!(!error.to_string().contains("hunter2") && !format!("{error:?}").contains("hunter2"), "{error}");
}

fn issuer(rest: &str) -> String {
    format!("[[oidc.issuers]]\nissuer = 'https://a.example.com'\naudience = 'sb'\n{rest}")
}

#[test]
fn an_issuer_is_secure_has_an_audience_and_knows_its_roles() {
    assert_file_refused(
        "[[oidc.issuers]]\nissuer = 'https://a.b'\ntenant = '1'",
        "oidc.issuers[0]",
        "missing field `audience`",
    );
    let at = |url: &str| format!("[[oidc.issuers]]\nissuer = '{url}'\naudience = 'a'\ntenant = '1'");
    assert_file_refused(&at("http://a.example.com"), "oidc.issuers[0].issuer = \"http://a.example.com\"", "loopback");
    assert_file_refused(&at("https://a.b/x?y=1"), "oidc.issuers[0].issuer", "query");
    assert_file_refused(&at("a.b"), "oidc.issuers[0].issuer", "https://");
    for loopback in ["http://127.0.0.1:8090/x", "http://localhost", "http://[::1]:1", "https://a.b/realms/x"] {
        assert!(load_file(&at(loopback)).is_ok(), "{loopback}");
    }
    assert_file_refused(&at("https://a.b").replace("'a'", "' '"), "oidc.issuers[0].audience", "not empty");
    assert_file_refused(&issuer("tenant = '1'\nmax_role = 'ROOT'"), "oidc.issuers[0].max_role = \"ROOT\"", "TRIAL");
    let wrong_role = issuer("tenant = '1'\nrole_map = { agent = 'OPERATER' }");
    assert_file_refused(&wrong_role, "oidc.issuers[0].role_map.agent = \"OPERATER\"", "did you mean OPERATOR?");
    assert_file_refused(&issuer("tenant = '1'\naudiense = 'x'"), "oidc.issuers[0].audiense", "unknown field");
    let twice = format!("{}\n{}", issuer("tenant = '1'"), issuer("tenant = '2'"));
    assert_file_refused(&twice, "oidc.issuers[1]", "same issuer and audience");
}

fn provider(change: impl Fn(String) -> String) -> String {
    let whole = "[[oidc.providers]]\nid = 'acme'\nname = 'Acme'\nissuer = 'https://a.example.com'\n\
                 client_id = 'c'\nclient_secret = 's'\ntenant = '100138'\n";
    change(whole.to_owned())
}

#[test]
fn a_provider_of_log_ins_is_secure_and_whole() {
    assert!(load_file(&provider(|whole| whole)).is_ok());
    let instead = |old: &str, new: &str| provider(|whole| whole.replace(old, new));
    assert_file_refused(
        &instead("https://a.example.com", "http://a.example.com"),
        "oidc.providers[0].issuer",
        "loopback",
    );
    assert_file_refused(&instead("'acme'", "'Ac me'"), "oidc.providers[0].id", "lower-case");
    assert_file_refused(&instead("'100138'", "'acme'"), "oidc.providers[0].tenant", "numeric");
    assert_file_refused(&instead("'s'", "' '"), "oidc.providers[0].client_secret", "not empty");
    assert_file_refused(&instead("name = 'Acme'\n", ""), "oidc.providers[0]", "a member is missing");
    assert_file_refused(&instead("name =", "title ="), "oidc.providers[0].title", "unknown");
    let twice = provider(|whole| format!("{whole}{whole}"));
    assert_file_refused(&twice, "oidc.providers[1].id", "same id");
}

#[test]
fn a_provider_creates_accounts_with_known_roles_only() {
    let with = |more: &str| provider(|whole| format!("{whole}{more}\n"));
    let rules = "create_domains = ['example.com']\nrole_claim = 'teams'\nrole_map = { support = 'OPERATOR' }";
    assert!(load_file(&with(rules)).is_ok());
    assert!(load_file(&with("default_role = 'TRIAL'")).is_ok());
    let at = |member: &str| format!("oidc.providers[0].{member}");
    assert_file_refused(&with("role_map = { a = 'API_TOKEN' }"), &at("role_map.a"), "ADMINISTRATOR");
    assert_file_refused(&with("default_role = 'OPERATER'"), &at("default_role"), "did you mean OPERATOR?");
    assert_file_refused(&with("default_role = 'TRIAL'\nrole_claim = ' '"), &at("role_claim"), "not empty");
    let wrong_domain = "default_role = 'TRIAL'\ncreate_domains = ['@example.com']";
    assert_file_refused(&with(wrong_domain), &at("create_domains[0]"), "lower case");
    assert_file_refused(&with("create_domains = ['example.com']"), &at("create_domains"), "role_map or default_role");
}

#[test]
fn a_mail_server_has_a_host_a_port_and_a_known_kind_of_security() {
    assert_env_refused("SWITCHBOARD_SMTP_HOST", "smtp://mail.example.com", "smtp.host", "without scheme");
    assert_env_refused("SWITCHBOARD_SMTP_PORT", "0", "smtp.port = 0", "1 to 65535");
    assert_env_refused("SWITCHBOARD_SMTP_SECURITY", "ssl", "smtp.security = \"ssl\"", "starttls or tls or none");
    assert_file_refused("[smtp]\npassword = 7", "smtp.password", "expected a string");
}

#[test]
fn exactly_one_way_leads_from_an_issuer_to_a_tenant() {
    assert_file_refused(&issuer(""), "oidc.issuers[0]", "names no tenant");
    assert_file_refused(&issuer("tenant_claim = 't'"), "oidc.issuers[0]", "names no tenant");
    assert_file_refused(&issuer("tenant = '1'\ntenants = ['2']"), "oidc.issuers[0]", "both tenant and tenants");
    assert_file_refused(&issuer("tenant = '1'\ntenant_claim = 't'"), "oidc.issuers[0]", "both tenant and tenant_claim");
    assert_file_refused(&issuer("tenant = 'acme'"), "oidc.issuers[0].tenant = \"acme\"", "numeric");
    assert_file_refused(&issuer("tenants = ['1', '0x']"), "oidc.issuers[0].tenants[1] = \"0x\"", "numeric");
    assert_file_refused(&issuer("tenants = [1]"), "oidc.issuers[0].tenants[0]", "expected a string");
    assert!(load_file(&issuer("tenants = ['1']\ntenant_claim = 't'")).is_ok());
}

#[test]
fn a_plan_knows_features_families_and_no_zero() {
    assert_file_refused("[plans.a]\nrates = {}", "plans.a", "missing field `features`");
    assert_file_refused("[plans.a]\nfeatures = ['call']", "plans.a.features[0] = \"call\"", "did you mean calls?");
    assert_file_refused(
        "[plans.a]\nfeatures = []\nmonthly_calls = 0",
        "plans.a.monthly_calls",
        "left out for no limit",
    );
    assert_file_refused("[plans.a]\nfeatures = []\nmonthly_calls = -1", "plans.a.monthly_calls", "-1");
    assert_file_refused(
        "[plans.a]\nfeatures = []\nrates = { other = 0 }",
        "plans.a.rates.other",
        "left out for no limit",
    );
    assert_file_refused("[plans.a]\nfeatures = []\nrates = { sends = 1 }", "plans.a.rates.sends", "template_sends");
    assert_file_refused(
        "[plans.a]\nfeatures = []\nrate = {}",
        "plans.a.rate",
        "expected one of `features`, `monthly_calls`, `rates`",
    );
    assert_file_refused("[plans.'A b']\nfeatures = []", "plans.A b", "lower-case");
}

#[test]
fn a_network_is_reached_safely_and_under_a_version() {
    let at = |url: &str| format!("[networks]\nlab = '{url}'");
    for (url, says) in [
        ("http://graph.example.com/v23.0", "plain http"),
        ("https://graph.example.com", "version"),
        ("https://graph.example.com/v", "version"),
        ("https://graph.example.com/v23.0/x", "version"),
        ("https://graph.example.com/v23.0?x=1", "query"),
        ("https://user:word@graph.example.com/v23.0", "credentials"),
        ("graph.example.com/v23.0", "https://"),
        ("", "https://"),
    ] {
        assert_file_refused(&at(url), "networks.lab", says);
    }
    assert_file_refused("[networks]\nsandbox = 'http://127.0.0.1:9/v1'", "networks.sandbox", "sandbox.listen");
    assert_file_refused("[networks]\n'A b' = 'https://a.b/v1'", "networks.A b", "lower-case");
    assert_file_refused("[networks]\nlab = 7", "networks.lab", "expected a string");
    assert_file_refused("networks = 'https://a.b/v1'", "networks ", "a table that maps a network's name");
    assert_env_refused("SWITCHBOARD_NETWORKS", "https://a.b/v1", "networks", "neither JSON nor an inline TOML value");
}

#[test]
fn the_sandbox_is_on_or_off_and_on_this_machine() {
    assert_env_refused("SWITCHBOARD_SANDBOX_ENABLED", "yes", "sandbox.enabled = \"yes\"", "true or false");
    assert_env_refused("SWITCHBOARD_SANDBOX_ENABLED", "", "sandbox.enabled", "true or false");
    assert_file_refused("[sandbox]\nenabled = 'true'", "sandbox.enabled = \"true\"", "expected true or false");
    for outside in ["0.0.0.0:8090", "[::]:8090", "10.0.0.1:0", "[::ffff:10.0.0.1]:0"] {
        assert_env_refused("SWITCHBOARD_SANDBOX_LISTEN", outside, "sandbox.listen", "loopback");
    }
    assert_env_refused("SWITCHBOARD_SANDBOX_LISTEN", "localhost:1", "sandbox.listen", "IP address");
    assert_env_refused("SWITCHBOARD_SANDBOX_SCENARIO", "loud", "sandbox.scenario = \"loud\"", "quiet or lively");
}

#[test]
fn a_hierarchy_knows_its_scopes_and_has_no_cycle() {
    assert_file_refused(
        "[scopes.hierarchy]\n'callsv3:write' = 'x'",
        "scopes.hierarchy.callsv3:write",
        "expected a sequence",
    );
    assert_file_refused("[scopes.hierarchy]\n'callsv3:write' = ['calls:fly']", "scopes.hierarchy", "calls:fly");
    let cycle = "[scopes.hierarchy]\n'callsv3:write' = ['callsv3:read']\n'callsv3:read' = ['callsv3:write']";
    assert_file_refused(cycle, "scopes.hierarchy", "reaches itself");
}

#[test]
fn a_structured_variable_must_be_json_or_toml() {
    assert_env_refused("SWITCHBOARD_PLANS", "{", "plans", "neither JSON nor an inline TOML value");
    assert_env_refused("SWITCHBOARD_PLANS", "{} \n listen = 1", "plans", "neither JSON nor an inline TOML value");
    assert_env_refused("SWITCHBOARD_OIDC_ISSUERS", "[null]", "oidc.issuers", "null");
    assert_env_refused("SWITCHBOARD_OIDC_ISSUERS", "{}", "oidc.issuers", "a list of tables");
}

#[test]
fn only_one_secret_key_may_be_given() {
    let file = "secret_key_file = 'key'";
    let variables = [("SWITCHBOARD_SECRET_KEY", "ab".repeat(32))].map(|(name, key)| (name, key.leak() as &str));
    let message = load_all(file, &variables, &Flags::default()).unwrap_err().to_string();
    assert!(message.contains("wrong setting secret_key_file (from file"), "{message}");
    assert!(message.contains("SWITCHBOARD_SECRET_KEY") && !message.contains("abab"), "{message}");
}

#[cfg(unix)]
#[test]
fn a_variable_that_is_not_utf8_is_an_error_when_it_is_a_setting() {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;
    let pair = |name: &str| (OsString::from(name), OsString::from_vec(vec![0xff, 0xfe]));
    let folder = Folder::new();
    let error = load(&Flags::default(), [pair("SWITCHBOARD_DATA")], folder.path()).unwrap_err().to_string();
    assert!(error.contains("wrong setting data (from env SWITCHBOARD_DATA): it is not UTF-8"), "{error}");
    let strange_name = (OsString::from_vec(vec![0xff]), OsString::new());
    assert!(load(&Flags::default(), [pair("OTHER"), strange_name], folder.path()).is_ok());
}
