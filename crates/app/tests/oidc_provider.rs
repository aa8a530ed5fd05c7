//! OIDC against a real provider (the npm package oidc-provider) on loopback: its tokens, and the rotation of its keys.
#![expect(clippy::unwrap_used, reason = "helpers of tests, where a panic is the report")]

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use app::credentials::legacy_jwt::{JwtKind, kind_of};
use app::credentials::oidc::{IssuerConfig, OidcVerifier};
use domain::roles::Role;
use domain::scopes::{Scope, ScopeSet};
use domain::{Clock, TenantId, Timestamp};
use reqwest::header::CONTENT_TYPE;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

const ALGORITHMS: [&str; 3] = ["RS256", "ES256", "EdDSA"];
const SECRET: &str = "only-for-this-test";

/// The provider ends with its standard input, so also when the test panics.
struct Provider {
    issuer: String,
    http: reqwest::Client,
    _process: Child,
}

impl Provider {
    async fn start(clients: &Value) -> Self {
        let script = testkit::tools::node_folder().join("oidc").join("provider.mjs");
        let mut command = Command::new("node");
        command.arg(script).arg(clients.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut process = command.spawn().unwrap();
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let first = tokio::time::timeout(Duration::from_mins(1), lines.next_line()).await.unwrap().unwrap().unwrap();
        let started: Value = serde_json::from_str(&first).unwrap();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { issuer: started["issuer"].as_str().unwrap().to_owned(), http, _process: process }
    }

    async fn token(&self, client: &str, scope: &str) -> String {
        let request = self.http.post(format!("{}/token", self.issuer)).basic_auth(client, Some(SECRET));
        let request = request.header(CONTENT_TYPE, "application/x-www-form-urlencoded");
        let scope = scope.replace(' ', "+");
        let response = request.body(format!("grant_type=client_credentials&scope={scope}")).send().await.unwrap();
        let answer: Value = response.json().await.unwrap();
        answer["access_token"].as_str().unwrap_or_else(|| panic!("no token: {answer}")).to_owned()
    }

    async fn rotate(&self) {
        let response = self.http.post(format!("{}/test/rotate", self.issuer)).send().await.unwrap();
        assert!(response.status().is_success());
    }

    fn config(&self) -> IssuerConfig {
        IssuerConfig {
            issuer: self.issuer.clone(),
            audience: "switchboard".to_owned(),
            tenant: None,
            tenant_claim: "tenant_id".to_owned(),
            tenants: vec![TenantId::from_number(100_138)],
            role_claim: "role".to_owned(),
            role_map: BTreeMap::from([("ADMINISTRATOR".to_owned(), Role::Administrator)]),
            max_role: Role::Developer,
        }
    }
}

/// One client for each algorithm, named after it, and one of a tenant that the issuer may not speak for.
fn clients() -> Value {
    let client = |name: &str, alg: &str, tenant: &str| {
        json!({
            "client_id": name, "client_secret": SECRET, "alg": alg, "tenant_id": tenant,
            "role": "ADMINISTRATOR", "scope": "api callsv3:read",
        })
    };
    let mut clients: Vec<Value> = ALGORITHMS.iter().map(|alg| client(alg, alg, "100138")).collect();
    clients.push(client("foreign", "ES256", "100139"));
    Value::Array(clients)
}

async fn reason(verifier: &OidcVerifier, token: &str) -> &'static str {
    verifier.verify(token).await.map_or_else(|error| error.reason(), |_| "accepted")
}

#[tokio::test]
async fn a_real_providers_tokens_are_verified_through_rotations_of_its_keys() {
    let provider = Provider::start(&clients()).await;
    let clock = Clock::manual(Timestamp::system_now());
    let verifier = OidcVerifier::new(vec![provider.config()], clock.clone()).unwrap();

    for alg in ALGORITHMS {
        let token = provider.token(alg, "callsv3:read").await;
        assert_eq!(kind_of(&token), Some(JwtKind::Issuer(provider.issuer.clone())));
        let identity = verifier.verify(&token).await.unwrap();
        assert_eq!(identity.subject, alg);
        assert_eq!(identity.tenant, Some(TenantId::from_number(100_138)));
        assert_eq!(identity.role, Role::Developer, "ADMINISTRATOR, capped");
        assert_eq!(identity.scopes, ScopeSet::of(&[Scope::CallsV3Read]));
    }
    let foreign = verifier.verify(&provider.token("foreign", "api").await).await.unwrap();
    assert_eq!(foreign.tenant, None);

    let old = provider.token("ES256", "api").await;
    provider.rotate().await;
    for alg in ALGORITHMS {
        assert_eq!(reason(&verifier, &provider.token(alg, "api").await).await, "accepted", "{alg}");
    }
    assert_eq!(reason(&verifier, &old).await, "oidc_key_unknown");

    // A second rotation right after is seen only when new keys may be looked for again.
    provider.rotate().await;
    let newest = provider.token("EdDSA", "api callsv3:read").await;
    assert_eq!(reason(&verifier, &newest).await, "oidc_key_unknown");
    clock.advance(Duration::from_secs(31));
    assert_eq!(reason(&verifier, &newest).await, "accepted");
    assert_eq!(reason(&verifier, &old).await, "oidc_key_unknown");

    clock.advance(Duration::from_hours(2));
    assert_eq!(reason(&verifier, &newest).await, "oidc_expired");
}
