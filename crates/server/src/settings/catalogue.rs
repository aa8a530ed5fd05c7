//! The one list of settings. Names of variables, validation, help, the sample file and `config show` are all made from
//! it.

use toml::{Table, Value};

use super::kind::Kind;
use super::plans;

/// In front of a key, in capitals and with `_` for `.`, it names the key's environment variable.
pub(super) const ENV_PREFIX: &str = "SWITCHBOARD_";

/// The network's own host, with the version of its API that we speak.
const WHATSAPP: &str = "https://graph.facebook.com/v23.0";

pub(super) struct Setting {
    /// The path in the config file.
    pub key: &'static str,
    pub kind: Kind,
    pub default: Fallback,
    pub flag: Option<&'static str>,
    pub doc: &'static str,
    /// TOML that shows a setting which is hard to guess; empty for the others.
    pub example: &'static str,
}

/// What holds when no layer gives a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fallback {
    /// The setting is optional, and an empty text leaves it unset.
    Unset,
    Text(&'static str),
    Integer(i64),
    Boolean(bool),
    EmptyList,
    EmptyTable,
    /// The network's own host.
    Networks,
    Plans,
}

impl Fallback {
    pub fn value(self) -> Option<Value> {
        Some(match self {
            Self::Unset => return None,
            Self::Text(text) => Value::String(text.to_owned()),
            Self::Integer(number) => Value::Integer(number),
            Self::Boolean(value) => Value::Boolean(value),
            Self::EmptyList => Value::Array(Vec::new()),
            Self::EmptyTable => Value::Table(Table::new()),
            Self::Networks => Value::Table(Table::from_iter([("whatsapp".to_owned(), WHATSAPP.into())])),
            Self::Plans => Value::Table(plans::built_in()),
        })
    }
}

impl Setting {
    const fn new(key: &'static str, kind: Kind, default: Fallback, doc: &'static str) -> Self {
        Self { key, kind, default, flag: None, doc, example: "" }
    }

    const fn flag(mut self, flag: &'static str) -> Self {
        self.flag = Some(flag);
        self
    }

    const fn example(mut self, example: &'static str) -> Self {
        self.example = example;
        self
    }

    pub fn env_name(&self) -> String {
        format!("{ENV_PREFIX}{}", self.key.to_ascii_uppercase().replace('.', "_"))
    }

    pub fn is_optional(&self) -> bool {
        self.default == Fallback::Unset
    }

    /// The section of the config file, empty for the top.
    pub fn section(&self) -> &'static str {
        self.key.rsplit_once('.').map_or("", |(section, _)| section)
    }

    /// The name inside its section.
    pub fn name(&self) -> &'static str {
        self.key.rsplit_once('.').map_or(self.key, |(_, name)| name)
    }

    /// Each member of the table is a value of its own: a layer replaces members, not the whole.
    pub fn is_merged_by_member(&self) -> bool {
        matches!(self.kind, Kind::Plans | Kind::BaseUrls)
    }
}

pub(super) fn find(key: &str) -> Option<&'static Setting> {
    CATALOGUE.iter().find(|setting| setting.key == key)
}

pub(super) fn is_section(key: &str) -> bool {
    !key.is_empty() && CATALOGUE.iter().any(|setting| setting.section() == key)
}

/// Every name that may stand in a config file, for suggestions.
pub(super) fn keys_and_sections() -> impl Iterator<Item = &'static str> {
    CATALOGUE.iter().flat_map(|setting| [setting.key, setting.section()]).filter(|name| !name.is_empty())
}

/// In the order of help and sample: what stands at the top of the file first, whole tables last, as TOML wants it.
pub(super) static CATALOGUE: [Setting; 34] = [
    Setting::new(
        "listen",
        Kind::Address,
        Fallback::Text("127.0.0.1:8080"),
        "The address and port on which the server takes HTTP requests. Port 0 picks a free one.",
    )
    .flag("--listen"),
    Setting::new(
        "public_url",
        Kind::Origin,
        Fallback::Unset,
        "The address under which clients reach the server, used in links. Without it, it is made from listen.",
    )
    .flag("--public-url"),
    Setting::new(
        "data",
        Kind::Path,
        Fallback::Text("./data"),
        "The folder that holds the embedded database and, unless another is configured, the secret key.",
    )
    .flag("--data"),
    Setting::new(
        "database",
        Kind::Database,
        Fallback::Unset,
        "A PostgreSQL database, for example postgres://switchboard:PASSWORD@db.example.com/switchboard. Without it, an \
         embedded SQLite database in the data folder is used.",
    )
    .flag("--database"),
    Setting::new(
        "secret_key",
        Kind::Key,
        Fallback::Unset,
        "The key from which all others are derived (token hashes, stored secrets, cursors). With the embedded database \
         one is made in the data folder when neither this nor secret_key_file is set; with PostgreSQL one of the two \
         is required. Keep it out of backups of the database, and do not lose it.",
    ),
    Setting::new(
        "secret_key_file",
        Kind::Path,
        Fallback::Unset,
        "A file that holds the secret key, in place of secret_key. Only one of the two may be set.",
    ),
    Setting::new(
        "secret_key_previous",
        Kind::Key,
        Fallback::Unset,
        "The secret key that was in force before, while a change of keys is under way.",
    ),
    Setting::new(
        "server.hosts",
        Kind::Hosts,
        Fallback::EmptyList,
        "The host names under which the server answers; any other gets status 421. Empty: any host.",
    ),
    Setting::new(
        "server.trusted_proxies",
        Kind::Networks,
        Fallback::EmptyList,
        "The networks of proxies whose X-Forwarded-For header is believed. The rightmost address in it that is not \
         such a proxy is the client's.",
    ),
    Setting::new(
        "server.request_timeout_seconds",
        Kind::Integer { min: 1, max: 600 },
        Fallback::Integer(30),
        "How long one request may take before it is given up.",
    ),
    Setting::new(
        "server.shutdown_seconds",
        Kind::Integer { min: 1, max: 60 },
        Fallback::Integer(10),
        "How long a stop waits for requests and workers to finish what they began.",
    ),
    Setting::new(
        "postgres.max_connections",
        Kind::Integer { min: 2, max: 200 },
        Fallback::Integer(16),
        "The most connections that this process keeps to PostgreSQL. Not used with the embedded database.",
    ),
    Setting::new(
        "log.format",
        Kind::Choice(&["text", "json"]),
        Fallback::Text("text"),
        "The form of the log on standard error: lines for people, or one JSON object a line for machines.",
    ),
    Setting::new(
        "log.level",
        Kind::LogFilter,
        Fallback::Text("info"),
        "How much is logged: one level for everything, or a filter directive with levels by module.",
    ),
    Setting::new(
        "metrics.listen",
        Kind::Address,
        Fallback::Unset,
        "A separate address and port that serves /metrics for Prometheus. When neither this nor metrics.token is set, \
         there is no /metrics.",
    ),
    Setting::new(
        "metrics.token",
        Kind::Token,
        Fallback::Unset,
        "The bearer token that a reader of /metrics must send. With it, and without metrics.listen, /metrics is served \
         on the main address.",
    ),
    Setting::new(
        "telemetry.otlp_endpoint",
        Kind::Url,
        Fallback::Unset,
        "The OpenTelemetry collector that receives traces by OTLP over HTTP. Without it, no traces are sent.",
    ),
    Setting::new(
        "telemetry.service_name",
        Kind::Name,
        Fallback::Text("switchboard"),
        "The name of this service in traces.",
    ),
    Setting::new(
        "oidc.issuers",
        Kind::Issuers,
        Fallback::EmptyList,
        "The OpenID Connect issuers whose tokens are accepted. An issuer speaks for one tenant, or for those of its \
         tenants that the token names in tenant_claim (default tenant_id). The value of role_claim (default role) \
         becomes a role by role_map, and never a stronger one than max_role (default OPERATOR). Roles: ADMINISTRATOR, \
         DEVELOPER, OPERATOR, API_TOKEN, TRIAL.",
    )
    .example(
        "[[oidc.issuers]]\n\
         issuer = \"https://login.example.com/realms/acme\"\n\
         audience = \"switchboard\"\n\
         tenants = [\"100138\", \"100139\"]\n\
         role_map = { agent = \"OPERATOR\", integrator = \"DEVELOPER\" }\n\
         max_role = \"DEVELOPER\"",
    ),
    Setting::new(
        "scopes.hierarchy",
        Kind::Hierarchy,
        Fallback::EmptyTable,
        "Which scopes a scope of an API token reaches besides itself. It replaces the built-in hierarchy, in which \
         every x:write reaches x:read and nothing else. Empty: the built-in one. A cycle or an unknown scope stops the \
         start.",
    )
    .example("[scopes.hierarchy]\n\"contactsv3:write\" = [\"contactsv3:read\", \"contacts:read\"]"),
    Setting::new(
        "limits.failed_attempts_per_minute",
        Kind::Integer { min: 1, max: u32::MAX as i64 },
        Fallback::Integer(20),
        "How many failed log-ins and refused credentials a minute an address may have before further ones are slowed. \
         A valid credential is never slowed.",
    ),
    Setting::new(
        "events.keep_days",
        Kind::Integer { min: 2, max: 3650 },
        Fallback::Integer(30),
        "How many days an event stays in the log, where it can be pulled and delivered again. What is older is dropped.",
    ),
    Setting::new(
        "webhooks.allow_private",
        Kind::Networks,
        Fallback::EmptyList,
        "Private ranges that outbound requests may reach, used by webhook delivery. All other private, loopback and \
         link-local addresses are refused. Plain http:// is allowed in these ranges and nowhere else.",
    )
    .example("[webhooks]\nallow_private = [\"127.0.0.0/8\"]"),
    Setting::new(
        "webhooks.in_flight",
        Kind::Integer { min: 1, max: 256 },
        Fallback::Integer(32),
        "How many deliveries to one endpoint may be under way at once, unless the endpoint has a number of its own \
         (max_in_flight).",
    ),
    Setting::new(
        "webhooks.keep_deliveries_days",
        Kind::Integer { min: 2, max: 3650 },
        Fallback::Integer(7),
        "How many days the log of an endpoint's deliveries goes back.",
    ),
    Setting::new(
        "sending.messages_per_second",
        Kind::Integer { min: 0, max: 1000 },
        Fallback::Integer(80),
        "How many messages a second each number may send: what the network allows it. 0 sets no limit, which only a \
         sandbox without limits bears.",
    ),
    Setting::new(
        "sending.pair_burst",
        Kind::Integer { min: 0, max: 1000 },
        Fallback::Integer(45),
        "How many messages may go to the same person at once. 0 sets no limit.",
    ),
    Setting::new(
        "sending.pair_seconds",
        Kind::Integer { min: 0, max: 3600 },
        Fallback::Integer(6),
        "After that burst, one message in so many seconds goes to the same person.",
    ),
    Setting::new(
        "sandbox.enabled",
        Kind::Boolean,
        Fallback::Boolean(true),
        "Whether there is a sandbox: a network of simulated people, inside the server, on which everything can be tried \
         with no account anywhere. Switched off, no new tenant gets a channel to it, and nothing of it answers.",
    ),
    Setting::new(
        "sandbox.listen",
        Kind::LoopbackAddress,
        Fallback::Text("127.0.0.1:0"),
        "The address and port on which the sandbox takes what the server sends to its network. Port 0 picks a free one.",
    ),
    Setting::new(
        "sandbox.scenario",
        Kind::Choice(&["quiet", "lively"]),
        Fallback::Text("quiet"),
        "What the people of the sandbox do of themselves: quiet ones receive and read, and do more only when told; \
         lively ones also reply, tap, open links, call and pay.",
    ),
    Setting::new(
        "sandbox.limits",
        Kind::Boolean,
        Fallback::Boolean(true),
        "Whether the sandbox refuses what is sent too fast, as the network does: 80 messages a second for a number, one \
         in 6 seconds to a person after a burst of 45.",
    ),
    Setting::new(
        "networks",
        Kind::BaseUrls,
        Fallback::Networks,
        "The networks that a channel can be on, and where each answers. The sandbox is one of them without being named. \
         One given here replaces the built-in one of its name, or is added to it.",
    )
    .example("[networks]\nwhatsapp = \"https://graph.facebook.com/v23.0\""),
    Setting::new(
        "plans",
        Kind::Plans,
        Fallback::Plans,
        "The plans of tenants: the features that are on, the calls a month, and for each endpoint family the calls in \
         a window of 10 seconds. A limit that is left out does not exist. A plan given here replaces the built-in plan \
         of its name as a whole, or is added to the others.",
    )
    .example(
        "[plans.starter]\n\
         features = [\"calls\", \"contacts\", \"webhooks\"]\n\
         monthly_calls = 1000\n\
         rates = { contacts = 5, messages_read = 5, template_sends = 10, other = 50 }",
    ),
];
