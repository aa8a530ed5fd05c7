//! A real OIDC provider (the npm package oidc-provider) in a Node process on loopback.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test without its provider must fail")]

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use app::identity::credentials::oidc::IssuerConfig;
use app::identity::credentials::oidc::log_in::{ProviderConfig, Provisioning};
use domain::TenantId;
use domain::identity::roles::Role;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const SECRET: &str = "only-for-this-test";

/// A running provider. Its process ends when its standard input closes, also if the test panics.
#[derive(Debug)]
pub struct Provider {
    pub issuer: String,
    http: reqwest::Client,
    _process: Child,
}

/// A client of the provider that gets tokens for one tenant and role.
pub fn client(name: &str, alg: &str, tenant: &str, role: &str, scope: &str) -> Value {
    json!({
        "client_id": name, "client_secret": SECRET, "alg": alg, "tenant_id": tenant, "role": role, "scope": scope,
    })
}

/// A client of the provider for log-ins to the console. `claims_in_id_token`: whether the claims of the person are in
/// the ID token.
pub fn log_in_client(name: &str, alg: &str, callback: &str, claims_in_id_token: bool) -> Value {
    json!({
        "client_id": name, "client_secret": SECRET, "alg": alg, "redirect_uris": [callback],
        "claims_in_id_token": claims_in_id_token,
    })
}

impl Provider {
    pub async fn start(clients: &Value) -> Self {
        let script = crate::tools::node_folder().join("oidc").join("provider.mjs");
        let mut command = Command::new("node");
        command.arg(script).arg(clients.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = tokio::time::timeout(Duration::from_mins(1), lines.next_line()).await.unwrap().unwrap().unwrap();
        let started: Value = serde_json::from_str(&first).unwrap();
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none());
        // Node closes a connection that is idle for 5 seconds, also while the next request is on its way.
        let http = client.pool_max_idle_per_host(0).build().unwrap();
        Self { issuer: started["issuer"].as_str().unwrap().to_owned(), http, _process: process }
    }

    /// Gets an access token for a client. The provider omits scopes that the client is not registered for.
    pub async fn token(&self, client: &str, scope: &str) -> String {
        let request = self.http.post(format!("{}/token", self.issuer)).basic_auth(client, Some(SECRET));
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let scope = scope.replace(' ', "+");
        let response = request.body(format!("grant_type=client_credentials&scope={scope}")).send().await.unwrap();
        let answer: Value = response.json().await.unwrap();
        answer["access_token"].as_str().unwrap_or_else(|| panic!("no token: {answer}")).to_owned()
    }

    /// Sets the claims of the person whom the provider logs in from now on; null: no person is logged in.
    pub async fn seat(&self, person: &Value) {
        let request = self.http.post(format!("{}/test/person", self.issuer)).json(person);
        assert!(request.send().await.unwrap().status().is_success());
    }

    /// Acts as a browser: opens a URL of the provider, follows its redirects with cookies, and returns the first URL on
    /// another host.
    pub async fn browse(&self, url: &str) -> String {
        let (mut url, mut cookies) = (url.to_owned(), BTreeMap::new());
        for _ in 0..10 {
            let jar: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let answer = self.http.get(&url).header("cookie", jar.join("; ")).send().await.unwrap();
            for cookie in answer.headers().get_all("set-cookie") {
                let pair = cookie.to_str().unwrap().split(';').next().unwrap();
                let (name, value) = pair.split_once('=').unwrap();
                cookies.insert(name.to_owned(), value.to_owned());
            }
            let Some(to) = answer.headers().get("location").map(|to| to.to_str().unwrap().to_owned()) else {
                panic!("the provider shows a page: {}", answer.text().await.unwrap());
            };
            url = if to.starts_with('/') { format!("{}{to}", self.issuer) } else { to };
            if !url.starts_with(&self.issuer) {
                return url;
            }
        }
        panic!("the provider sends the browser around in circles");
    }

    /// Settings of the application for log-ins of one tenant with this client.
    pub fn log_in_config(&self, id: &str, client: &str, tenant: TenantId) -> ProviderConfig {
        ProviderConfig {
            id: id.to_owned(),
            name: "Acme & <Sons>".to_owned(),
            issuer: self.issuer.clone(),
            client_id: client.to_owned(),
            client_secret: SECRET.to_owned().into(),
            tenant,
            provisioning: Provisioning::default(),
        }
    }

    /// Makes the provider replace all of its signing keys.
    pub async fn rotate(&self) {
        let response = self.http.post(format!("{}/test/rotate", self.issuer)).send().await.unwrap();
        assert!(response.status().is_success());
    }

    /// Settings of the application that accept access tokens of the provider for one tenant.
    pub fn config(&self, tenant: TenantId) -> IssuerConfig {
        let roles = Role::ALL.into_iter().map(|role| (role.name().to_owned(), role));
        IssuerConfig {
            issuer: self.issuer.clone(),
            audience: "switchboard".to_owned(),
            tenant: None,
            tenant_claim: "tenant_id".to_owned(),
            tenants: vec![tenant],
            role_claim: "role".to_owned(),
            role_map: roles.collect::<BTreeMap<_, _>>(),
            max_role: Role::Developer,
            max_lifetime_seconds: 86_400,
            clients: Vec::new(),
        }
    }
}
