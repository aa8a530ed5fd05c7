//! Checks the claims of a token with a valid signature: audience, validity, tenant and role.

use domain::roles::Role;
use domain::scopes::ScopeSet;
use domain::{TenantId, Timestamp};
use serde_json::{Map, Value};

use super::OidcIdentity;
use super::config::IssuerConfig;
use super::error::OidcError;

/// Tolerance of `exp` and `nbf`, since clocks differ.
const LEEWAY_SECONDS: i64 = 60;

pub(super) fn identity(payload: &[u8], config: &IssuerConfig, now: Timestamp) -> Result<OidcIdentity, OidcError> {
    let claims = parse(payload)?;
    check_audience(&claims, &config.audience)?;
    let expires_at = check_times(&claims, now)?;
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
    serde_json::from_slice(payload).map_err(|_| OidcError::Claims("they are not a JSON object"))
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

/// A NumericDate: seconds, perhaps with a fraction.
fn instant(claims: &Map<String, Value>, name: &str, problem: &'static str) -> Result<Option<Timestamp>, OidcError> {
    let Some(value) = claims.get(name) else { return Ok(None) };
    let seconds = value.as_i64().or_else(|| value.as_f64().map(whole)).ok_or(OidcError::Claims(problem))?;
    Ok(Some(Timestamp::from_micros(seconds.saturating_mul(1_000_000))))
}

#[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and an instant that far away needs no more")]
fn whole(seconds: f64) -> i64 {
    seconds.floor() as i64
}

/// `None` if the tenant is missing, or one that the issuer may not name.
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

/// The highest role that the claim maps to, `OPERATOR` if it maps to none; at most the configured one.
fn role(claims: &Map<String, Value>, config: &IssuerConfig) -> Role {
    let mapped = strings(claims.get(&config.role_claim)).filter_map(|name| config.role_map.get(name).copied());
    let role = mapped.max_by_key(|role| role.rank()).unwrap_or(Role::Operator);
    if role.rank() > config.max_role.rank() { config.max_role } else { role }
}

fn scopes(claims: &Map<String, Value>) -> ScopeSet {
    let granted = claims.get("scope").or_else(|| claims.get("scp"));
    ScopeSet::literal(strings(granted).flat_map(str::split_ascii_whitespace))
}

/// A claim that is one string or an array of them.
pub(super) fn strings(claim: Option<&Value>) -> impl Iterator<Item = &str> {
    let values = match claim {
        Some(Value::Array(values)) => values.as_slice(),
        Some(value) => std::slice::from_ref(value),
        None => &[],
    };
    values.iter().filter_map(Value::as_str)
}
