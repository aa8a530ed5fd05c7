//! Checks the claims of a token with a valid signature: kind, audience, client, validity, tenant and role.

use domain::identity::roles::Role;
use domain::identity::scopes::ScopeSet;
use domain::{TenantId, Timestamp};
use serde_json::{Map, Value};

use super::config::IssuerConfig;
use super::error::OidcError;
use super::token_identity::OidcIdentity;
use super::unique_members::UniqueMembers;

/// Tolerance for `exp`, `nbf` and `iat`, since clocks differ.
const LEEWAY_SECONDS: i64 = 60;

pub(super) fn identity(payload: &[u8], config: &IssuerConfig, now: Timestamp) -> Result<OidcIdentity, OidcError> {
    let claims = parse(payload)?;
    check_is_access_token(&claims)?;
    check_audience(&claims, &config.audience)?;
    check_client(&claims, &config.clients)?;
    let expires_at = check_times(&claims, now)?;
    check_lifetime(&claims, expires_at, config.max_lifetime_seconds, now)?;
    let subject = claims.get("sub").and_then(Value::as_str).filter(|subject| !subject.is_empty());
    Ok(OidcIdentity {
        issuer: config.issuer.clone(),
        subject: subject.ok_or(OidcError::Claims("`sub` is missing"))?.to_owned(),
        tenant: tenant(&claims, config),
        role: role(&claims, config),
        scopes: scopes(&claims),
        expires_at,
    })
}

pub(super) fn parse(payload: &[u8]) -> Result<Map<String, Value>, OidcError> {
    let claims: UniqueMembers = serde_json::from_slice(payload)
        .map_err(|_| OidcError::Claims("they are not a JSON object, or a claim appears twice"))?;
    Ok(claims.0)
}

/// The types of a JWT that may be an access token (RFC 9068, and the general `JWT`).
const TYPES: [&str; 3] = ["JWT", "at+jwt", "application/at+jwt"];

/// Checks the type in the header, if there is one.
pub(super) fn check_type(typ: Option<&str>) -> Result<(), OidcError> {
    let fits = typ.is_none_or(|typ| TYPES.iter().any(|known| known.eq_ignore_ascii_case(typ)));
    if fits { Ok(()) } else { Err(OidcError::Claims("the header's `typ` is not an access token type")) }
}

/// Claims that only ID tokens have.
const OF_ID_TOKENS: [&str; 4] = ["nonce", "at_hash", "c_hash", "s_hash"];

/// Refuses an ID token. It says who logged in at a client; it is no permission to call an API, and clients handle it
/// with less care.
fn check_is_access_token(claims: &Map<String, Value>) -> Result<(), OidcError> {
    // Keycloak states the kind of a token in the claim `typ`, Cognito in `token_use`.
    let is = |name: &str, expected: &str| claims.get(name).is_none_or(|kind| kind.as_str() == Some(expected));
    if OF_ID_TOKENS.iter().any(|name| claims.contains_key(*name)) || !is("token_use", "access") {
        return Err(OidcError::Claims("this is an ID token; send the access token"));
    }
    let kind = claims.get("typ").map(|kind| kind.as_str().unwrap_or_default());
    if kind.is_some_and(|kind| kind != "Bearer" && check_type(Some(kind)).is_err()) {
        return Err(OidcError::Claims("`typ` is not an access token type"));
    }
    Ok(())
}

/// If accepted clients are configured, the client that the token was issued to must be one of them.
fn check_client(claims: &Map<String, Value>, clients: &[String]) -> Result<(), OidcError> {
    if clients.is_empty() {
        return Ok(());
    }
    let mut named = ["azp", "client_id"].into_iter().filter_map(|name| claims.get(name)).peekable();
    let are_known = named.peek().is_some()
        && named.all(|client| client.as_str().is_some_and(|client| clients.iter().any(|known| known == client)));
    if are_known { Ok(()) } else { Err(OidcError::Claims("`azp` is not an accepted client")) }
}

/// Refuses a token that is valid for longer than `longest` seconds: it would be as good as a password that never
/// changes. Without `iat`, its lifetime is counted from now.
fn check_lifetime(
    claims: &Map<String, Value>,
    expires_at: Timestamp,
    longest: i64,
    now: Timestamp,
) -> Result<(), OidcError> {
    let issued_at = instant(claims, "iat", "`iat` is not a number")?.unwrap_or(now);
    if issued_at > now.plus_seconds(LEEWAY_SECONDS) {
        return Err(OidcError::Claims("`iat` is in the future"));
    }
    if expires_at > issued_at.plus_seconds(longest) {
        return Err(OidcError::Claims("it is valid for longer than this server allows"));
    }
    Ok(())
}

pub(super) fn check_audience(claims: &Map<String, Value>, expected: &str) -> Result<(), OidcError> {
    let is_ours = strings(claims.get("aud")).any(|audience| audience == expected);
    if is_ours { Ok(()) } else { Err(OidcError::Audience { expected: expected.to_owned() }) }
}

pub(super) fn check_times(claims: &Map<String, Value>, now: Timestamp) -> Result<Timestamp, OidcError> {
    let expires_at = instant(claims, "exp", "`exp` is not a number")?.ok_or(OidcError::Claims("`exp` is missing"))?;
    if now >= expires_at.plus_seconds(LEEWAY_SECONDS) {
        return Err(OidcError::Expired { at: expires_at });
    }
    match instant(claims, "nbf", "`nbf` is not a number")? {
        Some(from) if now.plus_seconds(LEEWAY_SECONDS) < from => Err(OidcError::NotYetValid { from }),
        _ => Ok(expires_at),
    }
}

/// Parses a claim that is a NumericDate: seconds since 1970, possibly with a fraction, which is cut off.
fn instant(claims: &Map<String, Value>, name: &str, problem: &'static str) -> Result<Option<Timestamp>, OidcError> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let seconds = value.as_i64().or_else(|| value.as_f64().map(whole)).ok_or(OidcError::Claims(problem))?;
    Ok(Some(Timestamp::from_micros(seconds.saturating_mul(1_000_000))))
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and an instant that far away needs no more")]
fn whole(seconds: f64) -> i64 {
    seconds.floor() as i64
}

/// The tenant of a token: the configured one, else the one in its claim. `None` if the claim is missing, or names a
/// tenant that the issuer may not name.
fn tenant(claims: &Map<String, Value>, config: &IssuerConfig) -> Option<TenantId> {
    if config.tenant.is_some() {
        return config.tenant;
    }
    let claimed: TenantId = match claims.get(&config.tenant_claim)? {
        Value::String(text) => text.parse().ok()?,
        Value::Number(number) => number.to_string().parse().ok()?,
        _ => return None,
    };
    config.tenants.contains(&claimed).then_some(claimed)
}

/// The highest role that the claim maps to, else `OPERATOR`; limited to the configured highest role.
fn role(claims: &Map<String, Value>, config: &IssuerConfig) -> Role {
    let mapped = strings(claims.get(&config.role_claim)).filter_map(|name| config.role_map.get(name).copied());
    let role = mapped.max_by_key(|role| role.rank()).unwrap_or(Role::Operator);
    if role.rank() > config.max_role.rank() { config.max_role } else { role }
}

fn scopes(claims: &Map<String, Value>) -> ScopeSet {
    let granted = claims.get("scope").or_else(|| claims.get("scp"));
    ScopeSet::literal(strings(granted).flat_map(str::split_ascii_whitespace))
}

/// The strings of a claim that is one string or an array of them.
pub(super) fn strings(claim: Option<&Value>) -> impl Iterator<Item = &str> {
    let values = match claim {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    values.iter().filter_map(Value::as_str)
}
