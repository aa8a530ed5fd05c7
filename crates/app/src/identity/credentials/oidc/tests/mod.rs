//! Tests of the verifier against a fake issuer, with a manual clock.

mod caching;
mod fake_issuer;
mod identity;
mod refusals;
mod signing_key;

use crate::identity::gate::Unauthenticated;
use std::collections::BTreeMap;
use std::time::Duration;

use domain::identity::roles::Role;
use domain::{Clock, TenantId, Timestamp};
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

use self::fake_issuer::FakeIssuer;
use self::signing_key::SigningKey;
use super::*;

const NOW: i64 = 1_776_000_000;
const AUDIENCE: &str = "switchboard";

fn tenant(number: i64) -> TenantId {
    TenantId::from_number(number)
}

fn config(issuer: &str) -> IssuerConfig {
    IssuerConfig {
        issuer: issuer.to_owned(),
        audience: AUDIENCE.to_owned(),
        tenant: None,
        tenant_claim: "tenant_id".to_owned(),
        tenants: vec![tenant(100_138), tenant(100_139)],
        role_claim: "role".to_owned(),
        role_map: BTreeMap::from([
            ("admin".to_owned(), Role::Administrator),
            ("dev".to_owned(), Role::Developer),
            ("program".to_owned(), Role::ApiToken),
            ("trial".to_owned(), Role::Trial),
        ]),
        max_role: Role::Developer,
        max_lifetime_seconds: 86_400,
        clients: Vec::new(),
    }
}

/// One issuer with one key, and a verifier that trusts it.
struct Setting {
    issuer: FakeIssuer,
    key: SigningKey,
    clock: Clock,
    verifier: Arc<OidcVerifier>,
}

impl Setting {
    async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// Starts an issuer with an EdDSA key, since such keys are generated fastest; tests of other algorithms make their
    /// own keys.
    async fn with(change: impl FnOnce(&mut IssuerConfig)) -> Self {
        Self::within(OutgoingBudget::default(), change).await
    }

    async fn within(outgoing: OutgoingBudget, change: impl FnOnce(&mut IssuerConfig)) -> Self {
        let key = SigningKey::new("first", Algorithm::EdDSA);
        let issuer = FakeIssuer::start(&[key.jwk()]).await;
        let clock = Clock::manual(Timestamp::from_seconds(NOW));
        let mut config = config(&issuer.url);
        change(&mut config);
        let verifier = Arc::new(OidcVerifier::new(vec![config], clock.clone(), &outgoing).unwrap());
        Self { issuer, key, clock, verifier }
    }

    fn claims(&self) -> Value {
        json!({
            "iss": self.issuer.url, "sub": "user-1", "aud": AUDIENCE, "exp": NOW + 3600,
            "tenant_id": "100138", "scope": "api callsv3:read openid",
        })
    }

    /// The usual claims with one changed, or left out if the value is null.
    fn claims_with(&self, name: &str, value: Value) -> Value {
        let mut claims = self.claims();
        claims.as_object_mut().unwrap().remove(name);
        if !value.is_null() {
            claims[name] = value;
        }
        claims
    }

    fn token(&self) -> String {
        self.key.sign(&self.claims())
    }

    async fn verify(&self, token: &str) -> Result<OidcIdentity, OidcError> {
        self.verifier.verify(token).await
    }

    async fn verify_claim(&self, name: &str, value: Value) -> Result<OidcIdentity, OidcError> {
        self.verify(&self.key.sign(&self.claims_with(name, value))).await
    }

    async fn reason(&self, token: &str) -> Option<Unauthenticated> {
        self.verify(token).await.err().map(|error| error.reason())
    }

    fn advance(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }
}
