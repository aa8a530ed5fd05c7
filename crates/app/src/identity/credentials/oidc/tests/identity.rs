//! The identity that is built from a valid token.

use domain::identity::scopes::{Scope, ScopeSet};

use super::*;

#[tokio::test]
async fn each_algorithm_is_accepted_and_the_identity_is_whole() {
    let setting = Setting::new().await;
    let keys = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA].map(|alg| SigningKey::new("k", alg));
    // All three keys have one `kid`: the key's type selects the right one.
    setting.issuer.publish(&keys.each_ref().map(SigningKey::jwk));
    for key in &keys {
        let expected = OidcIdentity {
            issuer: setting.issuer.url.clone(),
            subject: "user-1".to_owned(),
            tenant: Some(tenant(100_138)),
            role: Role::Operator,
            scopes: ScopeSet::from_scopes(&[Scope::Api, Scope::CallsV3Read]),
            expires_at: Timestamp::from_seconds(NOW + 3600),
        };
        assert_eq!(setting.verify(&key.sign(&setting.claims())).await, Ok(expected), "{:?}", key.alg);
    }
    assert_eq!(setting.issuer.fetches(), 1);
}

#[tokio::test]
async fn scopes_come_from_scope_or_scp_and_are_taken_literally() {
    let setting = Setting::new().await;
    let cases = [
        (json!({"scope": "callsv3:read  api"}), vec![Scope::Api, Scope::CallsV3Read]),
        (json!({"scp": ["api", "contacts:write"]}), vec![Scope::Api, Scope::ContactsWrite]),
        (json!({"scp": "api contacts:write"}), vec![Scope::Api, Scope::ContactsWrite]),
        (json!({"scope": "api", "scp": ["callsv3:read"]}), vec![Scope::Api]),
        (json!({"scope": "API callsv3:* wati_integration:read"}), vec![]),
        (json!({"scope": 7}), vec![]),
        (json!({}), vec![]),
    ];
    for (granted, expected) in cases {
        let mut claims = setting.claims_with("scope", Value::Null);
        claims.as_object_mut().unwrap().extend(granted.as_object().unwrap().clone());
        let identity = setting.verify(&setting.key.sign(&claims)).await.unwrap();
        assert_eq!(identity.scopes, ScopeSet::from_scopes(&expected), "{granted}");
    }
}

#[tokio::test]
async fn a_missing_or_foreign_tenant_is_none() {
    let setting = Setting::new().await;
    let cases = [
        (json!("100139"), Some(tenant(100_139))),
        (json!(100_138), Some(tenant(100_138))),
        (json!("100140"), None),
        (json!(100_138.5), None),
        (json!("0100138"), None),
        (json!(["100138"]), None),
        (Value::Null, None),
    ];
    for (claim, expected) in cases {
        let identity = setting.verify_claim("tenant_id", claim.clone()).await.unwrap();
        assert_eq!(identity.tenant, expected, "{claim}");
    }
}

#[tokio::test]
async fn a_fixed_tenant_needs_no_claim_and_heeds_none() {
    let fixed = |config: &mut IssuerConfig| {
        config.tenant = Some(tenant(100_200));
        config.tenants.clear();
    };
    let setting = Setting::with(fixed).await;
    for claim in [Value::Null, json!("100138")] {
        assert_eq!(setting.verify_claim("tenant_id", claim).await.unwrap().tenant, Some(tenant(100_200)));
    }
}

#[tokio::test]
async fn claims_can_have_other_names() {
    let renamed = |config: &mut IssuerConfig| {
        config.tenant_claim = "https://example.com/tenant".to_owned();
        config.role_claim = "groups".to_owned();
    };
    let setting = Setting::with(renamed).await;
    let mut claims = setting.claims_with("tenant_id", Value::Null);
    claims["https://example.com/tenant"] = json!("100139");
    claims["groups"] = json!(["staff", "dev", "trial"]);
    let identity = setting.verify(&setting.key.sign(&claims)).await.unwrap();
    assert_eq!((identity.tenant, identity.role), (Some(tenant(100_139)), Role::Developer));
}

#[tokio::test]
async fn roles_are_mapped_and_capped() {
    let cases = [
        (Role::Administrator, json!("admin"), Role::Administrator),
        (Role::Developer, json!("admin"), Role::Developer),
        (Role::Operator, json!("admin"), Role::Operator),
        (Role::Operator, json!("trial"), Role::Trial),
        (Role::Trial, Value::Null, Role::Trial),
        (Role::Administrator, Value::Null, Role::Operator),
        (Role::Operator, Value::Null, Role::Operator),
        (Role::Operator, json!("program"), Role::Operator),
        (Role::ApiToken, json!("program"), Role::ApiToken),
        (Role::ApiToken, json!("dev"), Role::ApiToken),
        (Role::Developer, json!(["trial", "program"]), Role::ApiToken),
        (Role::Administrator, json!("ADMINISTRATOR"), Role::Operator),
        (Role::Administrator, json!({"admin": true}), Role::Operator),
    ];
    for (max_role, claim, expected) in cases {
        let setting = Setting::with(|config| config.max_role = max_role).await;
        let identity = setting.verify_claim("role", claim.clone()).await.unwrap();
        assert_eq!(identity.role, expected, "{claim} with at most {max_role}");
    }
}
