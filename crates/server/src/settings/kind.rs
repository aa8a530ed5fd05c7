//! The kinds of settings: parsing from text, validation and canonical form, independent of keys and layers.

use std::net::{IpAddr, SocketAddr};

use domain::base::keys::SecretKey;
use ipnet::IpNet;
use toml::Value;

use super::error::{Problem, quoted};
use super::{hosts, structured};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// An IP address with a port.
    Address,
    /// A loopback address with a port.
    LoopbackAddress,
    /// Scheme, host and port of an http(s) URL.
    Origin,
    /// An http(s) URL with an optional path.
    Url,
    Path,
    /// A PostgreSQL URL; holds a password.
    Database,
    /// 32 bytes as text; a secret.
    Key,
    /// A bearer token; a secret.
    Token,
    /// A password at another server; a secret.
    Password,
    /// A host name or an address.
    Host,
    Integer {
        min: i64,
        max: i64,
    },
    Boolean,
    Choice(&'static [&'static str]),
    LogFilter,
    /// Free text that is not empty.
    Name,
    Hosts,
    /// Ranges of addresses.
    Networks,
    /// Messaging networks by name, each with its base URL.
    BaseUrls,
    Issuers,
    /// OpenID Connect providers of log-ins; hold secrets.
    Providers,
    Hierarchy,
    Plans,
}

const SHORTEST_TOKEN: usize = 16;

impl Kind {
    pub fn is_secret(self) -> bool {
        matches!(self, Self::Database | Self::Key | Self::Token | Self::Password | Self::Providers)
    }

    /// What is allowed, as the text after "allowed:" in error messages and help.
    pub fn allowed(self) -> String {
        match self {
            Self::Address => "an IP address and a port, for example 0.0.0.0:8080 or [::]:8080".to_owned(),
            Self::LoopbackAddress => {
                "a loopback address and a port, for example 127.0.0.1:8090 or [::1]:8090".to_owned()
            }
            Self::Origin => {
                "http:// or https:// with a host and an optional port, for example https://wa.example.com; no path, \
                 query or credentials"
                    .to_owned()
            }
            Self::Url => "an http:// or https:// URL without credentials, for example http://127.0.0.1:4318".to_owned(),
            Self::Path => "a path; a relative path starts at the working directory".to_owned(),
            Self::Database => {
                "a URL that starts with postgres:// or postgresql://, or empty for the embedded database".to_owned()
            }
            Self::Key => "32 bytes as 64 hex digits or as base64, for example from `openssl rand -hex 32`".to_owned(),
            Self::Token => format!("at least {SHORTEST_TOKEN} printable ASCII characters without spaces"),
            Self::Host => "a host name or address without scheme or port, for example mail.example.com".to_owned(),
            Self::Integer { min, max } => format!("a whole number from {min} to {max}"),
            Self::Boolean => "true or false".to_owned(),
            Self::Choice(choices) => choices.join(" or "),
            Self::LogFilter => {
                "off, error, warn, info, debug or trace, or a list of directives such as info,store=debug".to_owned()
            }
            Self::Name | Self::Password => "text that is not empty".to_owned(),
            Self::Hosts => {
                "a list of host names or addresses without scheme or port, for example wa.example.com".to_owned()
            }
            Self::Networks => "a list of networks, for example 10.0.0.0/8 or fd00::/8, or single addresses".to_owned(),
            Self::BaseUrls => structured::BASE_URLS_ALLOWED.to_owned(),
            Self::Issuers => structured::ISSUERS_ALLOWED.to_owned(),
            Self::Providers => structured::PROVIDERS_ALLOWED.to_owned(),
            Self::Hierarchy => "a table that maps a scope to the list of scopes it includes".to_owned(),
            Self::Plans => structured::plans_allowed(),
        }
    }

    /// Parses the text of an environment variable or a flag.
    pub fn value_of_text(self, text: &str) -> Result<Value, Problem> {
        let text = text.trim();
        match self {
            Self::Integer { .. } => text.parse().map(Value::Integer).map_err(|_| not("a whole number", text)),
            Self::Boolean => text.parse().map(Value::Boolean).map_err(|_| not("true or false", text)),
            Self::Hosts | Self::Networks => Ok(comma_separated(text)),
            Self::Issuers | Self::Providers if text.is_empty() => Ok(Value::Array(Vec::new())),
            Self::BaseUrls | Self::Hierarchy | Self::Plans if text.is_empty() => Ok(Value::Table(toml::Table::new())),
            Self::Issuers | Self::Providers | Self::BaseUrls | Self::Hierarchy | Self::Plans => {
                structured::value_of_text(text)
            }
            _ => Ok(Value::String(text.to_owned())),
        }
    }

    /// Validates a value and returns its canonical form, which the typed settings deserialize without further checks.
    pub fn canonical(self, value: &Value) -> Result<Value, Problem> {
        match self {
            Self::Integer { min, max } => integer(value, min, max),
            Self::Boolean => value.as_bool().map(Value::Boolean).ok_or_else(|| not_a("true or false", value)),
            Self::Hosts => strings(value, host),
            Self::Networks => strings(value, network),
            Self::BaseUrls => structured::base_urls(value),
            Self::Issuers => structured::issuers(value),
            Self::Providers => structured::providers(value),
            Self::Hierarchy => structured::hierarchy(value),
            Self::Plans => structured::plans(value),
            _ => {
                let text = value.as_str().ok_or_else(|| not_a("a string", value))?;
                self.canonical_text(text).map(Value::String).map_err(|what| Problem::new(what).value(text))
            }
        }
    }

    fn canonical_text(self, text: &str) -> Result<String, String> {
        match self {
            Self::Address => address(text),
            Self::LoopbackAddress => loopback_address(text),
            Self::Origin => origin(text),
            Self::Url => url(text),
            Self::Database => database(text),
            Self::Key => key(text),
            Self::Token => token(text),
            Self::Host => host(text),
            Self::Choice(choices) => choice(text, choices),
            Self::LogFilter => log_filter(text),
            _ => name(text),
        }
    }
}

fn not(expected: &str, text: &str) -> Problem {
    Problem::new(format!("it is not {expected}")).value(text)
}

/// The problem of a value of the wrong type. It quotes the value; `layers.rs` removes that for secrets.
pub(super) fn not_a(expected: &str, value: &Value) -> Problem {
    let mut problem = Problem::new(format!("expected {expected}, found {}", type_in_words(value)));
    problem.value = Some(value.as_str().map_or_else(|| short(value), quoted));
    problem
}

fn short(value: &Value) -> String {
    match value {
        Value::Array(_) => "[…]".to_owned(),
        Value::Table(_) => "{…}".to_owned(),
        other => other.to_string(),
    }
}

fn type_in_words(value: &Value) -> &'static str {
    match value {
        Value::String(_) => "a string",
        Value::Integer(_) => "a whole number",
        Value::Float(_) => "a number with a fraction",
        Value::Boolean(_) => "true or false",
        Value::Datetime(_) => "a date or time",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
    }
}

fn comma_separated(text: &str) -> Value {
    let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
    Value::Array(items.map(|item| Value::String(item.to_owned())).collect())
}

fn integer(value: &Value, min: i64, max: i64) -> Result<Value, Problem> {
    let number = value.as_integer().ok_or_else(|| not_a("a whole number", value))?;
    if (min..=max).contains(&number) {
        return Ok(Value::Integer(number));
    }
    let mut problem = Problem::new("it is out of range");
    problem.value = Some(number.to_string());
    Err(problem)
}

fn strings(value: &Value, canonical: impl Fn(&str) -> Result<String, String>) -> Result<Value, Problem> {
    let items = value.as_array().ok_or_else(|| not_a("a list of strings", value))?;
    let item = |(index, item): (usize, &Value)| {
        let text = item.as_str().ok_or_else(|| not_a("a string", item).at(format!("[{index}]")))?;
        canonical(text).map(Value::String).map_err(|what| Problem::new(what).value(text).at(format!("[{index}]")))
    };
    items.iter().enumerate().map(item).collect::<Result<_, _>>().map(Value::Array)
}

fn address(text: &str) -> Result<String, String> {
    text.parse::<SocketAddr>()
        .map(|address| address.to_string())
        .map_err(|_| "it is not an IP address with a port".into())
}

fn loopback_address(text: &str) -> Result<String, String> {
    let canonical = address(text)?;
    let is_loopback = text.parse::<SocketAddr>().is_ok_and(|address| address.ip().is_loopback());
    if is_loopback { Ok(canonical) } else { Err("other machines could reach it".to_owned()) }
}

fn origin(text: &str) -> Result<String, String> {
    let url = hosts::parse_http_url(text)?;
    match url.rest {
        "" => Ok(text.to_owned()),
        "/" => Ok(text.trim_end_matches('/').to_owned()),
        _ => Err("it has a path or query".to_owned()),
    }
}

fn url(text: &str) -> Result<String, String> {
    hosts::parse_http_url(text)?;
    Ok(text.to_owned())
}

fn database(text: &str) -> Result<String, String> {
    if ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme)) {
        Ok(text.to_owned())
    } else {
        Err("it does not start with postgres:// or postgresql://".to_owned())
    }
}

fn key(text: &str) -> Result<String, String> {
    SecretKey::parse(text).map(|_| text.to_owned()).map_err(|_| "it does not hold 32 bytes".to_owned())
}

fn token(text: &str) -> Result<String, String> {
    if text.len() < SHORTEST_TOKEN {
        return Err("it is too short".to_owned());
    }
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        Ok(text.to_owned())
    } else {
        Err("it contains a space or another character that an HTTP header cannot carry".to_owned())
    }
}

fn choice(text: &str, choices: &[&str]) -> Result<String, String> {
    if choices.contains(&text) { Ok(text.to_owned()) } else { Err("it is not one of the choices".to_owned()) }
}

/// Refuses a bare word that is no level: it would be taken for a module name, so a mistyped level would disable all
/// logs.
fn log_filter(text: &str) -> Result<String, String> {
    const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
    let is_level = |word: &str| LEVELS.iter().any(|level| level.eq_ignore_ascii_case(word));
    let wrong =
        text.split(',').map(str::trim).find(|part| !part.contains(['=', '[', ']', '}', ':']) && !is_level(part));
    if let Some(word) = wrong {
        return Err(format!("{} is not a level", quoted(word)));
    }
    tracing_subscriber::EnvFilter::try_new(text)
        .map(|_| text.to_owned())
        .map_err(|error| format!("it is not a filter: {error}"))
}

fn name(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("it is empty".to_owned());
    }
    if text.chars().any(char::is_control) {
        return Err("it contains a control character".to_owned());
    }
    Ok(text.to_owned())
}

fn host(text: &str) -> Result<String, String> {
    if hosts::is_host(text) { Ok(text.to_ascii_lowercase()) } else { Err("it is not a host name".to_owned()) }
}

/// A single address counts as a network with one address.
fn network(text: &str) -> Result<String, String> {
    let network = text.parse::<IpNet>().or_else(|_| text.parse::<IpAddr>().map(IpNet::from));
    network.map(|network| network.trunc().to_string()).map_err(|_| "it is not a network".to_owned())
}
