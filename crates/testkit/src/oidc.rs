//! A real OIDC provider (the npm package oidc-provider) on loopback.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test without its provider must fail")]

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use app::credentials::oidc::IssuerConfig;
use domain::TenantId;
use domain::roles::Role;
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const SECRET: &str = "only-for-this-test";

/// The provider ends when its standard input closes, also if the test panics.
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

impl Provider {
    pub async fn start(clients: &Value) -> Self {
        let script = crate::tools::node_folder().join("oidc").join("provider.mjs");
        let mut command = Command::new("node");
        command.arg(script).arg(clients.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = tokio::time::timeout(Duration::from_mins(1), lines.next_line()).await.unwrap().unwrap().unwrap();
        let started: Value = serde_json::from_str(&first).unwrap();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { issuer: started["issuer"].as_str().unwrap().to_owned(), http, _process: process }
    }

    /// The provider omits scopes that the client is not registered for.
    pub async fn token(&self, client: &str, scope: &str) -> String {
        let request = self.http.post(format!("{}/token", self.issuer)).basic_auth(client, Some(SECRET));
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let scope = scope.replace(' ', "+");
        let response = request.body(format!("grant_type=client_credentials&scope={scope}")).send().await.unwrap();
        let answer: Value = response.json().await.unwrap();
        answer["access_token"].as_str().unwrap_or_else(|| panic!("no token: {answer}")).to_owned()
    }

    /// Replaces all keys.
    pub async fn rotate(&self) {
        let response = self.http.post(format!("{}/test/rotate", self.issuer)).send().await.unwrap();
        assert!(response.status().is_success());
    }

    /// Settings that trust the provider for one tenant.
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
        }
    }
}
