//! The declaration of every setting: documentation (for help and sample file), name, type, allowed values, default,
//! flag and example. `setting.rs` generates the structs and the list of settings from it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::PathBuf;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use super::kind::Kind;
use super::secret::{DatabaseUrl, Secret};
use super::setting::{Fallback, Setting, settings};
use super::shapes::{OidcIssuer, OidcProvider, Plan};

// In the order of help and sample: top-level settings first, tables last, as TOML requires.
settings! {
    top {
        /// The address and port the server listens on. Port 0 picks a free port.
        listen: SocketAddr = Kind::Address, Fallback::Text("127.0.0.1:8080"), flag "--listen";
        /// The URL at which clients reach the server, used in links. If unset, it is derived from https.acme_domains,
        /// https.listen or listen.
        // Without a trailing slash; see `Settings::public_url`.
        public_url: Option<String> = Kind::Origin, Fallback::Unset, flag "--public-url";
        /// The folder for the embedded database and, unless another key is configured, the secret key. If the folder is
        /// missing or empty, the server creates an installation in the default folder only; another one needs --create.
        data: PathBuf = Kind::Path, Fallback::Text("./data"), flag "--data";
        /// A PostgreSQL database, for example postgres://switchboard:PASSWORD@db.example.com/switchboard. If unset,
        /// Switchboard uses an embedded SQLite database in the data folder.
        database: Option<DatabaseUrl> = Kind::Database, Fallback::Unset, flag "--database";
        /// The key from which all other keys are derived (token hashes, stored secrets, cursors). With the embedded
        /// database, Switchboard generates a key in the data folder if neither this nor secret_key_file is set; with
        /// PostgreSQL, one of the two is required. Keep the key out of database backups, and do not lose it.
        secret_key: Option<Secret> = Kind::Key, Fallback::Unset;
        /// A file that contains the secret key, instead of secret_key. Only one of the two may be set.
        secret_key_file: Option<PathBuf> = Kind::Path, Fallback::Unset;
        /// The previous secret key, during a key rotation.
        secret_key_previous: Option<Secret> = Kind::Key, Fallback::Unset;
    }
    sections {
        server: Server {
            /// The host names the server responds to; requests for any other host get status 421. Empty: any host.
            // Lower case.
            hosts: Vec<String> = Kind::Hosts, Fallback::EmptyList;
            /// The proxy networks whose X-Forwarded-For header is trusted. The rightmost address in the header that is
            /// not a trusted proxy is the client's.
            trusted_proxies: Vec<IpNet> = Kind::Networks, Fallback::EmptyList;
            /// How many seconds a request may take before it is aborted.
            request_timeout_seconds: u64 = Kind::Integer { min: 1, max: 600 }, Fallback::Integer(30);
            /// How many connections may be open at once. Beyond that, a new connection replaces an idle one, or waits.
            max_connections: usize = Kind::Integer { min: 10, max: 1_000_000 }, Fallback::Integer(10_000);
            /// How many connections one address may have open at once (for IPv6, one /64 network). Beyond that, a new
            /// connection replaces an idle one from the same address, or is closed. Trusted proxies are exempt.
            max_connections_per_address: usize = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(1_000);
            /// How many seconds a client may take to send its first request on a connection, and the header of each
            /// request.
            header_timeout_seconds: u64 = Kind::Integer { min: 1, max: 600 }, Fallback::Integer(10);
            /// How many seconds a connection may stay open without a request. HTTP/2 pings do not count.
            idle_timeout_seconds: u64 = Kind::Integer { min: 1, max: 3600 }, Fallback::Integer(75);
            /// How many seconds a client may go without reading any of its response before it is disconnected.
            reader_timeout_seconds: u64 = Kind::Integer { min: 1, max: 600 }, Fallback::Integer(30);
            /// How many seconds a stopping server keeps accepting connections while /readyz returns 503, so that a load
            /// balancer stops sending requests to it before it stops. At least as long as the load balancer needs to
            /// notice. 0: it stops accepting immediately.
            drain_seconds: u64 = Kind::Integer { min: 0, max: 120 }, Fallback::Integer(0);
            /// How many seconds the server waits for requests and workers to finish when it stops.
            shutdown_seconds: u64 = Kind::Integer { min: 1, max: 60 }, Fallback::Integer(10);
        }
        /// HTTPS is served where `listen` is set, with certificate files or with ordered certificates.
        https: Https {
            /// The address and port for HTTPS, for example 0.0.0.0:443, in addition to plain HTTP on listen. Requires a
            /// certificate: either https.certificate and https.key, or https.acme_domains.
            listen: Option<SocketAddr> = Kind::Address, Fallback::Unset;
            /// A PEM file with the certificate and its chain, this server's certificate first. A changed file is used
            /// for new connections within seconds, without a restart.
            certificate: Option<PathBuf> = Kind::Path, Fallback::Unset;
            /// A PEM file with the private key for https.certificate.
            key: Option<PathBuf> = Kind::Path, Fallback::Unset;
            /// Whether plain HTTP requests from other machines are redirected to public_url. /healthz and /readyz are
            /// never redirected.
            redirect: bool = Kind::Boolean, Fallback::Boolean(false);
            /// The host names for which the server obtains and renews a certificate through ACME (Let's Encrypt),
            /// instead of https.certificate. The certificate authority must be able to reach https.listen on port 443
            /// of each host name (TLS-ALPN-01).
            acme_domains: Vec<String> = Kind::Hosts, Fallback::EmptyList;
            /// The e-mail address registered with the certificate authority, for its notices.
            acme_contact: Option<String> = Kind::Name, Fallback::Unset;
            /// The certificate authority's directory URL. To use it, you must agree to the authority's terms of
            /// service.
            acme_directory: String = Kind::Url, Fallback::Text("https://acme-v02.api.letsencrypt.org/directory");
            /// A PEM file with certificates to trust in addition to the system's when the server connects to
            /// https.acme_directory, for a private certificate authority.
            acme_root: Option<PathBuf> = Kind::Path, Fallback::Unset;
        }
        postgres: Postgres {
            /// The maximum number of connections to PostgreSQL. Not used with the embedded database.
            max_connections: usize = Kind::Integer { min: 2, max: 200 }, Fallback::Integer(16);
            /// Whether statements are prepared once per connection. Set it to false behind a pooler that hands a
            /// connection to another client after each transaction, such as PgBouncer in transaction mode.
            prepared: bool = Kind::Boolean, Fallback::Boolean(true);
            /// How many seconds one of the server's statements may take before PostgreSQL cancels it; the request then
            /// gets status 503. Migrations and commands, such as backup, have no limit.
            statement_timeout_seconds: u64 = Kind::Integer { min: 1, max: 600 }, Fallback::Integer(20);
        }
        log: Log {
            /// The log format on standard error: text, or one JSON object per line.
            format: LogFormat = Kind::Choice(&["text", "json"]), Fallback::Text("text");
            /// How much is logged: one level for everything, or a filter with a level per module.
            level: String = Kind::LogFilter, Fallback::Text("info");
        }
        health: HealthCheck {
            /// A separate address and port that serves /healthz and /readyz for monitoring. It runs on a dedicated
            /// thread, so it responds even when the main address is under load. The main address always serves both as
            /// well. Keep this address private: here, /readyz names database servers that are away.
            listen: Option<SocketAddr> = Kind::Address, Fallback::Unset;
        }
        /// If neither setting is set, there is no `/metrics`.
        metrics: Metrics {
            /// A separate address and port that serves /metrics for Prometheus. If neither this nor metrics.token is
            /// set, /metrics is not served.
            listen: Option<SocketAddr> = Kind::Address, Fallback::Unset;
            /// The bearer token that clients must send to read /metrics. If it is set and metrics.listen is not,
            /// /metrics is served on the main address.
            token: Option<Secret> = Kind::Token, Fallback::Unset;
        }
        telemetry: Telemetry {
            /// The OpenTelemetry collector that receives traces through OTLP over HTTP. If unset, no traces are sent.
            otlp_endpoint: Option<String> = Kind::Url, Fallback::Unset;
            /// The name of this service in traces.
            service_name: String = Kind::Name, Fallback::Text("switchboard");
        }
        auth: Auth {
            /// How many minutes a console session may be idle before it ends. 0: no idle limit; every session ends
            /// after 12 hours.
            session_idle_minutes: u32 = Kind::Integer { min: 0, max: 720 }, Fallback::Integer(120);
            /// How many days a new legacy JWT is valid. 0: it never expires. JWTs issued without an expiry stay valid
            /// until they are revoked.
            legacy_jwt_days: u32 = Kind::Integer { min: 0, max: 3650 }, Fallback::Integer(365);
        }
        oidc: Oidc {
            /// The OpenID Connect issuers whose tokens are accepted. An issuer serves either one tenant, or several
            /// tenants, of which each token names one in tenant_claim (default tenant_id). role_map maps the value of
            /// role_claim (default role) to a role, capped at max_role (default OPERATOR). Roles: ADMINISTRATOR,
            /// DEVELOPER, API_TOKEN, OPERATOR, TRIAL, the highest first. A value that is not in role_map gives
            /// OPERATOR, and so does a token without the claim. For programs that integrate, map a value to API_TOKEN
            /// and set max_role to it. A token that is valid for longer than max_lifetime_minutes (default 1440) is
            /// refused; if clients is set, so is a token issued to any other client (azp or client_id). ID tokens are
            /// always refused.
            issuers: Vec<OidcIssuer> = Kind::Issuers, Fallback::EmptyList, example
                "[[oidc.issuers]]\n\
                 issuer = \"https://login.example.com/realms/acme\"\n\
                 audience = \"switchboard\"\n\
                 tenants = [\"100138\", \"100139\"]\n\
                 role_map = { agent = \"OPERATOR\", integrator = \"DEVELOPER\" }\n\
                 max_role = \"DEVELOPER\"";
            /// The OpenID Connect providers with which people log in to the console instead of using a password. A
            /// person gets the account in tenant that has the same e-mail address, which the provider must have
            /// verified. Accounts are created only if role_map or default_role is set: role_map maps the value of
            /// role_claim (default groups) to the role of a new account, default_role applies to people without such
            /// a group, and create_domains limits both to these e-mail domains. Register
            /// {public_url}/console/oidc/{id}/callback with the provider. A provider at a private address must also be
            /// allowed by webhooks.allow_private.
            providers: Vec<OidcProvider> = Kind::Providers, Fallback::EmptyList, example
                "[[oidc.providers]]\n\
                 id = \"acme\"\n\
                 name = \"Acme\"\n\
                 issuer = \"https://login.example.com/realms/acme\"\n\
                 client_id = \"switchboard-console\"\n\
                 client_secret = \"…\"\n\
                 tenant = \"100138\"\n\
                 create_domains = [\"example.com\"]\n\
                 role_map = { support = \"OPERATOR\" }";
        }
        /// Without a host no mail is sent.
        smtp: Smtp {
            /// The host name of the mail server that sends invitations and password reset links. If unset, no mail is
            /// sent, and administrators copy the links.
            host: Option<String> = Kind::Host, Fallback::Unset;
            /// The mail server's port: usually 587 with starttls, 465 with tls, 25 with none.
            port: u16 = Kind::Integer { min: 1, max: 65535 }, Fallback::Integer(587);
            /// How the connection is secured: starttls and tls refuse to send without encryption; none is for a mail
            /// server on this machine or in a network you trust.
            security: SmtpSecurity = Kind::Choice(&["starttls", "tls", "none"]), Fallback::Text("starttls");
            /// The user name for the mail server, if it requires one.
            user: Option<String> = Kind::Name, Fallback::Unset;
            /// The password for the mail server.
            password: Option<Secret> = Kind::Password, Fallback::Unset;
            /// The sender of outgoing mail, for example Switchboard <switchboard@example.com>. Required with smtp.host.
            from: Option<String> = Kind::Name, Fallback::Unset;
        }
        scopes: Scopes {
            /// Which other scopes each API token scope includes. Replaces the built-in hierarchy, in which every
            /// x:write includes x:read and nothing else. Empty: the built-in hierarchy. With a cycle or an unknown
            /// scope, the server does not start.
            hierarchy: BTreeMap<String, Vec<String>> = Kind::Hierarchy, Fallback::EmptyTable, example
                "[scopes.hierarchy]\n\"contactsv3:write\" = [\"contactsv3:read\", \"contacts:read\"]";
        }
        limits: Limits {
            /// How many failed log-ins and refused credentials an address may have per minute before further ones are
            /// delayed. A valid credential is never delayed.
            failed_attempts_per_minute: u32 = Kind::Integer { min: 1, max: u32::MAX as i64 }, Fallback::Integer(20);
            /// How much memory, in MiB, request and response bodies may use at the same time. When none is left, a
            /// request gets status 503.
            body_memory_mib: usize = Kind::Integer { min: 16, max: 1_000_000 }, Fallback::Integer(256);
            /// How much of that memory, in MiB, one tenant's bodies may use.
            body_memory_per_tenant_mib: usize = Kind::Integer { min: 8, max: 1_000_000 }, Fallback::Integer(64);
            /// How much of that memory, in MiB, one connection's bodies may use.
            body_memory_per_connection_mib: usize = Kind::Integer { min: 8, max: 1_000_000 }, Fallback::Integer(32);
            /// How many exports, downloads and event streams a tenant may have open at the same time. Any further one
            /// gets status 429 with the reason limit_reached.
            streams_per_tenant: usize = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(100);
            /// How many segments a tenant may have. Beyond this and the following per-tenant limits, a request gets
            /// status 429 with the reason limit_reached.
            segments_per_tenant: u64 = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(200);
            /// How many conditions a tenant's segments may have in total.
            conditions_per_tenant: u64 = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(2_000);
            /// How many webhooks a tenant may have.
            webhooks_per_tenant: u64 = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(100);
            /// How many templates a tenant may have.
            templates_per_tenant: u64 = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(2_000);
            /// How many imports a tenant may have in progress.
            imports_per_tenant: u64 = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(10);
            /// How many API tokens a tenant may have, not counting revoked ones.
            tokens_per_tenant: u64 = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(500);
            /// How many teams a tenant may have.
            teams_per_tenant: u64 = Kind::Integer { min: 1, max: 1_000_000 }, Fallback::Integer(500);
            /// How many MiB of files a tenant may store in total.
            media_mib_per_tenant: u64 = Kind::Integer { min: 1, max: 1_000_000_000 }, Fallback::Integer(20_480);
            /// How much memory, in MiB, posts to channel hooks may use at the same time.
            hook_memory_mib: usize = Kind::Integer { min: 8, max: 1_000_000 }, Fallback::Integer(64);
            /// How much of that memory, in MiB, posts to one channel's hook may use.
            hook_memory_per_channel_mib: usize = Kind::Integer { min: 4, max: 1_000_000 }, Fallback::Integer(16);
            /// How many seconds the body of a post to a channel hook may take to arrive.
            hook_body_seconds: u64 = Kind::Integer { min: 1, max: 600 }, Fallback::Integer(15);
        }
        events: Events {
            /// How many days events stay in the log, where they can be pulled and redelivered. Older events are
            /// deleted.
            keep_days: u32 = Kind::Integer { min: 2, max: 3650 }, Fallback::Integer(30);
        }
        retention: Retention {
            /// How many days messages and notes are kept. Older ones are deleted with their files, unless they are
            /// still waiting to be sent. 0, here and below: kept forever. A tenant can override each of these numbers
            /// (switchboard tenant update).
            messages_days: u32 = Kind::Integer { min: 0, max: 36_500 }, Fallback::Integer(0);
            /// How many days network reports other than messages are kept: template verdicts, payments, errors.
            network_reports_days: u32 = Kind::Integer { min: 0, max: 36_500 }, Fallback::Integer(0);
            /// How many days parked records are kept: records from the network that could not be applied.
            parked_days: u32 = Kind::Integer { min: 0, max: 36_500 }, Fallback::Integer(0);
            /// How many days hits on tracked links are kept, with address and headers. Their counts are kept
            /// forever.
            clicks_days: u32 = Kind::Integer { min: 0, max: 36_500 }, Fallback::Integer(0);
            /// How many days audit log entries are kept. The remaining entries can still be verified.
            audit_days: u32 = Kind::Integer { min: 0, max: 36_500 }, Fallback::Integer(0);
        }
        clicks: Clicks {
            /// How many hits on one tracked link are stored with their details. Further hits are counted by class and
            /// day; a person's first hit is always stored.
            rows_per_link: u64 = Kind::Integer { min: 1, max: 1_000_000_000 }, Fallback::Integer(1_000);
        }
        webhooks: Webhooks {
            /// Private address ranges that outbound requests, such as webhook deliveries, may reach. All other private,
            /// loopback and link-local addresses are refused. Plain http:// is allowed only in these ranges.
            allow_private: Vec<IpNet> = Kind::Networks, Fallback::EmptyList, example
                "[webhooks]\nallow_private = [\"127.0.0.0/8\"]";
            /// How many deliveries to one endpoint may be in flight, unless the endpoint has its own limit
            /// (max_in_flight).
            in_flight: usize = Kind::Integer { min: 1, max: 256 }, Fallback::Integer(32);
            /// How many days deliveries are kept.
            keep_deliveries_days: u32 = Kind::Integer { min: 2, max: 3650 }, Fallback::Integer(7);
        }
        /// Zero switches a limit off.
        sending: Sending {
            /// How many messages each number sends per second; set it to the network's limit. 0: no limit, which suits
            /// only a sandbox without limits.
            messages_per_second: u32 = Kind::Integer { min: 0, max: 1000 }, Fallback::Integer(80);
            /// How many messages may go to the same person in one burst. 0: no limit.
            pair_burst: u32 = Kind::Integer { min: 0, max: 1000 }, Fallback::Integer(45);
            /// The number of seconds between two messages to the same person after that burst.
            pair_seconds: u32 = Kind::Integer { min: 0, max: 3600 }, Fallback::Integer(6);
        }
        media: Media {
            /// Where message files are stored: in the database, in a folder (media.folder), or in a bucket of an
            /// S3-compatible store (media.bucket). A change applies to new files only; existing files are read from
            /// where they are.
            store: MediaStore = Kind::Choice(&["database", "folder", "s3"]), Fallback::Text("database");
            /// The folder for media.store = "folder". If unset, the folder media in the data folder. All nodes of an
            /// installation need the same folder.
            folder: Option<PathBuf> = Kind::Path, Fallback::Unset;
            /// The bucket name for media.store = "s3".
            bucket: Option<String> = Kind::Name, Fallback::Unset;
            /// The address of the S3-compatible store. If unset, the AWS address for media.bucket_region.
            bucket_endpoint: Option<String> = Kind::Url, Fallback::Unset;
            /// The bucket's region. Most stores other than AWS accept any value.
            bucket_region: String = Kind::Name, Fallback::Text("us-east-1");
            /// The prefix of all object names in the bucket, for example switchboard/.
            bucket_prefix: Option<String> = Kind::Name, Fallback::Unset;
            /// The access key. It must be allowed to read, write and delete objects in the bucket.
            bucket_key: Option<String> = Kind::Name, Fallback::Unset;
            /// The access key's secret.
            bucket_secret: Option<Secret> = Kind::Password, Fallback::Unset;
            /// How many MiB of received files are stored for each tenant, unless the tenant has its own quota
            /// (switchboard tenant update). When the quota is used up, further files stay with the network, and
            /// their messages say so.
            quota_mib: u64 = Kind::Integer { min: 0, max: 1 << 40 }, Fallback::Integer(10_240);
            /// How many days received files are kept, unless the tenant has its own limit. 0: until the contact is
            /// deleted.
            keep_days: u32 = Kind::Integer { min: 0, max: 36_500 }, Fallback::Integer(0);
        }
        sandbox: Sandbox {
            /// Whether the sandbox is enabled: a network of simulated people inside the server, for trials without a
            /// network account. If disabled, new tenants get no sandbox channel, and the sandbox accepts no requests.
            enabled: bool = Kind::Boolean, Fallback::Boolean(true);
            /// The address and port of the sandbox's Graph server. Port 0 picks a free port.
            listen: SocketAddr = Kind::LoopbackAddress, Fallback::Text("127.0.0.1:0");
            /// The URL of a program that you test against the sandbox: the sandbox posts its webhooks there instead of
            /// to this server. Each webhook is signed with its channel's app secret and posted again until the response
            /// is 200, as the network does. This server's own sandbox channels then receive nothing.
            hook_url: Option<String> = Kind::Url, Fallback::Unset;
            /// What simulated people do on their own: quiet people receive and read, and do more only on request;
            /// lively people also reply, tap, open links, call and pay.
            scenario: Scenario = Kind::Choice(&["quiet", "lively"]), Fallback::Text("quiet");
            /// Whether the sandbox applies the network's rate limits: 80 messages per second for each number, and one
            /// message every 6 seconds to each person after a burst of 45.
            limits: bool = Kind::Boolean, Fallback::Boolean(true);
            /// Whether the sandbox refuses well-formed requests that the network would refuse, for example one with a
            /// template sample that is not an upload handle, or with a file 30 days after its upload or 7 days after a
            /// person sent it.
            strict: bool = Kind::Boolean, Fallback::Boolean(true);
        }
    }
    tables {
        /// The networks that channels can use, each with its base URL. The sandbox is always one of them. An entry
        /// replaces the built-in network of the same name, or adds a network.
        // Without a trailing slash.
        networks: BTreeMap<String, String> = Kind::BaseUrls, Fallback::Networks, example
            "[networks]\nwhatsapp = \"https://graph.facebook.com/v23.0\"";
        /// The plans for tenants: enabled features, calls per month, and for each operation family the calls per
        /// 10-second window. A limit that is left out does not apply. An entry replaces the whole built-in plan of the
        /// same name, or adds a plan.
        plans: BTreeMap<String, Plan> = Kind::Plans, Fallback::Plans, example
            "[plans.starter]\n\
             features = [\"calls\", \"contacts\", \"webhooks\"]\n\
             monthly_calls = 1000\n\
             rates = { contacts = 5, messages_read = 5, template_sends = 10, other = 50 }";
    }
}

impl Settings {
    /// The address under which clients reach the server, without a trailing slash.
    pub fn public_url(&self) -> String {
        self.public_url_at(self.listen)
    }

    /// The same for a bound socket, because port 0 in `listen` becomes a real port only then.
    pub fn public_url_at(&self, bound: SocketAddr) -> String {
        self.public_url.clone().or_else(|| self.https_url()).unwrap_or_else(|| Self::local_url_at(bound))
    }

    /// The address of the HTTPS listener, if there is one: under the first name of an ordered certificate.
    fn https_url(&self) -> Option<String> {
        let listen = self.https.listen?;
        let name = self.https.acme_domains.first().cloned();
        Some(format!("https://{}", name.unwrap_or_else(|| reachable(listen).to_string())))
    }

    /// The URL under which the machine itself reaches that socket, without proxies.
    pub fn local_url_at(bound: SocketAddr) -> String {
        format!("http://{}", reachable(bound))
    }
}

/// Replaces an unspecified address (0.0.0.0) by the loopback address.
fn reachable(bound: SocketAddr) -> SocketAddr {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    SocketAddr::new(ip, bound.port())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MediaStore {
    Database,
    Folder,
    S3,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SmtpSecurity {
    StartTls,
    Tls,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scenario {
    Quiet,
    Lively,
}
