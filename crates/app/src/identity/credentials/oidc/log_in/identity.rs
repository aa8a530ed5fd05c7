//! The check of an ID token (OpenID Connect Core, 3.1.3.7), with the keys and rules of other tokens of issuers.

use domain::Timestamp;
use domain::identity::accounts::normalise_email;
use serde::Deserialize;
use serde_json::{Map, Value};
use subtle::ConstantTimeEq as _;

use super::provider::Provider;
use crate::identity::credentials::jwt::Compact;
use crate::identity::credentials::oidc::claims::{check_audience, check_times, parse, strings};
use crate::identity::credentials::oidc::error::OidcError;
use crate::identity::credentials::oidc::keys::Signing;

/// The person that a checked ID token is about.
#[derive(Debug)]
pub(super) struct Identity {
    pub subject: String,
    pub person: PersonClaims,
}

/// The claims about the person, of the ID token or of the userinfo endpoint.
#[derive(Debug, Default, Deserialize)]
pub(super) struct PersonClaims {
    pub sub: Option<String>,
    pub email: Option<String>,
    email_verified: Option<Value>,
    /// Further claims, such as the person's groups.
    #[serde(flatten)]
    pub others: Map<String, Value>,
}

impl PersonClaims {
    /// The e-mail address, normalised. None unless the provider says that it has verified the address; some say so with
    /// the text `true` instead of a boolean.
    pub fn verified_email(self) -> Option<String> {
        let is_verified = match self.email_verified {
            Some(Value::Bool(verified)) => verified,
            Some(Value::String(text)) => text == "true",
            _ => false,
        };
        self.email.filter(|_| is_verified).and_then(|email| normalise_email(&email).ok())
    }
}

impl Provider {
    pub(super) async fn identity(&self, token: &str, nonce: &str, now: Timestamp) -> Result<Identity, OidcError> {
        let token = Compact::parse(token)?;
        let named = token.issuer()?;
        if named != self.config.issuer {
            return Err(OidcError::unknown_issuer(&named));
        }
        let signing = Signing::named(&token.header.alg)?;
        self.keys.check(&token, signing).await?;
        identity(&token.payload, &self.config.client_id, nonce, now)
    }
}

fn identity(payload: &[u8], client_id: &str, nonce: &str, now: Timestamp) -> Result<Identity, OidcError> {
    let claims = parse(payload)?;
    check_audience(&claims, client_id)?;
    check_authorized_party(&claims, client_id)?;
    check_times(&claims, now)?;
    let given = claims.get("nonce").and_then(Value::as_str).unwrap_or_default();
    if !bool::from(given.as_bytes().ct_eq(nonce.as_bytes())) {
        return Err(OidcError::Claims("`nonce` does not belong to this log-in"));
    }
    let person = PersonClaims::deserialize(Value::Object(claims));
    let person = person.map_err(|_| OidcError::Claims("`sub` or `email` is not text"))?;
    let subject = person.sub.clone().filter(|subject| !subject.is_empty());
    Ok(Identity { subject: subject.ok_or(OidcError::Claims("`sub` is missing"))?, person })
}

/// A token for several clients must name this one in `azp`, the client that it was issued to.
fn check_authorized_party(claims: &Map<String, Value>, client_id: &str) -> Result<(), OidcError> {
    let party = claims.get("azp").and_then(Value::as_str);
    let several = strings(claims.get("aud")).count() > 1;
    match party {
        Some(party) if party == client_id => Ok(()),
        None if !several => Ok(()),
        _ => Err(OidcError::Claims("`azp` is not this client")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_776_000_000);

    fn claims(more: &Value) -> Vec<u8> {
        let mut claims = json!({
            "iss": "https://id.example.com", "sub": "7", "aud": "console", "exp": 1_776_000_300, "nonce": "n",
            "email": "Ada@Example.com", "email_verified": true,
        });
        claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        claims.to_string().into_bytes()
    }

    fn check(more: &Value) -> Result<Identity, OidcError> {
        identity(&claims(more), "console", "n", NOW)
    }

    fn email(more: &Value) -> Option<String> {
        check(more).unwrap().person.verified_email()
    }

    #[test]
    fn a_token_of_this_log_in_names_its_person() {
        let identity = check(&json!({})).unwrap();
        assert_eq!(identity.subject, "7");
        assert_eq!(identity.person.verified_email().as_deref(), Some("ada@example.com"));
        assert!(check(&json!({"aud": ["console", "other"], "azp": "console"})).is_ok());
    }

    #[test]
    fn a_token_of_another_client_log_in_or_time_is_refused() {
        for more in [
            json!({"aud": "other"}),
            json!({"aud": ["console", "other"]}),
            json!({"aud": ["console", "other"], "azp": "other"}),
            json!({"azp": "other"}),
            json!({"nonce": "m"}),
            json!({"nonce": null}),
            json!({"nonce": ""}),
            json!({"exp": 1_775_999_000}),
            json!({"exp": null}),
            json!({"nbf": 1_776_000_300}),
            json!({"sub": ""}),
            json!({"sub": 7}),
        ] {
            assert!(check(&more).is_err(), "{more}");
        }
    }

    #[test]
    fn only_a_verified_address_counts() {
        assert_eq!(email(&json!({"email_verified": "true"})).as_deref(), Some("ada@example.com"));
        for more in [
            json!({"email_verified": false}),
            json!({"email_verified": null}),
            json!({"email_verified": "false"}),
            json!({"email_verified": 1}),
            json!({"email": null}),
            json!({"email": "nobody"}),
        ] {
            assert_eq!(email(&more), None, "{more}");
        }
    }
}
