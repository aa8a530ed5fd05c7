//! Structured settings: networks, OIDC issuers and providers, plans and the scope hierarchy. Validates what can be
//! checked without other settings, with the domain's names of features, families, roles and scopes.

use std::collections::{BTreeMap, BTreeSet};

use domain::TenantId;
use domain::base::suggest;
use domain::identity::plans::{Family, Feature};
use domain::identity::roles::Role;
use domain::identity::scopes::Hierarchy;
use domain::messaging::channels::SANDBOX;
use serde::de::DeserializeOwned;
use toml::Value;

use super::error::Problem;
use super::hosts::parse_http_url;
use super::shapes::{OidcIssuer, OidcProvider, Plan};

fn features() -> Vec<&'static str> {
    Feature::ALL.iter().map(|feature| feature.name()).collect()
}

fn families() -> Vec<&'static str> {
    Family::ALL.iter().map(|family| family.name()).collect()
}

fn roles() -> Vec<&'static str> {
    Role::ALL.iter().map(|role| role.name()).collect()
}

pub(super) const ISSUERS_ALLOWED: &str = "a list of tables, each with issuer (https://, or http:// on a \
     loopback host), audience, either tenant or tenants (with an optional tenant_claim), and optionally role_claim, \
     role_map, max_role, max_lifetime_minutes and clients";

pub(super) const PROVIDERS_ALLOWED: &str = "a list of tables, each with id (lower-case letters, digits, - and _), \
     name, issuer (https://, or http:// on a loopback host), client_id, client_secret, tenant, and optionally \
     create_domains, role_claim, role_map and default_role";

pub(super) const BASE_URLS_ALLOWED: &str = "a table that maps a network's name to its base URL with the version \
     (https://, or http:// on a loopback host), for example { whatsapp = \"https://graph.facebook.com/v23.0\" }; the \
     name sandbox is reserved";

pub(super) fn plans_allowed() -> String {
    format!(
        "a table for each plan with features (from {}) and optionally monthly_calls and rates (for {}), each at \
         least 1, or left out for no limit",
        features().join(", "),
        families().join(", ")
    )
}

/// Parses JSON or inline TOML from an environment variable.
pub(super) fn value_of_text(text: &str) -> Result<Value, Problem> {
    if let Ok(json) = serde_json::from_str(text) {
        return from_json(json)
            .ok_or_else(|| Problem::new("it contains a null in a list, or a number that is too large"));
    }
    text.parse().map_err(|error: toml::de::Error| {
        Problem::new(format!("it is neither JSON nor an inline TOML value ({})", error.message())).value(text)
    })
}

/// Converts JSON to TOML. Null members are left out, because TOML has no null. `None` for a null elsewhere and for a
/// number that is too large.
fn from_json(json: serde_json::Value) -> Option<Value> {
    Some(match json {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(value) => Value::Boolean(value),
        serde_json::Value::Number(number) if number.is_f64() => Value::Float(number.as_f64()?),
        serde_json::Value::Number(number) => Value::Integer(number.as_i64()?),
        serde_json::Value::String(text) => Value::String(text),
        serde_json::Value::Array(items) => Value::Array(items.into_iter().map(from_json).collect::<Option<_>>()?),
        serde_json::Value::Object(members) => {
            let present = members.into_iter().filter(|(_, value)| !value.is_null());
            Value::Table(present.map(|(name, value)| Some((name, from_json(value)?))).collect::<Option<_>>()?)
        }
    })
}

fn typed<T: DeserializeOwned>(value: &Value) -> Result<T, Problem> {
    serde_path_to_error::deserialize(value.clone()).map_err(|error| {
        let at = error.path().to_string();
        Problem::new(error.inner().message().trim()).at(if at == "." { String::new() } else { at })
    })
}

pub(super) fn hierarchy(value: &Value) -> Result<Value, Problem> {
    let edges = typed(value)?;
    Hierarchy::new(&edges).map_err(|error| Problem::new(error.to_string()))?;
    Ok(value.clone())
}

pub(super) fn base_urls(value: &Value) -> Result<Value, Problem> {
    let canonical = |(name, url): (String, String)| {
        check_name(&name, "network")?;
        if name == SANDBOX {
            let problem = Problem::new("the sandbox has its own address; see sandbox.enabled and sandbox.listen");
            return Err(problem.at(name).allowed("another name"));
        }
        let url = base_url(&url).map_err(|problem| problem.at(name.clone()))?;
        Ok((name, Value::String(url)))
    };
    typed::<BTreeMap<String, String>>(value)?.into_iter().map(canonical).collect::<Result<_, _>>().map(Value::Table)
}

/// Checks a base URL: https, because every call carries an access token, or http on a loopback host; the path ends in a
/// version.
fn base_url(text: &str) -> Result<String, Problem> {
    let wrong = |what: &str| {
        let allowed = "https:// (or http:// on a loopback host) with a path that ends in a version, for example \
                       https://graph.facebook.com/v23.0";
        Err(Problem::new(what).value(text).allowed(allowed))
    };
    match parse_http_url(text) {
        Err(what) => wrong(what),
        Ok(url) if !url.secure && !url.is_loopback() => wrong("plain http to a host that is not loopback"),
        Ok(url) if url.rest.contains(['?', '#']) => wrong("it has a query or a fragment"),
        Ok(url) if !ends_in_version(url.rest) => wrong("its path does not end in a version"),
        Ok(_) => Ok(text.trim_end_matches('/').to_owned()),
    }
}

fn ends_in_version(path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    let number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    last.strip_prefix('v').is_some_and(|version| version.split('.').all(number))
}

pub(super) fn plans(value: &Value) -> Result<Value, Problem> {
    for (name, plan) in typed::<BTreeMap<String, Plan>>(value)? {
        check_name(&name, "plan")?;
        check_plan(&plan).map_err(|problem| {
            let at = format!("{name}.{}", problem.at);
            problem.at(at)
        })?;
    }
    Ok(value.clone())
}

fn check_name(name: &str, of: &str) -> Result<(), Problem> {
    let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'-' | b'_');
    if (1..=64).contains(&name.len()) && name.bytes().all(allowed) {
        return Ok(());
    }
    Err(Problem::new(format!("this {of} name is not valid")).at(name).allowed("lower-case letters, digits, - and _"))
}

fn check_plan(plan: &Plan) -> Result<(), Problem> {
    for (index, feature) in plan.features.iter().enumerate() {
        known("feature", feature, &features()).map_err(|problem| problem.at(format!("features[{index}]")))?;
    }
    // Refused: elsewhere 0 means "no limit", here it would lock out every tenant.
    let at_least_one = "at least 1, or left out for no limit";
    if plan.monthly_calls == Some(0) {
        return Err(Problem::new("it is 0").at("monthly_calls").allowed(at_least_one));
    }
    for (family, rate) in &plan.rates {
        let at = format!("rates.{family}");
        known("endpoint family", family, &families()).map_err(|problem| problem.at(at.clone()))?;
        if *rate == 0 {
            return Err(Problem::new("it is 0").at(at).allowed(at_least_one));
        }
    }
    Ok(())
}

fn known(what: &str, name: &str, all: &[&str]) -> Result<(), Problem> {
    if all.contains(&name) {
        return Ok(());
    }
    let hint = suggest::hint(name, all.iter().copied());
    Err(Problem::new(format!("there is no {what} with this name{hint}")).value(name).allowed(all.join(", ")))
}

pub(super) fn issuers(value: &Value) -> Result<Value, Problem> {
    let issuers: Vec<OidcIssuer> = typed(value)?;
    let mut seen = BTreeSet::new();
    for (index, issuer) in issuers.iter().enumerate() {
        let names_claim = value.get(index).is_some_and(|issuer| issuer.get("tenant_claim").is_some());
        check_issuer(issuer, names_claim).map_err(|problem| {
            let dot = if problem.at.is_empty() { "" } else { "." };
            let at = format!("[{index}]{dot}{}", problem.at);
            problem.at(at)
        })?;
        if !seen.insert((&issuer.issuer, &issuer.audience)) {
            return Err(Problem::new("another entry has the same issuer and audience").at(format!("[{index}]")));
        }
    }
    Ok(value.clone())
}

fn check_issuer(issuer: &OidcIssuer, names_claim: bool) -> Result<(), Problem> {
    check_issuer_url(&issuer.issuer)?;
    for (at, text) in
        [("audience", &issuer.audience), ("role_claim", &issuer.role_claim), ("tenant_claim", &issuer.tenant_claim)]
    {
        if text.trim().is_empty() {
            return Err(Problem::new("it is empty").at(at).allowed("text that is not empty"));
        }
    }
    check_tenants(issuer, names_claim)?;
    known("role", &issuer.max_role, &roles()).map_err(|problem| problem.at("max_role"))?;
    for (claim, role) in &issuer.role_map {
        known("role", role, &roles()).map_err(|problem| problem.at(format!("role_map.{claim}")))?;
    }
    Ok(())
}

fn check_issuer_url(issuer: &str) -> Result<(), Problem> {
    let wrong = |what: &str| {
        let allowed = "an https:// URL without a query, or an http:// URL on a loopback host";
        Err(Problem::new(what).value(issuer).at("issuer").allowed(allowed))
    };
    match parse_http_url(issuer) {
        Err(what) => wrong(what),
        Ok(url) if !url.secure && !url.is_loopback() => wrong("plain http to a host that is not loopback"),
        Ok(url) if url.rest.contains(['?', '#']) => wrong("it has a query or a fragment"),
        Ok(_) => Ok(()),
    }
}

/// Requires exactly one of `tenant` and `tenants`, so that a token is unambiguous.
fn check_tenants(issuer: &OidcIssuer, names_claim: bool) -> Result<(), Problem> {
    let either = "either tenant, or tenants with an optional tenant_claim";
    match (&issuer.tenant, issuer.tenants.is_empty()) {
        (None, true) => return Err(Problem::new("it names no tenant").allowed(either)),
        (Some(_), false) => return Err(Problem::new("it has both tenant and tenants").allowed(either)),
        (Some(_), true) if names_claim => {
            return Err(Problem::new("it has both tenant and tenant_claim").allowed(either));
        }
        _ => {}
    }
    let fixed = issuer.tenant.iter().map(|tenant| ("tenant".to_owned(), tenant));
    let listed = issuer.tenants.iter().enumerate().map(|(index, tenant)| (format!("tenants[{index}]"), tenant));
    for (at, tenant) in fixed.chain(listed) {
        tenant.parse::<TenantId>().map_err(|_| {
            let allowed = "a numeric string without a leading zero, for example \"100138\"";
            Problem::new("it is not a tenant id").value(tenant).at(at).allowed(allowed)
        })?;
    }
    Ok(())
}

/// Checks providers. Errors name members and never repeat their values: one of them is a secret.
pub(super) fn providers(value: &Value) -> Result<Value, Problem> {
    let providers: Vec<OidcProvider> =
        typed(value).map_err(|problem| Problem::new("a member is missing, unknown or not text").at(problem.at))?;
    let mut seen = BTreeSet::new();
    for (index, provider) in providers.iter().enumerate() {
        let in_list = |problem: Problem| {
            let dot = if problem.at.is_empty() { "" } else { "." };
            let at = format!("[{index}]{dot}{}", problem.at);
            problem.at(at)
        };
        check_provider(provider).map_err(in_list)?;
        if !seen.insert(&provider.id) {
            return Err(in_list(Problem::new("another entry has the same id").at("id")));
        }
    }
    Ok(value.clone())
}

fn check_provider(provider: &OidcProvider) -> Result<(), Problem> {
    check_name(&provider.id, "provider").map_err(|problem| problem.at("id"))?;
    check_issuer_url(&provider.issuer)?;
    let texts = [
        ("name", provider.name.as_str()),
        ("client_id", &provider.client_id),
        ("client_secret", provider.client_secret.expose()),
    ];
    for (at, text) in texts {
        if text.trim().is_empty() {
            return Err(Problem::new("it is empty").at(at).allowed("text that is not empty"));
        }
    }
    check_provisioning(provider)?;
    provider.tenant.parse::<TenantId>().map(drop).map_err(|_| {
        let allowed = "a numeric string without a leading zero, for example \"100138\"";
        Problem::new("it is not a tenant id").at("tenant").allowed(allowed)
    })
}

/// Checks which people get accounts, and with which roles.
fn check_provisioning(provider: &OidcProvider) -> Result<(), Problem> {
    let roles: Vec<&str> = Role::OF_ACCOUNTS.iter().map(|role| role.name()).collect();
    for (claim, role) in &provider.role_map {
        known("role", role, &roles).map_err(|problem| problem.at(format!("role_map.{claim}")))?;
    }
    if let Some(role) = &provider.default_role {
        known("role", role, &roles).map_err(|problem| problem.at("default_role"))?;
    }
    if provider.role_claim.trim().is_empty() {
        return Err(Problem::new("it is empty").at("role_claim").allowed("text that is not empty"));
    }
    for (index, domain) in provider.create_domains.iter().enumerate() {
        if domain.is_empty() || domain.contains('@') || domain.to_lowercase() != *domain {
            let allowed = "a domain in lower case, for example \"example.com\"";
            return Err(Problem::new("it is not a domain").at(format!("create_domains[{index}]")).allowed(allowed));
        }
    }
    if !provider.create_domains.is_empty() && provider.role_map.is_empty() && provider.default_role.is_none() {
        let allowed = "role_map or default_role together with create_domains";
        return Err(Problem::new("new accounts would have no role").at("create_domains").allowed(allowed));
    }
    Ok(())
}
