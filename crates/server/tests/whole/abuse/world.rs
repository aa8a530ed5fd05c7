//! The server under attack: the first tenant attacks, the second one is its neighbour.

use std::net::{IpAddr, SocketAddr};
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use std::time::Duration;

use reqwest::{Client, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use testkit::mail::{MailReceiver, ReceivedMail};

use crate::home::Home;
use crate::server::Server;
use crate::{eventually, http};

pub const NEIGHBOUR: &str = "100138";
/// Clients of the neighbour have an address of their own.
const NEIGHBOUR_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 9));
/// The address of a proxy that the server trusts: its clients come from the networks that it names.
const PROXY_ADDRESS: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 8));
/// People of the neighbour with a password: an administrator, and two operators.
pub const ADMIN: &str = "admin@example.com";
pub const GRACE: &str = "grace@example.com";
pub const ADA: &str = "ada@example.com";
pub const PASSWORD: &str = "tulip anchor meadow seven";
/// Attributes of each contact of the attacker, which makes exports large.
const ATTRIBUTE: usize = 4_000;
const CONTACTS: usize = 600;
pub const TEMPLATE: &str = "spring";

/// Small bounds, so that a short attack reaches them.
const SETTINGS: [(&str, &str); 13] = [
    ("SWITCHBOARD_SERVER_MAX_CONNECTIONS", "400"),
    ("SWITCHBOARD_SERVER_MAX_CONNECTIONS_PER_ADDRESS", "300"),
    ("SWITCHBOARD_SERVER_HEADER_TIMEOUT_SECONDS", "3"),
    ("SWITCHBOARD_SERVER_IDLE_TIMEOUT_SECONDS", "3"),
    ("SWITCHBOARD_SERVER_READER_TIMEOUT_SECONDS", "2"),
    ("SWITCHBOARD_SERVER_TRUSTED_PROXIES", "127.0.0.8"),
    ("SWITCHBOARD_LIMITS_BODY_MEMORY_MIB", "64"),
    ("SWITCHBOARD_LIMITS_BODY_MEMORY_PER_TENANT_MIB", "24"),
    ("SWITCHBOARD_LIMITS_HOOK_BODY_SECONDS", "2"),
    ("SWITCHBOARD_LIMITS_CONDITIONS_PER_TENANT", "1000"),
    ("SWITCHBOARD_SMTP_HOST", "127.0.0.1"),
    ("SWITCHBOARD_SMTP_SECURITY", "none"),
    ("SWITCHBOARD_SMTP_FROM", "switchboard@example.com"),
];

/// How long requests took without an attack.
#[derive(Debug)]
pub struct QuietTimes {
    pub health: Vec<Duration>,
    pub neighbour: Vec<Duration>,
}

pub struct Siege {
    home: Home,
    pub server: Server,
    pub health: SocketAddr,
    pub token: String,
    pub neighbour_token: String,
    neighbour_client: Client,
    proxy: Client,
    mails: Mutex<MailReceiver>,
    /// The channels' hooks of attacker and neighbour.
    pub hook: String,
    pub neighbour_hook: String,
    /// What health and the neighbour saw without an attack.
    pub quiet: OnceLock<QuietTimes>,
}

impl Siege {
    pub async fn start(home: Home) -> Self {
        let command = home.binary();
        let world = Self::open(home, command).await;
        world.prepare().await;
        world
    }

    /// Without contacts. The server has at most this many open files, and its endpoints may be on this machine.
    pub async fn with_open_files(home: Home, most: u32) -> Self {
        let mut command = home.binary_with_open_files(most);
        command.env("SWITCHBOARD_WEBHOOKS_ALLOW_PRIVATE", "127.0.0.0/8");
        Self::open(home, command).await
    }

    async fn open(home: Home, mut command: Command) -> Self {
        let (health, mails) = (free_address(), MailReceiver::start().await);
        command.args(["serve", "--listen", "127.0.0.1:0"]).envs(SETTINGS);
        command.env("SWITCHBOARD_HEALTH_LISTEN", health.to_string());
        command.env("SWITCHBOARD_SMTP_PORT", mails.port.to_string());
        let server = Server::start_command(&home, command);
        let token = server.token();
        home.run(&format!("tenant create {NEIGHBOUR} --name Acme"));
        create_account(&home, ADMIN, "ADMINISTRATOR");
        let made = format!("token create --tenant {NEIGHBOUR} --account {ADMIN} --name ci --scope api");
        let neighbour_token = home.run(&made)["token"].as_str().unwrap().to_owned();
        let hook = hook_path(&home, "100001");
        let neighbour_hook = hook_path(&home, NEIGHBOUR);
        let neighbour_client = neighbour_client();
        let proxy = Client::builder().no_proxy().local_address(PROXY_ADDRESS).build().unwrap();
        let (mails, quiet) = (Mutex::new(mails), OnceLock::new());
        Self {
            home,
            server,
            health,
            token,
            neighbour_token,
            neighbour_client,
            proxy,
            mails,
            hook,
            neighbour_hook,
            quiet,
        }
    }

    pub async fn stop(self) {
        assert!(self.server.terminate().0.success());
        self.home.remove().await;
    }

    /// Contacts with many attributes, an approved template, and people of the neighbour.
    async fn prepare(&self) {
        for email in [GRACE, ADA] {
            create_account(&self.home, email, "OPERATOR");
        }
        let value = "x".repeat(ATTRIBUTE);
        let client = http();
        let add = |i: usize| {
            let params: Vec<Value> = (0..4).map(|n| json!({"name": format!("a{n}"), "value": value})).collect();
            let body = json!({"whatsapp_number": format!("1415555{i:04}"), "name": "Ada", "custom_params": params});
            self.attack(client.post(self.server.url("/api/ext/v3/contacts")).json(&body))
        };
        for some in (0..CONTACTS).collect::<Vec<_>>().chunks(30) {
            let made = futures_util::future::join_all(some.iter().map(|i| add(*i))).await;
            assert!(made.iter().all(|(status, _)| *status == StatusCode::OK), "{made:?}");
        }
        let template = json!({"name": TEMPLATE, "category": "MARKETING", "language": "en", "body": "Spring is here."});
        let templates = self.server.url("/api/ext/v3/messageTemplates");
        let made = self.attack(client.post(&templates).json(&template)).await;
        assert_eq!(made.0, StatusCode::OK, "{}", made.1);
        eventually("the template is approved", async || {
            let page = self.attack(client.get(&templates)).await.1;
            (page["templates"][0]["status"] == "APPROVED").then_some(())
        })
        .await;
    }

    /// A request with the attacker's token.
    pub async fn attack(&self, request: RequestBuilder) -> (StatusCode, Value) {
        let answer = request.bearer_auth(&self.token).send().await.unwrap();
        let status = answer.status();
        (status, answer.json().await.unwrap_or_default())
    }

    /// Creates an endpoint of the neighbour for events of calls.
    pub async fn neighbour_endpoint(&self, url: &str) {
        let request = self.neighbour_post("/api/ext/v3/webhooks").bearer_auth(&self.neighbour_token);
        let made = request.json(&json!({"url": url, "eventTypes": ["call.status"]})).send().await.unwrap();
        assert_eq!(made.status(), StatusCode::OK, "{}", made.text().await.unwrap());
    }

    /// A post of the console in a browser of one of many networks, which comes through the proxy.
    pub fn post_from(&self, network: usize, path: &str) -> RequestBuilder {
        let request = self.proxy.post(self.server.url(path)).header("origin", self.server.url(""));
        request.header("x-forwarded-for", format!("2001:db8:{network:x}::1"))
    }

    pub fn neighbour_post(&self, path: &str) -> RequestBuilder {
        self.neighbour_client.post(self.server.url(path))
    }

    /// The mails that have arrived since the last call.
    pub fn arrived_mails(&self) -> Vec<ReceivedMail> {
        self.mails.lock().unwrap().waiting()
    }

    /// Number of open files of the server.
    pub fn open_files(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.server.pid())).unwrap().count()
    }

    /// Resident memory of the server in MiB.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.server.pid())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
        line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() / 1024
    }
}

/// A client at the neighbour's address.
pub fn neighbour_client() -> Client {
    let client = Client::builder().no_proxy().local_address(NEIGHBOUR_ADDRESS);
    // Shorter than the server's idle time-out: no request meets a connection that is being closed.
    let client = client.pool_idle_timeout(Duration::from_secs(1));
    client.timeout(Duration::from_mins(1)).build().unwrap()
}

fn free_address() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

fn create_account(home: &Home, email: &str, role: &str) {
    let create = format!("account create --tenant {NEIGHBOUR} --email {email} --role {role} --password-stdin");
    home.run_with(&create, PASSWORD);
}

fn hook_path(home: &Home, tenant: &str) -> String {
    let channels = home.run(&format!("channel list --tenant {tenant}"));
    let url = channels[0]["hook_url"].as_str().unwrap_or_else(|| panic!("{channels}"));
    url[url.find("/hooks/").unwrap()..].to_owned()
}
