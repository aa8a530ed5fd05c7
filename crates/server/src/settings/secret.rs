//! Secret settings: `Debug` and `Serialize` print a mask. They have no `PartialEq`, which would not compare in constant
//! time.

use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

pub(super) const MASK: &str = "********";

/// A secret; every output prints a mask.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    /// The value, for the code that uses it.
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

/// A `postgres://` URL; printed without its password.
#[derive(Clone, Deserialize)]
#[serde(transparent)]
pub struct DatabaseUrl(String);

impl DatabaseUrl {
    /// The complete URL, for the code that connects.
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

/// Masks the password of a URL. Real passwords contain unescaped `@`, `/` and `?`, so in doubt more is masked than
/// necessary.
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
    const HARMLESS: [&str; 9] = [
        "application_name",
        "connect_timeout",
        "dbname",
        "host",
        "port",
        "sslmode",
        "sslrootcert",
        "target_session_attrs",
        "user",
    ];
    let mask = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if HARMLESS.contains(&name) => pair.to_owned(),
        Some((name, _)) => format!("{name}={MASK}"),
        None => MASK.to_owned(),
    };
    query.split('&').map(mask).collect::<Vec<_>>().join("&")
}
