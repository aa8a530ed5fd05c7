//! Tokens, keys, issuers and settings that are refused.

use crate::identity::gate::Unauthenticated;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{EncodingKey, Header};

use super::fake_issuer::{ok, status};
use super::*;

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

#[tokio::test]
async fn only_three_algorithms_are_allowed() {
    let setting = Setting::new().await;
    let claims = setting.claims();
    for alg in ["none", "None", "HS256", "HS512", "RS512", "PS256", "ES384", "eddsa", ""] {
        let header = json!({"alg": alg, "kid": "first"});
        let token = format!("{}.{}.", part(&header), part(&claims));
        assert_eq!(setting.reason(&token).await, Some(Unauthenticated::OidcAlgorithm), "{alg}");
    }
    assert_eq!(setting.issuer.fetches(), 0, "such a token is not worth a fetch");
}

#[tokio::test]
async fn a_public_key_is_no_hmac_secret() {
    let setting = Setting::new().await;
    let public = URL_SAFE_NO_PAD.decode(setting.key.jwk()["x"].as_str().unwrap()).unwrap();
    let header = Header { kid: Some("first".to_owned()), ..Header::new(Algorithm::HS256) };
    let token = jsonwebtoken::encode(&header, &setting.claims(), &EncodingKey::from_secret(&public)).unwrap();
    assert_eq!(setting.reason(&token).await, Some(Unauthenticated::OidcAlgorithm));
}

#[tokio::test]
async fn a_key_serves_only_its_own_algorithm() {
    let setting = Setting::new().await;
    let other = SigningKey::new("first", Algorithm::ES256);
    assert_eq!(setting.reason(&other.sign(&setting.claims())).await, Some(Unauthenticated::OidcAlgorithm));
}

#[tokio::test]
async fn keys_that_are_not_published_for_verifying_are_passed_over() {
    let rsa = SigningKey::new("k", Algorithm::RS256);
    let ec = SigningKey::new("k", Algorithm::ES256);
    let ed = SigningKey::new("k", Algorithm::EdDSA);
    let unfit = [
        (&rsa, rsa.jwk_with("use", json!("enc"))),
        (&rsa, rsa.jwk_with("alg", json!("RS512"))),
        (&rsa, rsa.jwk_with("key_ops", json!(["encrypt"]))),
        (&rsa, rsa.jwk_with("kty", json!("oct"))),
        (&rsa, rsa.jwk_with("n", Value::Null)),
        (&ec, ec.jwk_with("crv", json!("P-384"))),
        (&ec, ec.jwk_with("y", json!("***"))),
        (&ed, ed.jwk_with("crv", json!("X25519"))),
        (&ed, ed.jwk_with("alg", json!("ES256"))),
        (&ed, json!("not even an object")),
    ];
    for (key, published) in unfit {
        let setting = Setting::new().await;
        setting.issuer.publish(std::slice::from_ref(&published));
        assert_eq!(
            setting.reason(&key.sign(&setting.claims())).await,
            Some(Unauthenticated::OidcKeyUnknown),
            "{published}"
        );
    }
}

#[tokio::test]
async fn members_that_a_key_may_lack_are_not_required() {
    for member in ["alg", "use"] {
        let setting = Setting::new().await;
        setting.issuer.publish(&[json!({"kty": "AKP"}), setting.key.jwk_with(member, Value::Null)]);
        assert_eq!(setting.reason(&setting.token()).await, None, "{member}");
    }
}

#[tokio::test]
async fn a_token_without_a_key_id_is_tried_with_the_keys_of_its_algorithm() {
    let setting = Setting::new().await;
    let token = |key: &SigningKey| jsonwebtoken::encode(&Header::new(key.alg), &setting.claims(), &key.secret).unwrap();
    assert_eq!(setting.reason(&token(&setting.key)).await, None);
    let next = SigningKey::new("next", Algorithm::EdDSA);
    assert_eq!(setting.reason(&token(&next)).await, Some(Unauthenticated::OidcKeyUnknown));
    setting.issuer.publish(&[next.jwk()]);
    setting.advance(31);
    assert_eq!(setting.reason(&token(&next)).await, None);
}

#[tokio::test]
async fn a_wrong_signature_is_refused() {
    let setting = Setting::new().await;
    let impostor = SigningKey::new("first", Algorithm::EdDSA);
    assert_eq!(setting.reason(&impostor.sign(&setting.claims())).await, Some(Unauthenticated::OidcSignature));

    let (good, better) = (setting.token(), setting.claims_with("role", json!("admin")));
    let parts: Vec<&str> = good.split('.').collect();
    let raised = format!("{}.{}.{}", parts[0], part(&better), parts[2]);
    assert_eq!(setting.reason(&raised).await, Some(Unauthenticated::OidcSignature));
    assert_eq!(setting.reason(&format!("{}.{}.", parts[0], parts[1])).await, Some(Unauthenticated::OidcSignature));
}

#[tokio::test]
async fn what_is_no_token_is_malformed() {
    let setting = Setting::new().await;
    let header = part(&json!({"alg": "EdDSA"}));
    let payload = part(&setting.claims());
    let critical = part(&json!({"alg": "EdDSA", "kid": "first", "crit": ["x"], "x": 1}));
    let cases = [
        String::new(),
        "a.b.c".to_owned(),
        format!("{header}.{payload}"),
        format!("{header}.{payload}.a.b"),
        format!("{header}.{payload}.="),
        format!("{}.{payload}.", part(&json!([]))),
        format!("{header}.{}.", part(&json!({"sub": "x"}))),
        format!("{critical}.{payload}."),
        format!("{header}.{payload}.{}", "a".repeat(20_000)),
    ];
    for token in cases {
        assert_eq!(setting.reason(&token).await, Some(Unauthenticated::TokenMalformed), "{token:.80}");
    }
}

#[tokio::test]
async fn the_audience_must_be_ours() {
    let setting = Setting::new().await;
    for foreign in [Value::Null, json!("other"), json!("Switchboard"), json!(["other"]), json!([]), json!({}), json!(7)]
    {
        let error = setting.verify_claim("aud", foreign.clone()).await.unwrap_err();
        assert_eq!(error.reason(), Unauthenticated::OidcAudience, "{foreign}");
    }
    assert!(setting.verify_claim("aud", json!(["other", AUDIENCE])).await.is_ok());
}

#[tokio::test]
async fn times_are_read_with_a_minute_of_leeway() {
    let setting = Setting::new().await;
    let cases = [
        ("exp", json!(NOW - 59), None),
        ("exp", json!(NOW - 60), Some(Unauthenticated::OidcExpired)),
        ("exp", json!(0), Some(Unauthenticated::OidcExpired)),
        ("exp", json!(-1e300), Some(Unauthenticated::OidcExpired)),
        ("exp", json!(NOW + 86_400), None),
        ("exp", json!(NOW + 86_401), Some(Unauthenticated::OidcClaims)),
        ("exp", json!(1e300), Some(Unauthenticated::OidcClaims)),
        ("exp", json!(u64::MAX), Some(Unauthenticated::OidcClaims)),
        ("iat", json!(NOW - 82_800), None),
        ("iat", json!(NOW - 82_801), Some(Unauthenticated::OidcClaims)),
        ("iat", json!(-1e300), Some(Unauthenticated::OidcClaims)),
        ("iat", json!(NOW + 60), None),
        ("iat", json!(NOW + 61), Some(Unauthenticated::OidcClaims)),
        ("iat", json!("today"), Some(Unauthenticated::OidcClaims)),
        ("exp", Value::Null, Some(Unauthenticated::OidcClaims)),
        ("exp", json!("soon"), Some(Unauthenticated::OidcClaims)),
        ("nbf", json!(NOW + 60), None),
        ("nbf", json!(NOW + 61), Some(Unauthenticated::OidcNotYetValid)),
        ("nbf", json!(u64::MAX), Some(Unauthenticated::OidcNotYetValid)),
        ("nbf", json!("now"), Some(Unauthenticated::OidcClaims)),
        ("sub", Value::Null, Some(Unauthenticated::OidcClaims)),
        ("sub", json!(""), Some(Unauthenticated::OidcClaims)),
    ];
    for (name, value, expected) in cases {
        let token = setting.key.sign(&setting.claims_with(name, value.clone()));
        assert_eq!(setting.reason(&token).await, expected, "{name} = {value}");
    }
}

#[tokio::test]
async fn id_tokens_and_other_kinds_are_refused() {
    let setting = Setting::new().await;
    for (name, value, good) in [
        ("nonce", json!("n"), false),
        ("at_hash", json!("h"), false),
        ("c_hash", json!("h"), false),
        ("s_hash", json!("h"), false),
        ("token_use", json!("id"), false),
        ("token_use", json!("access"), true),
        ("typ", json!("ID"), false),
        ("typ", json!("Refresh"), false),
        ("typ", json!(7), false),
        ("typ", json!("Bearer"), true),
        ("typ", json!("at+jwt"), true),
    ] {
        let reason = setting.reason(&setting.key.sign(&setting.claims_with(name, value.clone()))).await;
        assert_eq!(reason, (!good).then_some(Unauthenticated::OidcClaims), "{name} = {value}");
    }
    for (typ, good) in
        [("at+jwt", true), ("application/AT+JWT", true), ("jwt", true), ("logout+jwt", false), ("dpop+jwt", false)]
    {
        let header =
            Header { typ: Some(typ.to_owned()), kid: Some("first".to_owned()), ..Header::new(Algorithm::EdDSA) };
        let reason = setting.reason(&setting.key.sign_with(&header, &setting.claims())).await;
        assert_eq!(reason, (!good).then_some(Unauthenticated::OidcClaims), "{typ}");
    }
}

#[tokio::test]
async fn only_accepted_clients_may_have_been_given_the_token() {
    let setting = Setting::with(|config| config.clients = vec!["crm".to_owned(), "shop".to_owned()]).await;
    let azp = async |value: Value| setting.reason(&setting.key.sign(&setting.claims_with("azp", value))).await;
    assert_eq!(azp(json!("crm")).await, None);
    for wrong in [json!("other"), json!(["crm"]), Value::Null] {
        assert_eq!(azp(wrong.clone()).await, Some(Unauthenticated::OidcClaims), "{wrong}");
    }
    let mut both = setting.claims_with("azp", json!("crm"));
    both["client_id"] = json!("other");
    assert_eq!(setting.reason(&setting.key.sign(&both)).await, Some(Unauthenticated::OidcClaims));
    assert_eq!(setting.reason(&setting.key.sign(&setting.claims_with("client_id", json!("shop")))).await, None);
}

#[tokio::test]
async fn a_claim_that_is_there_twice_is_refused() {
    let setting = Setting::new().await;
    let claims = setting.claims().to_string();
    for twice in [r#","tenant_id":"100139"}"#, r#","scope":"api"}"#, r#","x":{"a":1,"a":2}}"#] {
        let payload = format!("{}{twice}", claims.strip_suffix('}').unwrap());
        let token = setting.key.sign_text(&payload);
        assert_eq!(setting.reason(&token).await, Some(Unauthenticated::OidcClaims), "{twice}");
    }
    assert_eq!(setting.reason(&setting.key.sign_text(&claims)).await, None);
}

#[tokio::test]
async fn an_unknown_issuer_is_refused_and_not_repeated_at_length() {
    let setting = Setting::new().await;
    let similar = format!("{}/", setting.issuer.url);
    assert_eq!(
        setting.verify_claim("iss", json!(similar)).await.unwrap_err().reason(),
        Unauthenticated::OidcUnknownIssuer
    );
    let error = setting.verify_claim("iss", json!("é".repeat(3000))).await.unwrap_err();
    assert!(error.to_string().len() < 300, "{error}");
    assert_eq!(setting.issuer.fetches(), 0);
}

#[tokio::test]
async fn an_issuer_that_does_not_answer_properly_is_unavailable() {
    let setting = Setting::new().await;
    let url = &setting.issuer.url;
    let discovery = |issuer: &str, keys: &str| ok(&json!({"issuer": issuer, "jwks_uri": keys}).to_string());
    let bad = [
        status("500 Internal Server Error"),
        ok(&json!({"issuer": url, "jwks_uri": format!("{url}/keys"), "more": "x".repeat(1024 * 1024)}).to_string()),
        ok("not json"),
        ok("{}"),
        discovery(&format!("{url}/"), &format!("{url}/keys")),
        discovery(url, "file:///etc/passwd"),
        discovery(url, "/keys"),
        discovery(url, &format!("{url}/missing")),
        discovery(url, &format!("{url}/moved")),
        String::new(),
    ];
    for response in bad {
        setting.issuer.answer_discovery(response.clone());
        assert_eq!(setting.reason(&setting.token()).await, Some(Unauthenticated::OidcUnavailable), "{response:.200}");
        setting.advance(6);
    }
    setting.issuer.discover(url, &format!("{url}/keys"));
    assert_eq!(setting.reason(&setting.token()).await, None);
}

#[tokio::test]
async fn a_slash_at_the_issuers_end_is_not_doubled() {
    let setting = Setting::with(|config| config.issuer.push('/')).await;
    let issuer = format!("{}/", setting.issuer.url);
    setting.issuer.discover(&issuer, &format!("{issuer}keys"));
    assert_eq!(setting.verify_claim("iss", json!(issuer)).await.unwrap().issuer, issuer);
}

#[test]
fn wrong_settings_stop_the_start_with_their_issuer() {
    let good = config("https://id.example.com");
    let changed = |change: fn(&mut IssuerConfig)| {
        let mut config = good.clone();
        change(&mut config);
        vec![config]
    };
    let wrong = [
        (changed(|config| config.issuer = "switchboard".to_owned()), "http or https"),
        (changed(|config| config.issuer = "ftp://id.example.com".to_owned()), "http or https"),
        (changed(|config| config.issuer.push_str("?x=1")), "http or https"),
        (changed(|config| config.audience.clear()), "`audience`"),
        (changed(|config| config.role_claim.clear()), "`role_claim`"),
        (changed(|config| config.tenants.clear()), "`tenants`"),
        (changed(|config| config.tenant = Some(TenantId::FIRST)), "not both"),
        (vec![good.clone(), good.clone()], "twice"),
    ];
    for (issuers, expected) in wrong {
        let issuer = issuers[0].issuer.clone();
        let error = OidcVerifier::new(issuers, Clock::system(), &OutgoingBudget::default()).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(&issuer), "{error}");
    }
    assert!(OidcVerifier::new(vec![good], Clock::system(), &OutgoingBudget::default()).is_ok());
}
