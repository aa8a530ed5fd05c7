//! Values that may be used but never shown: `Debug` and `Serialize` give a mask. Must not offer a comparison, which
//! would not be constant in time.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

pub(super) const MASK: &str = "********";

/// Shown as a mask in every output.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The value itself, for the one place that uses it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

/// A `postgres://` URL; shown without its password.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The whole URL, for the one place that connects with it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    pub fn masked(&self) -> String {
        mask_url(&self.0)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.masked(), f)
    }
}

impl Serialize for DatabaseUrl {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.masked())
    }
}

/// A URL without its password. Passwords hold unescaped `@`, `/` and `?` in practice, so in doubt more is hidden than
/// needed.
pub(super) fn mask_url(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return MASK.to_owned();
    };
    let (head, query) = rest.split_once('?').map_or((rest, None), |(head, query)| (head, Some(query)));
    if query.is_some_and(|query| query.contains('@')) {
        return format!("{scheme}://{MASK}");
    }
    let query = query.map_or_else(String::new, |query| format!("?{}", mask_query(query)));
    format!("{scheme}://{}{query}", mask_user(head))
}

fn mask_user(head: &str) -> String {
    let Some((user, host)) = head.rsplit_once('@') else {
        return head.to_owned();
    };
    match user.split_once(':') {
        Some((name, _)) => format!("{name}:{MASK}@{host}"),
        None => head.to_owned(),
    }
}

fn mask_query(query: &str) -> String {
    const HARMLESS: [&str; 8] =
        ["application_name", "connect_timeout", "dbname", "host", "port", "sslmode", "target_session_attrs", "user"];
    let mask = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if HARMLESS.contains(&name) => pair.to_owned(),
        Some((name, _)) => format!("{name}={MASK}"),
        None => MASK.to_owned(),
    };
    query.split('&').map(mask).collect::<Vec<_>>().join("&")
}
