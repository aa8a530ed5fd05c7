//! OIDC against a real provider (the npm package oidc-provider) on loopback: its tokens, and the rotation of its keys.

use app::identity::gate::Unauthenticated;
use std::time::Duration;

use app::identity::credentials::legacy_jwt::{JwtKind, kind_of};
use app::identity::credentials::oidc::OidcVerifier;
use channels::outgoing::OutgoingBudget;
use domain::identity::roles::Role;
use domain::identity::scopes::{Scope, ScopeSet};
use domain::{Clock, TenantId, Timestamp};
use serde_json::Value;
use testkit::oidc::{Provider, client};

const ALGORITHMS: [&str; 3] = ["RS256", "ES256", "EdDSA"];

/// One client for each algorithm, with the algorithm as its name, and one for a tenant that the issuer may not name.
fn clients() -> Value {
    let scope = "api callsv3:read";
    let one = |alg: &&str| client(alg, alg, "100138", "ADMINISTRATOR", scope);
    let mut clients: Vec<Value> = ALGORITHMS.iter().map(one).collect();
    clients.push(client("foreign", "ES256", "100139", "ADMINISTRATOR", scope));
    Value::Array(clients)
}

async fn reason(verifier: &OidcVerifier, token: &str) -> Option<Unauthenticated> {
    verifier.verify(token).await.err().map(|error| error.reason())
}

#[tokio::test]
async fn a_real_providers_tokens_are_verified_through_rotations_of_its_keys() {
    let provider = Provider::start(&clients()).await;
    let clock = Clock::manual(Timestamp::system_now());
    let issuers = vec![provider.config(TenantId::from_number(100_138))];
    let verifier = OidcVerifier::new(issuers, clock.clone(), &OutgoingBudget::default()).unwrap();

    for alg in ALGORITHMS {
        let token = provider.token(alg, "callsv3:read").await;
        assert_eq!(kind_of(&token), Some(JwtKind::Issuer(provider.issuer.clone())));
        let identity = verifier.verify(&token).await.unwrap();
        assert_eq!(identity.subject, alg);
        assert_eq!(identity.tenant, Some(TenantId::from_number(100_138)));
        assert_eq!(identity.role, Role::Developer, "ADMINISTRATOR, capped");
        assert_eq!(identity.scopes, ScopeSet::from_scopes(&[Scope::CallsV3Read]));
    }
    let foreign = verifier.verify(&provider.token("foreign", "api").await).await.unwrap();
    assert_eq!(foreign.tenant, None);

    let old = provider.token("ES256", "api").await;
    provider.rotate().await;
    for alg in ALGORITHMS {
        assert_eq!(reason(&verifier, &provider.token(alg, "api").await).await, None, "{alg}");
    }
    assert_eq!(reason(&verifier, &old).await, Some(Unauthenticated::OidcKeyUnknown));

    // A second rotation is found only after the pause between two fetches of keys.
    provider.rotate().await;
    let newest = provider.token("EdDSA", "api callsv3:read").await;
    assert_eq!(reason(&verifier, &newest).await, Some(Unauthenticated::OidcKeyUnknown));
    clock.advance(Duration::from_secs(31));
    assert_eq!(reason(&verifier, &newest).await, None);
    assert_eq!(reason(&verifier, &old).await, Some(Unauthenticated::OidcKeyUnknown));

    clock.advance(Duration::from_hours(2));
    assert_eq!(reason(&verifier, &newest).await, Some(Unauthenticated::OidcExpired));
}
